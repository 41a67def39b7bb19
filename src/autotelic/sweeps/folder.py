"""A sweep on disk.

DIR/sweep.toml            the file as it was last given
DIR/sweep.json            its runs: values, and the words of `autotelic`
DIR/runs/NAME/            a run, as `autotelic train` keeps it
DIR/state/NAME.KIND.json  how far a task (train, evaluate, report) is: attempts, the last failure
DIR/state/NAME.KIND.log   what it has printed
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from autotelic import _documents as documents
from autotelic._documents import Count, DamagedFile, FileError, Within
from autotelic.runs import atomic
from autotelic.runs.store import SKILLS_FILE, CheckpointStore
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.grid import fault_of_name
from autotelic.sweeps.naming import own_words, words_of

FORMAT = 2
PLAN, FILE, RUNS, STATE, STOP = "sweep.json", "sweep.toml", "runs", "state", "stop"


class Plan(NamedTuple):
    """What a sweep is: its runs in their order, and how many cores each has."""

    cells: list[Checked]
    cores: Annotated[int, Within(1)]


class Task(NamedTuple):
    """One command of a sweep: a process that can be started again until it is done.

    kind: train, evaluate or report. module, words: what Python runs. run: the run's folder.
    epochs: of the run when it is done. sweep: the sweep's folder. directory: to be run in.
    allowed: names that it may import.
    """

    name: str
    kind: str
    module: str
    words: list[str]
    run: str
    epochs: int
    cores: int
    sweep: str
    directory: str
    allowed: tuple[str, ...] = ()

    @property
    def state_file(self) -> Path:
        """Where its record is kept."""
        return Path(self.sweep) / STATE / f"{self.name}.{self.kind}.json"

    @property
    def log_file(self) -> Path:
        """Where its output is kept."""
        return Path(self.sweep) / STATE / f"{self.name}.{self.kind}.log"

    @property
    def done(self) -> bool:
        """Whether what it makes is there."""
        run = Path(self.run)
        if self.kind == "train":
            return is_finished(run, self.epochs)
        makes, of = {
            "evaluate": ("evaluation.json", SKILLS_FILE),
            "report": ("report.html", "evaluation.json"),
        }[self.kind]
        return _is_newer(run / makes, run / of)


class Record(NamedTuple):
    """How far a task is, as its file says.

    state: waiting, running, done or failed. attempts: how often it was started. losses: attempts in
    a row that were lost (killed, say) and got no further than the one before, which ended at `epoch`.
    note: what a person should know; of a failed task, why.
    """

    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    attempts: Count = 0
    losses: Count = 0
    epoch: Count = 0
    note: str = ""
    host: str = ""


def read_record(task: Task) -> Record:
    """The record of a task; that of a task which never began if there is none that can be read."""
    try:
        return documents.read(task.state_file, Record, FORMAT)
    except (OSError, FileError):
        return Record()


def write_record(task: Task, record: Record) -> None:
    """Keep the record."""
    atomic.inner(atomic.inner(Path(task.run).parent) / Path(task.run).name)
    atomic.make_folder(atomic.inner(task.state_file.parent))
    atomic.write_document(task.state_file, record._asdict(), FORMAT)


def epochs_done(run: Path) -> int:
    """Epochs in the latest checkpoint of a run."""
    return max(CheckpointStore(run).epochs, default=0)


def is_finished(run: Path, epochs: int) -> bool:
    """Whether a run has all of its epochs, and its skills."""
    return (run / SKILLS_FILE).exists() and epochs_done(run) >= max(epochs, 1)


def _is_newer(path: Path, than: Path) -> bool:
    try:
        return path.stat().st_mtime_ns >= than.stat().st_mtime_ns
    except FileNotFoundError:
        return False


def tasks(
    folder: Path,
    plan: Plan,
    kind: str = "train",
    more: Sequence[str] = (),
    allowed: Sequence[str] = (),
) -> list[Task]:
    """A task for each run of a plan.

    more: words that follow those of an evaluation or report. allowed: names that the tasks may import.
    """
    found = []
    for cell in plan.cells:
        run = str(folder / RUNS / cell.name)
        words = [*cell.words, "--out", run, "--resume"]
        if kind != "train":
            words = [kind, run, *own_words(cell.values), *more]
        found.append(
            Task(
                *(cell.name, kind, "autotelic", words, run, cell.epochs),
                *(plan.cores, str(folder), os.getcwd(), tuple(allowed)),
            )
        )
    return found


def read_plan(folder: Path) -> Plan:
    """The plan of the sweep in a folder."""
    path = folder / PLAN
    if not path.exists():
        raise ValueError(
            f"{folder} holds no sweep: {PLAN} is not there; `autotelic sweep` makes one"
        )
    plan = documents.read(path, Plan, FORMAT)
    if len({cell.name for cell in plan.cells}) < len(plan.cells):
        raise DamagedFile(path, "two cells have one name")
    for cell in plan.cells:
        _check_sound(path, cell)
    return plan


def _check_sound(path: Path, cell: Checked) -> None:
    """Refuse a run that would be kept elsewhere, or whose words are not its values."""
    if sentence := fault_of_name(cell.name):
        raise DamagedFile(path, sentence)
    if cell.words != words_of(cell.values, lambda key: f"--no-{key}" in cell.words):
        raise DamagedFile(path, f"the words of {cell.name} are not what its values say")


def check_inside(folder: Path) -> None:
    """Refuse a sweep in which a link leads out of its folder: what is written there would be elsewhere."""
    root = folder.resolve()
    for place in (folder / RUNS, folder / STATE):
        for path in (place, *(place.iterdir() if place.is_dir() else ())):
            if not path.resolve().is_relative_to(root):
                raise ValueError(
                    f"{path} is a link to {path.resolve()}, and a sweep writes nothing outside its folder; "
                    "put the real one in its place"
                )


def write_plan(folder: Path, plan: Plan, file: Path) -> None:
    """Begin a sweep, or let it have the runs that are new; a copy of its file stands beside it."""
    cells = [cell._asdict() for cell in plan.cells]
    atomic.make_folder(folder)
    atomic.write_bytes(folder / FILE, file.read_bytes())
    atomic.write_document(folder / PLAN, {"cores": plan.cores, "cells": cells}, FORMAT)


class Changes(NamedTuple):
    """How the runs of a file differ from those of the sweep: names, and of changed ones what, by key."""

    new: list[str]
    gone: list[str]
    longer: list[str]
    changed: dict[str, dict[str, str]]


def changes(before: Sequence[Checked], now: Sequence[Checked]) -> Changes:
    """What a sweep file says otherwise than before; a run with more epochs is only longer."""
    old = {cell.name: cell for cell in before}
    names = {cell.name for cell in now}
    longer, changed = [], {}
    for cell in now:
        if cell.name not in old:
            continue
        differing = _differing(old[cell.name].values, cell.values)
        if set(differing) == {"epochs"} and cell.epochs >= old[cell.name].epochs:
            longer.append(cell.name)
        elif differing:
            changed[cell.name] = differing
    return Changes(
        [cell.name for cell in now if cell.name not in old],
        [name for name in old if name not in names],
        longer,
        changed,
    )


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    keys = dict.fromkeys([*old, *new])
    return {
        key: f"{key} was {old.get(key, 'not given')!r} and is {new.get(key, 'not given')!r}"
        for key in keys
        if old.get(key) != new.get(key)
    }


def merged(before: Sequence[Checked], now: Sequence[Checked]) -> list[Checked]:
    """The runs of the file, then those that it no longer has: they are there, and are left as they are."""
    names = {cell.name for cell in now}
    return [*now, *(cell for cell in before if cell.name not in names)]
