"""What the commands of a sweep share: where its tasks are computed, and how they are watched."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.console import Console
from rich.live import Live
from tyro.conf import DisallowNone, Positional, arg

from autotelic import _names, _validate
from autotelic.runs.lock import RunLock, RunLocked
from autotelic.sweeps import status
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.file import Fault, SweepFile
from autotelic.sweeps.folder import STOP, Task, check_inside
from autotelic.sweeps.scheduler import Scheduler

REFRESH = 1.0
"""Seconds between two looks at the files."""
PATIENCE = 1.0
"""Seconds to wait for the folder."""
COMMANDS = ("ray.runtime_env", "slurm.setup", "slurm.srun_args", "slurm.additional_parameters")
"""Options of a backend that can run commands."""
FolderArgument = Annotated[Positional[str], arg(metavar="DIR")]


@dataclass(frozen=True)
class Places:
    """Where the runs are computed."""

    backend: Literal["local", "ray", "slurm"] = "local"
    """This machine, a Ray cluster, or Slurm."""
    address: Annotated[
        str, arg(metavar="HOST:PORT", help_behavior_hint="(default: found or made)")
    ] = ""
    """Of the Ray cluster; `auto` is one that this machine belongs to."""
    max_parallel: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: as many as fit)")
    ] = None
    """Runs at the same time."""
    max_retries: Annotated[int, arg(metavar="N")] = 3
    """How often a run that was killed is tried again without getting further."""
    allow: Annotated[tuple[str, ...], arg(metavar="NAME ...", help_behavior_hint="")] = ()
    """What the file may import: your own my_module.MySelector or my_module:MyEnv-v0, brax::ant."""

    @property
    def allowed(self) -> list[str]:
        """The names to import, without options."""
        own = _names.IMPORT_PATH
        return [one.partition(":")[0] if own.fullmatch(one) else one for one in self.allow]


def backend(flags: Places, cores: int, folder: Path, options: Mapping[str, Any]) -> Backend:
    """The place that the flags name; one that cannot be used is refused."""
    if flags.address and flags.backend != "ray":
        raise ValueError("--address is a Ray cluster's: add --backend ray, or leave it out")
    if flags.backend == "ray":
        from autotelic.sweeps.backends.ray_cluster import Ray

        check_commands("ray", options.get("ray") or {}, flags.allow)
        return Ray(folder, cores, flags.address, options.get("ray"))
    if flags.backend == "slurm":
        from autotelic.sweeps.backends.slurm import Slurm

        check_commands("slurm", options.get("slurm") or {}, flags.allow)
        return Slurm(folder, cores, options.get("slurm"))
    from autotelic.sweeps.backends.local import Local

    return Local(cores, flags.max_parallel)


def check_commands(name: str, options: Mapping[str, Any], allowed: Sequence[str]) -> None:
    """Refuse options by which a file would run commands of its own, unless the command line names them."""
    for key, value in options.items():
        plain = f"{name}.{key.removeprefix('slurm_')}"
        # A line's end within an option would begin a line of the job's script.
        if (plain in COMMANDS or "\\n" in json.dumps(value)) and plain not in allowed:
            raise ValueError(
                f"{key} under [{name}] in the sweep file can run commands; if it is yours, add --allow "
                f"{plain}"
            )


def faults_of_options(name: str, file: SweepFile) -> list[Fault]:
    """What is wrong in the table of the backend that is used, as far as its package is here to say so."""
    if name == "ray":
        from autotelic.sweeps.backends.ray_cluster import faults_of
    elif name == "slurm":
        from autotelic.sweeps.backends.slurm import faults_of
    else:
        return []
    try:
        found = faults_of(file.backends[name])
    except ModuleNotFoundError:
        return []
    return [file.options_fault(name, key, sentence) for key, sentence in found]


def carry_out(
    tasks: Sequence[Task], places: Backend, flags: Places, title: str, again: str
) -> list[status.Row]:
    """Bring tasks to their ends, with a table on a terminal and a line for each change elsewhere."""
    console = Console()
    live = Live(console=console, auto_refresh=False) if console.is_terminal else None
    looked = 0.0

    def rows() -> list[status.Row]:
        return status.rows(tasks, driven=True)

    def tell(name: str, sentence: str) -> None:
        words = f"{name}: {sentence}" if name else sentence
        if live is None:
            print(f"[{status.summary(rows())}] {words}", flush=True)
        elif not sentence.startswith("done"):  # the table shows that
            console.print(words, markup=False, highlight=False)

    def refresh() -> None:
        nonlocal looked
        if live is not None and time.monotonic() - looked > REFRESH:
            looked = time.monotonic()
            live.update(status.table(rows(), title, max(3, console.height - 8)), refresh=True)

    scheduler = Scheduler(tasks, places, flags.max_retries, tell, flags.max_parallel)
    try:
        if live is None:
            scheduler.run()
        else:
            with live:
                scheduler.run(refresh)
                live.update(status.table(rows(), title, max(3, console.height - 8)), refresh=True)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(again) from None
    return rows()


def exit_if_failed(found: Sequence[status.Row]) -> None:
    """End the command as failed if a task has, and say which and why."""
    failed = [row for row in found if row.state == "failed"]
    if failed:
        lines = [f"  {row.name}: {row.note}" for row in failed]
        sys.exit("\n".join([f"{len(failed)} of {len(found)} runs failed", *lines]))


def check(flags: Places) -> None:
    """Refuse numbers that cannot be, and a cluster that does not answer."""
    if flags.max_parallel is not None:
        _validate.integer("--max-parallel", flags.max_parallel, minimum=1)
    _validate.integer("--max-retries", flags.max_retries, minimum=0)
    if flags.backend == "ray":
        from autotelic.sweeps.backends.ray_cluster import address_of, check_answers

        check_answers(address_of(flags.address))  # before the file is checked, which takes longer


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The sweep's folder for this process alone; one who asks for the status holds it for a moment."""
    check_inside(folder)
    until = time.monotonic() + PATIENCE
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(RunLock(folder))
                break
            except RunLocked:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        (folder / STOP).unlink(missing_ok=True)  # of a sweep that was killed while it stopped
        yield
