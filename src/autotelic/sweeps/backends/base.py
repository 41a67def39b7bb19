"""The contract of a place where tasks are computed."""

from abc import ABC, abstractmethod

from autotelic.sweeps.attempt import Outcome
from autotelic.sweeps.folder import Record, Task


class ClusterLost(RuntimeError):
    """Nothing can be computed there any more; no run is to blame, and the same command goes on later."""


class Backend(ABC):
    """Starts tasks and says what became of them; it neither retries nor keeps records.

    slots: how many tasks fit at the same time; None where a cluster decides that itself.
    """

    slots: int | None = None

    @abstractmethod
    def start(self, task: Task, record: Record) -> None:
        """Begin an attempt, or put it in the cluster's queue; an OSError says why it cannot begin."""

    @abstractmethod
    def poll(self) -> list[tuple[Task, Outcome]]:
        """The attempts that have ended since the last call; `ClusterLost` if there is no place any more."""

    @abstractmethod
    def stop(self) -> None:
        """Ask all attempts to save themselves and end; `poll` says when they have."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything; what still runs is ended at once."""
