"""Who watches a run: live progress, alarms, TensorBoard. A run tells its observers what happens."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autotelic._types import AutotelicWarning


class RunStart(NamedTuple):
    """What is known when a run begins: its folder, (method, seed) of every member, and its length.

    An epoch has `visits_per_epoch` lines of the history for each member; the first `warm_up_visits`
    of the run come before selectors are asked.
    """

    folder: Path
    members: Sequence[tuple[str, int]]
    first_epoch: int
    epochs: int
    steps_per_epoch: int
    visits_per_epoch: int = 1
    warm_up_visits: int = 0

    def choices_before(self, row: Mapping[str, Any]) -> int:
        """How many goals a selector had chosen before a line of the history; below 0 in the warm-up."""
        return row["epoch"] * self.visits_per_epoch + row["visit"] - self.warm_up_visits


class Observer:
    """Does nothing at every moment; override those you want to see."""

    def started(self, start: RunStart) -> None:
        """The run begins, or continues, at `start.first_epoch`."""

    def compiled(self) -> None:
        """The epoch's program is compiled: practice begins."""

    def practised(self, member: int, epoch: int) -> None:
        """One member has finished one epoch."""

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """All members have finished the epoch; `rows` are its lines of the history, in its order:
        for each visit to goals one of every member.
        """

    def note(self, message: str) -> None:
        """Something a person should know."""

    def ended(self) -> None:
        """The run is over, finished or not."""


class Audience:
    """The observers of a run; one whose terminal, pipe or file is gone must not end the run."""

    def __init__(self, observers: Sequence[Observer]):
        self.observers: list[Observer] = list(observers)

    def started(self, start: RunStart) -> None:
        """Tell that the run begins: nothing is trained yet, so an observer that cannot begin ends it."""
        for observer in self.observers:
            observer.started(start)

    def tell(self, moment: str, *details: Any) -> None:
        """Tell all observers, by the name of their method."""
        for observer in list(self.observers):
            try:
                getattr(observer, moment)(*details)
            except OSError as error:
                self.observers.remove(observer)
                self.note(f"{type(observer).__name__} is left out from here on ({error})")

    def note(self, message: str) -> None:
        """Something a person should know."""
        self.tell("note", message)

    def warn(self, message: str) -> None:
        """Something a person should know even if nobody watches the run."""
        if self.observers:
            self.note(message)
        else:
            warnings.warn(message, AutotelicWarning, stacklevel=5)
