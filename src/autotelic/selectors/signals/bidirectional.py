"""Bidirectional learning progress: how far is success of late from success before, up or down?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.signals.competence import Competence


class TwoMeans(NamedTuple):
    """Success of late, and the same a while ago, [goals] each; NaN before the first visit."""

    fast: Array
    slow: Array


def reweighted(rates: Array, weight: float) -> Array:
    """p (1 - w) / (p + w (1 - 2 p)): differences between small rates count for more; [goals].

    >>> import numpy as np
    >>> reweighted(np.array([0.0, 0.1, 0.5, 1.0]), 0.1)
    array([0. , 0.5, 0.9, 1. ])
    """
    return rates * (1.0 - weight) / (rates + weight * (1.0 - 2.0 * rates))


@dataclass(frozen=True)
class BidirectionalProgress(Competence):
    """|r(fast) - r(slow)|, with fast <- fast + rate (c - fast), slow <- slow + rate (fast - slow), from the
    first c on, and r as `reweighted` by `weight`. 0 before and after a first visit.
    """

    rate: float = 0.1
    weight: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("rate", self.rate, above=0.0, maximum=1.0)
        _validate.number("weight", self.weight, above=0.0, maximum=0.5)

    def init(self, num_goals: int) -> TwoMeans:
        """No visits."""
        return TwoMeans(*np.full((2, num_goals), np.nan))

    def forget(self, state: TwoMeans, goals: npt.NDArray[np.bool_]) -> TwoMeans:
        """No visits of these."""
        return TwoMeans(*(np.where(goals, np.nan, mean) for mean in state))

    def judged(
        self, state: TwoMeans, outcome: VisitOutcome, goal: int, c: float
    ) -> tuple[TwoMeans, float]:
        """The distance after the visit."""
        del outcome
        state, values = self._moved(state, np.array([goal]), np.array([c]))
        return state, float(values[0])

    def judged_all(self, state: TwoMeans, results: Results, shown: Array) -> tuple[TwoMeans, Array]:
        """The distances after these visits."""
        return self._moved(state, results.goals, shown)

    def _moved(
        self, state: TwoMeans, goals: npt.NDArray[np.int64], shown: Array
    ) -> tuple[TwoMeans, Array]:
        fast, slow = state.fast.copy(), state.slow.copy()
        first = np.isnan(fast[goals])
        fast[goals] = np.where(first, shown, fast[goals] + self.rate * (shown - fast[goals]))
        slow[goals] = np.where(first, shown, slow[goals] + self.rate * (fast[goals] - slow[goals]))
        found = reweighted(fast[goals], self.weight) - reweighted(slow[goals], self.weight)
        return TwoMeans(fast, slow), np.abs(found)
