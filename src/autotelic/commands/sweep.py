"""`autotelic sweep`: many runs from one file, and how they are; JAX is loaded in their processes alone."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console, Group
from rich.live import Live
from tyro.conf import Positional, arg

from autotelic import _cores
from autotelic._words import count
from autotelic.commands.reading import check_folder, read_flags
from autotelic.commands.sweep_results import evaluate, report
from autotelic.commands.sweeping import (
    REFRESH,
    FolderArgument,
    Places,
    backend,
    carry_out,
    check,
    exit_if_failed,
    faults_of_options,
    held,
)
from autotelic.sweeps import folder as on_disk
from autotelic.sweeps import status
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.checking import Checked, checked_cells, faults_of_names, refuse
from autotelic.sweeps.file import SweepFile, read_sweep_file
from autotelic.sweeps.folder import Plan
from autotelic.sweeps.grid import cells_of


@dataclass(frozen=True)
class SweepFlags(Places):
    """Train every run of a sweep file, each in a folder of its own; the same command goes on.

    `autotelic sweep status DIR` shows how far it is, `evaluate DIR` and `report DIR` what was learned.
    """

    file: Annotated[Positional[str], arg(metavar="FILE.toml")] = ""
    """What is to be trained: flags of `autotelic train` as keys, lists under [grid]."""
    out: Annotated[str, arg(metavar="DIR", help_behavior_hint="(required)")] = ""
    """Where the sweep is kept."""
    dry_run: Annotated[bool, arg(help_behavior_hint="")] = False
    """Check the file and show the runs; start nothing."""


@dataclass(frozen=True)
class StatusFlags:
    """Show how far each run of a sweep is; on a terminal until the sweep ends."""

    folder: FolderArgument
    """A sweep, made by `autotelic sweep`."""
    once: Annotated[bool, arg(help_behavior_hint="")] = False
    """Show it once."""


def main(words: Sequence[str]) -> None:
    """Run the command."""
    verbs = {"status": show_status, "evaluate": evaluate, "report": report}
    if words and words[0] in verbs:
        verbs[words[0]](words[1:])
    else:
        sweep(words)


def sweep(words: Sequence[str]) -> None:
    """`autotelic sweep FILE.toml --out DIR`."""
    flags = read_flags(SweepFlags, "sweep", words)
    check(flags)
    if not flags.file or not flags.out:
        missing = "the sweep file" if not flags.file else "--out"
        raise ValueError(f"{missing} is missing: autotelic sweep sweep.toml --out DIR")
    path, folder = Path(flags.file), Path(flags.out).absolute()
    if not path.is_file():
        raise ValueError(
            f"{path} is no file; give a sweep file, or one of status, evaluate, report"
        )
    check_folder(folder)
    file = read_sweep_file(path)
    cells, news = planned(path, file, folder, flags)
    for line in news:
        print(line)
    if flags.dry_run:
        _show_plan(folder, Plan(cells, file.cores))
        return
    places = backend(flags, file.cores, folder, file.backends)
    with held(folder):
        old = on_disk.read_plan(folder).cells if (folder / on_disk.PLAN).exists() else []
        on_disk.write_plan(folder, Plan(on_disk.merged(old, cells), file.cores), path)
        tasks = on_disk.tasks(folder, Plan(cells, file.cores), allowed=flags.allowed)
        _say_shares(places, file.cores, sum(not task.done for task in tasks))
        again = "interrupted: every run is saved, and the same command goes on"
        found = carry_out(tasks, places, flags, f"{folder}", again)
    _finish(found, f"autotelic sweep evaluate {flags.out} compares them")


def planned(
    path: Path, file: SweepFile, folder: Path, flags: SweepFlags
) -> tuple[list[Checked], list[str]]:
    """The runs of a file, checked, and what is to be said of changes since the sweep began."""
    known = faults_of_options(flags.backend, file)

    def checked() -> list[Checked]:
        runs = folder / on_disk.RUNS
        return checked_cells(path, file, runs, known, flags.allowed, dry_run=flags.dry_run)

    if not (folder / on_disk.PLAN).exists():
        return checked(), []
    before = on_disk.read_plan(folder).cells
    begun = {cell.name: cell for cell in before}
    plain, faults = cells_of(file)
    if not faults and all(c.name in begun and c.values == begun[c.name].values for c in plain):
        refuse(path, [*known, *faults_of_names(plain, flags.allowed)])
        cells = [begun[cell.name] for cell in plain]  # was checked when the sweep began
    else:
        cells = checked()
    found = on_disk.changes(before, cells)
    if found.changed:
        raise ValueError(
            f"{path} says otherwise than when the sweep in {folder} began; its runs are never "
            "overwritten: give these another name, or the sweep another folder\n"
            + "\n".join(
                f"  line {cell.lines.get(key, cell.line)}: {sentence} (in {cell.name})"
                for cell in plain
                for key, sentence in found.changed.get(cell.name, {}).items()
            )
        )
    parts = {
        "new": found.new,
        "gone from the file, left as they are": found.gone,
        "longer": found.longer,
    }
    return cells, [f"{len(n)} {what}: {', '.join(n)}" for what, n in parts.items() if n]


def show_status(words: Sequence[str]) -> None:
    """`autotelic sweep status DIR`."""
    flags = read_flags(StatusFlags, "sweep status", words)
    folder = Path(flags.folder).absolute()
    tasks = on_disk.tasks(folder, on_disk.read_plan(folder))
    console = Console()

    def look() -> Group:
        driven = status.is_driven(folder)
        title = f"{folder}" + ("" if driven else " (nobody works at it now)")
        return status.table(status.rows(tasks, driven), title, None if once else console.height - 6)

    once = flags.once or not console.is_terminal or not status.is_driven(folder)
    if once:
        console.print(look())
        return
    with Live(look(), console=console, auto_refresh=False) as live:
        while status.is_driven(folder):
            time.sleep(REFRESH)
            live.update(look(), refresh=True)


def _finish(found: Sequence[status.Row], then: str) -> None:
    exit_if_failed(found)
    print(f"{status.summary(found)}; {then}")


def _show_plan(folder: Path, plan: Plan) -> None:
    """The runs that would be trained, and how far they are."""
    tasks = on_disk.tasks(folder, plan)
    done = sum(task.done for task in tasks)
    for cell, task in zip(plan.cells, tasks, strict=True):
        what = f"{cell.learners} learners, {cell.epochs} epochs" if cell.epochs else "not known yet"
        print(f"{cell.name}  ({what}{', done' if task.done else ''})")
        print(f"    autotelic {shlex.join(cell.words)}")
    print(
        f"{len(tasks)} runs with {count(plan.cores, 'core')} each, {done} done; nothing was started"
    )


def _say_shares(places: Backend, cores: int, runs: int) -> None:
    """How the machine is shared by runs that are left, and what would use all of it."""
    usable = _cores.usable_cores()
    if places.slots is None or not runs:
        return
    at_a_time = min(places.slots, runs)
    print(f"{at_a_time} of {runs} runs at a time, with {count(cores, 'core')} each", flush=True)
    if runs * cores * 2 <= usable:
        print(f"cores = {usable // runs} in the sweep file would use all of them")
