"""Every goal alike."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule


@dataclass(frozen=True)
class Even(Rule):
    """p(g) = 1/|G|, whatever was learned."""

    def init(self, num_goals: int, untried: float) -> Array:
        """p(g), all there is to know. The number of goals alone, read from a file, could be of any size."""
        del untried
        return distributions.uniform(num_goals)

    def update(self, state: Array, goal: int, value: float) -> Array:
        """Nothing changes."""
        del goal, value
        return state

    def learn(self, state: Array, goals: npt.NDArray[np.int64], values: Array) -> Array:
        """Nothing changes."""
        del goals, values
        return state

    def probabilities(self, state: Array) -> Array:
        """1/|G|."""
        return state
