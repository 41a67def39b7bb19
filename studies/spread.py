"""A study's populations side by side on a cluster: each is a task of a sweep, `--population FOLDER`."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.folder import Task, read_record
from autotelic.sweeps.scheduler import Scheduler
from autotelic.training.run_state import TrainingFailure
from studies.study import Part, Study, parts

RETRIES = 3


def spread(
    module: str,
    words: Sequence[str],
    study: Study,
    runs: Path,
    backend: Backend,
    is_kept: Callable[[Part], bool],
) -> None:
    """Train what is not trained yet, every population in a process of its own.

    Args:
        module: of the study, in `studies`.
        words: that give the same study, without a backend.
        study: what to train.
        runs: where the runs are kept; all machines must see it.
        backend: where they are computed.
        is_kept: whether a part's numbers are there without its run.
    """
    tasks = [
        Task(
            *(part.folder, "train", f"studies.{module}", [*words, "--population", part.folder]),
            *(str(runs / part.folder), study.epochs, 1, str(runs), os.getcwd()),
        )
        for part in parts(study)
        if not is_kept(part)
    ]
    runs.mkdir(parents=True, exist_ok=True)

    def tell(name: str, sentence: str) -> None:
        print(f"{name}: {sentence}" if name else sentence, flush=True)

    Scheduler(tasks, backend, RETRIES, tell).run()
    failed = [task.name for task in tasks if read_record(task).state == "failed"]
    if failed:
        raise TrainingFailure(
            f"{len(failed)} of {len(tasks)} populations failed: {', '.join(failed)}"
        )
