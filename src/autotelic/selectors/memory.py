"""What is remembered of each goal: a tuple with an array for every goal, changed by making a new one."""

from typing import Any

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


def grown(state: Any, small: Any, large: Any) -> Any:
    """A state with more goals, told from two fresh ones, of the goals that it has and of those it is to have:
    what is longer in the second has an entry for every goal. What is as it was at first is taken from there.
    """
    if isinstance(small, np.ndarray):
        if small.shape == large.shape:
            return state
        if state.shape == small.shape and np.array_equal(state, small, equal_nan=True):
            return large
        return np.concatenate([state, large[len(small) :]])
    if isinstance(small, tuple):
        if len(small) != len(large):
            return (*state, *large[len(small) :])
        parts = [grown(*each) for each in zip(state, small, large, strict=True)]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return large if state == small else state
