"""Learners whose numbers are no numbers any more: who, since when, and the list of them on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

from autotelic import _documents as documents
from autotelic._types import AutotelicWarning
from autotelic.runs import atomic

FORMAT = 2
DIVERGED_FILE = "diverged.json"


class Diverged(NamedTuple):
    """A learner that ended before its run.

    member: its number in the population; epoch, step: when its first number was none, the step
    counted within the epoch; goal: what it pursued; sentence: who, when, what, and what may help.
    """

    member: int
    method: str
    seed: int
    epoch: int
    step: int
    goal: int
    sentence: str


class Learners(TypedDict):
    """What the file holds."""

    learners: list[Diverged]


class LearnersDiverged(AutotelicWarning):
    """Some learners of a run are left out of what was asked for, because they diverged."""


def read_diverged(folder: Path) -> list[Diverged]:
    """The diverged learners of the run in a folder, in the order in which they were found."""
    path = folder / DIVERGED_FILE
    if not path.exists():
        return []
    return documents.read(path, Learners, FORMAT)["learners"]


def write_diverged(folder: Path, found: Sequence[Diverged]) -> None:
    """Keep the list; a run in which nobody diverged has none."""
    path = folder / DIVERGED_FILE
    if found:
        atomic.write_document(path, {"learners": [one._asdict() for one in found]}, FORMAT)
    else:
        path.unlink(missing_ok=True)


def left_out(found: Sequence[Diverged], learners: int) -> str:
    """Who is left out, on one line.

    >>> one = Diverged(1, "DP", 3, epoch=7, step=2, goal=0, sentence="")
    >>> left_out([one], learners=4)
    '1 of 4 learners diverged and is left out: DP, seed 3'
    """
    named = "; ".join(f"{one.method}, seed {one.seed}" for one in found)
    are = "is" if len(found) == 1 else "are"
    return f"{len(found)} of {learners} learners diverged and {are} left out: {named}"
