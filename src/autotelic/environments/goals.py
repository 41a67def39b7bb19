"""What an environment says of places as goals: where they are in an observation, and which there are."""

from typing import Any

import numpy as np

Bounds = tuple[tuple[float, float], ...]


def goal_entries_of(environment: Any) -> tuple[int, ...]:
    """Which entries of an observation are what a goal is a value of, of an environment that tells them as
    `goal_entries`; its position, if it tells that; () of others.
    """
    for name in ("goal_entries", "position_entries"):
        entries = tuple(getattr(environment, name, ()))
        if entries:
            return entries
    if hasattr(environment, "positions"):  # of JAX environments whose observation is the position
        return tuple(range(environment.observation_size))
    return ()


def goal_bounds_of(environment: Any) -> Bounds | None:
    """(low, high) of every dimension of goals, of an environment that has them as `goal_bounds` or as
    `bounds` of a position; None of others.
    """
    own = getattr(environment, "goal_bounds", None)
    if own is not None:
        return tuple((float(low), float(high)) for low, high in own)
    box = getattr(environment, "bounds", None)
    if box is None:
        return None
    return tuple((float(box[0]), float(box[1])) for _ in goal_entries_of(environment))


def goal_radius_of(environment: Any) -> float | None:
    """How near a goal is reached, of an environment that has it as `goal_radius`; None of others."""
    radius = getattr(environment, "goal_radius", None)
    return None if radius is None else float(radius)


def has_desired_goals(environment: Any) -> bool:
    """Whether the environment has goals of its own."""
    return getattr(environment, "desired_goals", None) is not None


def desired_goals_of(environment: Any, count: int) -> np.ndarray:
    """So many of the goals that an environment wants reached, [count, dimensions], always the same; of
    one that has `desired_goals(count)`.
    """
    return np.asarray(environment.desired_goals(count), np.float64)


def reachable_of(environment: Any, places: np.ndarray) -> np.ndarray | None:
    """Which places [n, dimensions] can be reached at all, bool [n], of an environment that knows it by
    `reachable(places)`; None of others.
    """
    know = getattr(environment, "reachable", None)
    return None if know is None else np.asarray(know(places), bool)


def walls_of(environment: Any) -> np.ndarray | None:
    """Which cells of a square grid over `bounds` are walls, bool [x, y], of an environment that has them as
    `walls`; None of others.
    """
    walls = getattr(environment, "walls", None)
    return None if walls is None else np.asarray(walls, bool)
