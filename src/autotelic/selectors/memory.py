"""What is remembered of each goal: a tuple with an array for every goal, changed by making a new one."""

import numpy as np

from autotelic._types import Array


def replaced(items: tuple[Array, ...], goal: int, item: Array) -> tuple[Array, ...]:
    """The tuple with the goal's entry replaced."""
    return (*items[:goal], item, *items[goal + 1 :])


def nothing_yet(num_goals: int) -> tuple[Array, ...]:
    """An empty array for each goal: no visit so far."""
    return (np.empty(0),) * num_goals
