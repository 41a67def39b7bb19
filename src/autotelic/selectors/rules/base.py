"""What a rule is: from one number a goal to the goal distribution p(g).

A rule is a frozen setting with `init(num_goals, untried) -> state`, `update(state, goal, value) ->
state` and `probabilities(state) -> [goals]`.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors import distributions


class Rule(ABC):
    """From one number a goal to p(g)."""

    @property
    def even_share(self) -> float:
        """The share of p(g) that every goal has an even part of; 0 if none is promised."""
        return 0.0

    @abstractmethod
    def init(self, num_goals: int, untried: float) -> Any:
        """The state before the first visit; `untried` is the value of a goal never tried."""

    @abstractmethod
    def update(self, state: Any, goal: int, value: float) -> Any:
        """The state after practising the goal yielded the value."""

    def revise(self, state: Any, values: Array) -> Any:
        """The state after goals that were not practised are found to have these values, [goals]; NaN
        where there is no news.
        """
        for goal in np.flatnonzero(~np.isnan(values)):
            state = self.update(state, int(goal), float(values[goal]))
        return state

    def learn(self, state: Any, goals: npt.NDArray[np.int64], values: Array) -> Any:
        """The state after practising these goals, in no order, and what that says of all goals, [goals]; NaN
        where there is no news.
        """
        for goal in goals[~np.isnan(values[goals])]:
            state = self.update(state, int(goal), float(values[goal]))
        others = values.copy()
        others[goals] = np.nan
        return self.revise(state, others)

    def forget(self, state: Any, goals: npt.NDArray[np.bool_], untried: float) -> Any:
        """The state when these goals, [goals], were exchanged for others, which are as untried. A rule
        that knows nothing of single goals need not say.
        """
        del goals, untried
        return state

    @abstractmethod
    def probabilities(self, state: Any) -> Array:
        """The distribution to draw the next goal from, [goals]."""

    def prior(self, state: Any) -> Array:
        """p(g) for the reward, positive everywhere, [goals]."""
        return distributions.positive(self.probabilities(state))
