"""This machine: as many runs as there are cores for, each bound to cores of its own."""

from autotelic import _cores
from autotelic.sweeps.attempt import Attempt, Outcome
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.folder import Record, Task


class Local(Backend):
    """Processes of this machine.

    cores: of each run. parallel: runs at a time; by default as many as fit.
    """

    def __init__(self, cores: int, parallel: int | None = None):
        usable = _cores.bound_to() or list(range(_cores.usable_cores()))
        fitting = max(1, len(usable) // cores)
        self.slots: int | None = parallel or fitting
        # More runs than fit share all cores, and the system moves them about.
        pinned = _cores.bound_to() and self.slots <= fitting and cores <= len(usable)
        self.free: list[list[int]] = [
            usable[slot * cores : (slot + 1) * cores] if pinned else []
            for slot in range(self.slots)
        ]
        self.running: list[tuple[Attempt, list[int]]] = []

    def start(self, task: Task, record: Record) -> None:
        """See `Backend.start`."""
        pin = self.free.pop(0)
        try:
            self.running.append((Attempt(task, record, pin), pin))
        except OSError:
            self.free.insert(0, pin)
            raise

    def poll(self) -> list[tuple[Task, Outcome]]:
        """See `Backend.poll`."""
        ended: list[tuple[Task, Outcome]] = []
        for attempt, pin in list(self.running):
            outcome = attempt.outcome()
            if outcome is not None:
                self.running.remove((attempt, pin))
                self.free.insert(0, pin)
                ended.append((attempt.task, outcome))
        return ended

    def stop(self) -> None:
        """See `Backend.stop`."""
        for attempt, _ in self.running:
            attempt.stop()

    def close(self) -> None:
        """See `Backend.close`."""
        for attempt, _ in self.running:
            attempt.kill()
