"""Tasks whose goals are values of an observation that the task does not name: target velocities."""

from collections.abc import Mapping
from typing import NamedTuple


class KnownGoals(NamedTuple):
    """Goals of a task.

    from_end: entries, counted from an observation's end, so that positions in front of them do not
    matter; bounds: (low, high) of each; radius: how near a goal is reached.
    """

    from_end: tuple[int, ...]
    bounds: tuple[tuple[float, float], ...]
    radius: float

    def entries(self, observation_size: int) -> tuple[int, ...]:
        """The entries counted from the start."""
        return tuple(observation_size - back for back in self.from_end)


TASKS: Mapping[str, KnownGoals] = {
    # The forward velocity in m/s, the first of nine velocities. Soft actor-critics run at some 10 to 15 m/s
    # after millions of steps, and backwards at a few: goals at both ends are beyond what a short run learns.
    "HalfCheetah": KnownGoals((9,), ((-3.0, 12.0),), 0.5),
    # The same of the last second, the last entry.
    "autotelic/HalfCheetahVelocity": KnownGoals((1,), ((-3.0, 12.0),), 0.5),
}
"""By the name of the id without its version."""


def known_goals(name: str) -> KnownGoals | None:
    """The goals of a task by its id; None of others."""
    return TASKS.get(name.rsplit("-v", 1)[0])
