"""`autotelic sweep evaluate` and `autotelic sweep report`: what all runs of a sweep have learned."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console
from tyro.conf import arg

from autotelic import _names
from autotelic.commands.reading import read_flags
from autotelic.commands.sweeping import (
    FolderArgument,
    Places,
    backend,
    carry_out,
    check,
    exit_if_failed,
    held,
)
from autotelic.sweeps import folder as on_disk
from autotelic.sweeps import results
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.file import read_sweep_file
from autotelic.sweeps.naming import PARTS, names_of


@dataclass(frozen=True)
class EvaluateFlags(Places):
    """Evaluate every finished run of a sweep, and put all estimates into one table."""

    folder: FolderArgument = ""
    """A sweep, made by `autotelic sweep`."""


@dataclass(frozen=True)
class ReportFlags(Places):
    """A page for every finished run of a sweep, and one that compares them all."""

    folder: FolderArgument = ""
    """A sweep, made by `autotelic sweep`."""
    no_films: Annotated[bool, arg(help_behavior_hint="")] = False
    """Do not render the skills."""


PATH = "MODULE.NAME"


def evaluate(words: Sequence[str]) -> None:
    """`autotelic sweep evaluate DIR`."""
    flags = read_flags(EvaluateFlags, "sweep evaluate", words)
    check(flags)
    folder = Path(flags.folder).absolute()
    plan = on_disk.read_plan(folder)
    _check_allowed(plan.cells, flags, ["autotelic", "sweep", "evaluate", *words])
    with held(folder):
        _of_finished(folder, "evaluate", flags)
    found = results.lines(folder, plan.cells)
    path = results.write(folder, found)
    console = Console()
    for table in results.tables(found, results.labels(folder, found), console.width):
        console.print(table)
    print(f"All metrics of all runs are in {path}")


def report(words: Sequence[str]) -> None:
    """`autotelic sweep report DIR`."""
    flags = read_flags(ReportFlags, "sweep report", words)
    check(flags)
    folder = Path(flags.folder).absolute()
    plan = on_disk.read_plan(folder)
    _check_allowed(plan.cells, flags, ["autotelic", "sweep", "report", *words])
    from autotelic.report import sweep as page

    with held(folder):
        _of_finished(folder, "evaluate", flags)
        _of_finished(folder, "report", flags, ["--no-films"] * flags.no_films)
    path = page.write(folder)
    print(f"{path} is the report of the sweep; open it in a browser")


def _check_allowed(cells: Sequence[Checked], flags: Places, command: Sequence[str]) -> None:
    """Refuse runs with parts that would be imported and that the command line does not name.

    command: the words that were typed; the refusal adds what is missing.
    """
    named = {
        name: part
        for cell in cells
        for part, name in names_of(cell.values)
        if part in PARTS and name not in flags.allowed
    }
    if not named:
        return
    words = [_names.typable(n, called=part == "environment") or PATH for n, part in named.items()]
    hint = f" ({PATH} is where you have it)" * (PATH in words)
    raise ValueError(
        f"its runs have {', '.join(ascii(name[:80]) for name in named)}, which would be imported, and a "
        "file must not say what to import; if you trust it, name it: "
        + shlex.join([*command, "--allow", *flags.allow, *dict.fromkeys(words)])
        + hint
    )


def _of_finished(folder: Path, kind: str, flags: Places, more: Sequence[str] = ()) -> None:
    """Evaluate or report every run that is finished; those that cannot be end the command as failed."""
    plan = on_disk.read_plan(folder)
    finished = {task.name for task in on_disk.tasks(folder, plan) if task.done}
    left_out = [cell.name for cell in plan.cells if cell.name not in finished]
    if not finished:
        raise ValueError(f"no run of {folder} is finished yet; see autotelic sweep status {folder}")
    if left_out and kind == "evaluate":
        print(f"{len(left_out)} of {len(plan.cells)} runs are not finished, and are left out")
    found = on_disk.tasks(folder, plan, kind, more, flags.allowed)
    tasks = [one for one in found if one.name in finished]
    options = read_sweep_file(folder / on_disk.FILE).backends
    places = backend(flags, plan.cores, folder, options)
    found = carry_out(
        tasks, places, flags, f"{folder}: {kind}", "interrupted; the same command goes on"
    )
    exit_if_failed(found)
