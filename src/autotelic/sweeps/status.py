"""How far a sweep is, from its files alone: any process can ask at any time."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from autotelic._documents import open_to_read
from autotelic.runs.history import HISTORY_FILE
from autotelic.runs.lock import is_held
from autotelic.sweeps.folder import Task, epochs_done, read_record

STYLES = {"done": "green", "running": "cyan", "waiting": "dim", "failed": "red"}
TAIL = 100_000
"""Bytes at the end of a history that hold its last line."""


class Row(NamedTuple):
    """A task as a line of the table."""

    name: str
    state: str
    epoch: int
    epochs: int
    attempts: int
    note: str


def rows(tasks: Sequence[Task], driven: bool) -> list[Row]:
    """How far each task is; `driven` says whether somebody works at the sweep now."""
    found = []
    for task in tasks:
        record = read_record(task)
        state = "done" if task.done else record.state
        # Jobs of Slurm go on when nobody watches them; others end.
        if state == "running" and not driven and not is_held(task.run):
            state = "waiting"
        if state == "done" and not task.done:  # somebody has deleted what it made
            state = "waiting"
        epoch = epoch_reached(Path(task.run)) if state == "running" else epochs_done(Path(task.run))
        found.append(Row(task.name, state, epoch, task.epochs, record.attempts, record.note))
    return found


def is_driven(folder: Path) -> bool:
    """Whether a process works at the sweep in a folder."""
    return is_held(folder)


def epoch_reached(run: Path) -> int:
    """Epochs that a run's history has begun; it is ahead of the checkpoints."""
    try:
        with open(open_to_read(run / HISTORY_FILE), "rb") as file:
            header = file.readline().decode().rstrip("\n").split(",")
            start = file.tell()
            file.seek(max(start, file.seek(0, 2) - TAIL))
            lines = file.read().split(b"\n")
        column = header.index("epoch")
        # What stands after the last line's end is torn, or nothing.
        return int(lines[-2].split(b",")[column]) + 1
    except (OSError, ValueError, IndexError):
        return epochs_done(run)


def summary(found: Sequence[Row]) -> str:
    """One line: `3 of 16 done · 2 running · 11 waiting`."""
    counts = Counter(row.state for row in found)
    words = [f"{counts['done']} of {len(found)} done"]
    words += [f"{counts[s]} {s}" for s in ("running", "waiting", "failed") if counts[s]]
    return " · ".join(words)


def table(found: Sequence[Row], title: str = "", most: int | None = None) -> Group:
    """The rows, what is to be said of some, and how many there are of each state.

    Where rows are more than `most`, those that need no look are left out and counted. Sentences stand
    below the rows: beside them a narrow terminal would leave no room.
    """
    shown, left = _shown(found, most)
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("run", overflow="fold")
    made.add_column("state", no_wrap=True)
    made.add_column("epochs", justify="right", no_wrap=True)
    made.add_column("tries", justify="right", no_wrap=True)
    for row in shown:
        epochs = f"{row.epoch}/{row.epochs or '?'}"
        made.add_row(Text(row.name), Text(row.state, STYLES[row.state]), epochs, str(row.attempts))
    notes = [Text(f"{row.name}: {row.note}", STYLES[row.state]) for row in shown if row.note]
    last = Text(summary(found) + (f" ({left} more runs not shown)" if left else ""))
    return Group(*([Text(title, "bold")] if title else []), made, *notes, last)


def _shown(found: Sequence[Row], most: int | None) -> tuple[list[Row], int]:
    """Those that a person asks for first: failed and running ones, then waiting ones."""
    if most is None or len(found) <= most:
        return list(found), 0
    order = ("failed", "running", "waiting", "done")
    chosen = sorted(range(len(found)), key=lambda at: (order.index(found[at].state), at))[:most]
    return [found[at] for at in sorted(chosen)], len(found) - most
