"""What is remembered of each goal: a tuple with an array for every goal, changed by making a new one."""

import numpy as np
import numpy.typing as npt

from autotelic._types import Array


def replaced(items: tuple[Array, ...], goal: int, item: Array) -> tuple[Array, ...]:
    """The tuple with the goal's entry replaced."""
    return (*items[:goal], item, *items[goal + 1 :])


def nothing_yet(num_goals: int, *shape: int) -> tuple[Array, ...]:
    """An empty array for each goal: no visit so far, of which each has numbers of that shape."""
    return (np.empty((0, *shape)),) * num_goals


def forgotten(items: tuple[Array, ...], goals: npt.NDArray[np.bool_]) -> tuple[Array, ...]:
    """The tuple with nothing remembered of these goals, [goals]."""
    return tuple(item[:0] if gone else item for item, gone in zip(items, goals, strict=True))
