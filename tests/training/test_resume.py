import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_runs import contents
from tiny_runs import (
    EPOCHS,
    METHODS,
    PROBING,
    STEPS,
    Corridor,
    Notes,
    SaveableCorridor,
    Stop,
    StopAfter,
    assert_same_run,
    copied,
    run,
    tiny,
    tiny_gymnasium,
)

from autotelic.observers.base import Observer
from autotelic.runs.history import vector
from autotelic.runs.run import load
from autotelic.runs.store import CheckpointStore
from autotelic.training.program import Program

pytestmark = pytest.mark.usefixtures("same_crews")


def interrupted(folder: Path, after: int, **changes: Any) -> None:
    with pytest.raises(Stop):
        run(folder, observers=[StopAfter(after)], **changes)


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_a_resumed_run_ends_as_if_never_interrupted(finished: Path, tmp_path: Path, every: int):
    interrupted(tmp_path, after=2, checkpoint_every=every)
    assert CheckpointStore(tmp_path).epochs[-1] == 2  # one epoch of the history is run again
    run(tmp_path, resume=True)
    assert_same_run(tmp_path, finished)


def test_a_run_stopped_before_its_first_checkpoint_starts_again(finished: Path, tmp_path: Path):
    interrupted(tmp_path, after=1, checkpoint_every=3)
    assert CheckpointStore(tmp_path).epochs == []
    run(tmp_path, resume=True)
    assert_same_run(tmp_path, finished)


def test_resume_without_a_run_starts_one(finished: Path, tmp_path: Path):
    run(tmp_path / "new", resume=True)
    assert_same_run(tmp_path / "new", finished)


def test_a_finished_run_has_nothing_left_to_do(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = copied(finished, tmp_path / "copy")
    before = contents(folder)
    monkeypatch.setattr(Program, "compile", None)  # calling it would fail
    run(folder, resume=True)
    after = contents(folder)
    assert before.pop(".lock") and after.pop(".lock")  # says whose process it was
    assert after == before


class PressCtrlC(Observer):
    def __init__(self, epoch: int):
        self.epoch = epoch
        self.messages: list[str] = []

    def practised(self, member: int, epoch: int) -> None:
        if (member, epoch) == (0, self.epoch):
            signal.raise_signal(signal.SIGINT)

    def note(self, message: str) -> None:
        self.messages.append(message)


def test_ctrl_c_saves_before_it_stops(finished: Path, tmp_path: Path):
    observer = PressCtrlC(epoch=0)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, observers=[observer], checkpoint_every=EPOCHS)
    saved = CheckpointStore(tmp_path).epochs
    assert saved and 1 <= saved[-1] < EPOCHS
    assert any("stopping" in message for message in observer.messages)
    run(tmp_path, resume=True)
    assert_same_run(tmp_path, finished)


@pytest.mark.thorough
def test_a_prolonged_run_equals_a_long_one(tmp_path: Path):
    growing = tiny(replay_capacity=None)  # the ring is sized from the run, and has to grow
    long = run(tmp_path / "long", setting=growing, epochs=4)
    short = run(tmp_path / "short", setting=growing, epochs=3)
    assert (short.epochs, short.finished) == (3, True)
    prolonged = run(tmp_path / "short", setting=growing, epochs=4, resume=True)
    assert (prolonged.epochs, prolonged.finished) == (4, True)
    assert_same_run(short.folder, long.folder)
    checkpoint = CheckpointStore(long.folder).load_latest()
    assert checkpoint is not None and checkpoint.replay is not None
    assert checkpoint.replay.rings[0].shape[1] == 4 * STEPS


@pytest.mark.thorough
def test_probes_are_resumed_though_the_first_method_has_none(tmp_path: Path):
    run(tmp_path / "whole", methods=PROBING, epochs=8)
    interrupted(tmp_path / "parts", after=5, methods=PROBING, epochs=8)
    run(tmp_path / "parts", methods=PROBING, epochs=8, resume=True)
    assert_same_run(tmp_path / "parts", tmp_path / "whole")
    history = load(tmp_path / "whole").history.query("method == 'probe'")
    signals = vector(history, "signal")
    assert (signals[-1] != 0).any()  # else there was nothing to resume


HOST_SETTINGS: dict[str, Callable[[], Any]] = {
    "navigation": lambda: tiny_gymnasium(
        "autotelic/Navigation2D-v0", environment_options={"max_episode_steps": 15}
    ),
    "half-cheetah": lambda: tiny_gymnasium("HalfCheetah-v5"),
    "own": lambda: tiny_gymnasium(SaveableCorridor),
}


@pytest.mark.parametrize("name", HOST_SETTINGS)
def test_a_gymnasium_run_is_resumed_to_the_bit(tmp_path: Path, name: str):
    setting = HOST_SETTINGS[name]()
    run(tmp_path / "whole", setting=setting)
    interrupted(tmp_path / "parts", after=2, setting=setting, checkpoint_every=2)
    notes = Notes()
    run(tmp_path / "parts", setting=setting, resume=True, observers=[notes])
    assert_same_run(tmp_path / "parts", tmp_path / "whole")
    assert [m for m in notes.messages if "time within the episode" not in m] == []


def test_an_environment_without_a_state_goes_on_with_new_episodes_and_says_so(tmp_path: Path):
    setting = tiny_gymnasium(Corridor)
    interrupted(tmp_path, after=2, setting=setting, checkpoint_every=2)
    kept = (tmp_path / "history.csv").read_text().splitlines()[: 1 + 2 * len(METHODS)]
    notes = Notes()
    run(tmp_path, setting=setting, resume=True, observers=[notes])
    assert len(notes.messages) == 1
    assert "Corridor has no methods state_dict()" in notes.messages[0]
    lines = (tmp_path / "history.csv").read_text().splitlines()
    assert lines[: len(kept)] == kept
    assert len(lines) == 1 + EPOCHS * len(METHODS)
    assert np.isfinite(load(tmp_path).history.filter(like="loss_")).all(axis=None)


TRAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import pytest
from tiny_runs import prepare, run
prepare(pytest.MonkeyPatch())
run(Path(sys.argv[2]), epochs=40, resume=True)
"""


@pytest.mark.slow
def test_sigkill_at_any_moment_changes_nothing(same_crews: None, tmp_path: Path):
    folder = tmp_path / "killed"
    arguments = [sys.executable, "-c", TRAIN, str(Path(__file__).parent), str(folder)]
    generator = random.Random(0)
    for checkpoints in (0, 5, 20):  # the first kill comes before there is a checkpoint
        with subprocess.Popen(arguments, env=os.environ) as process:
            while process.poll() is None and not _has_reached(folder, checkpoints):
                time.sleep(0.002)
            time.sleep(generator.uniform(0.0, 0.02))
            process.kill()
            assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
    assert max(CheckpointStore(folder).epochs) < 40
    run(folder, epochs=40, resume=True)
    run(tmp_path / "whole", epochs=40)
    assert_same_run(folder, tmp_path / "whole")


def _has_reached(folder: Path, checkpoints: int) -> bool:
    if checkpoints == 0:
        return (folder / "run.json").exists()
    return max(CheckpointStore(folder).epochs, default=0) >= checkpoints
