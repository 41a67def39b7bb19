"""What a signal is: what did practising this goal yield? One number a visit, for the pursued goal, or one
for every goal that there is news of.

A signal is a frozen setting with `init(num_goals) -> state` and `update(state, outcome) -> (state,
value)`. Any signal goes with any rule of `rules`.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome


class Signal(ABC):
    """What a visit of practice yielded."""

    @property
    def evidence(self) -> frozenset[str]:
        """The optional evidence that the signal needs: some keys of `EVIDENCE`."""
        return frozenset()

    @property
    def needs_posteriors(self) -> bool:
        """Whether it says nothing of a visit that shows success or competence alone."""
        return False

    def check(self, steps: int) -> None:
        """Refuse settings that cannot work with this many steps a visit."""
        del steps

    def caution(self, steps: int, episode_length: int) -> str:
        """What a user should know of the signal with such visits and episodes; "" for nothing."""
        del steps, episode_length
        return ""

    def untried(self, num_goals: int) -> float:
        """The value assumed for a goal that was never tried."""
        del num_goals
        return 0.0

    def init(self, num_goals: int) -> Any:
        """What the signal remembers before the first visit: nothing, unless it says otherwise."""
        del num_goals
        return ()

    def forget(self, state: Any, goals: npt.NDArray[np.bool_]) -> Any:
        """What the signal remembers when these goals, [goals], were exchanged for others: nothing of
        them. One that remembers nothing of single goals need not say.
        """
        del goals
        return state

    @abstractmethod
    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, float | Array]:
        """What the signal remembers after the visit, and the visit's value: a number for the goal
        pursued, or numbers for all goals, [goals], NaN where there is no news.
        """

    def learn(self, state: Any, results: Results) -> tuple[Any, Array]:
        """The same after results of several goals, in no order, and the values of all goals, [goals], NaN
        where there is no news. One after the other, unless the signal is faster.
        """
        values = np.full(results.num_goals, np.nan)
        for outcome in results.outcomes():
            state, found = self.update(state, outcome)
            if np.ndim(found):
                values = np.where(np.isnan(found), values, found)
            else:
                values[outcome.goal] = found
        return state, values

    def ahead(self, state: Any, values: Array, under_way: npt.NDArray[np.int64]) -> Array:
        """The values of all goals, [goals], to draw by while so many visits to each are under way: as they
        are, unless the signal says otherwise.
        """
        del state, under_way
        return values
