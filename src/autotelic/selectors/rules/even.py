"""Every goal alike."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Even(Rule):
    """p(g) = 1/|G|, whatever was learned."""

    def init(self, num_goals: int, untried: float) -> int:
        """The number of goals is all there is to know."""
        del untried
        return num_goals

    def update(self, state: int, goal: int, value: float) -> int:
        """Nothing changes."""
        del goal, value
        return state

    def probabilities(self, state: int) -> Array:
        """1/|G|."""
        return distributions.uniform(state)
