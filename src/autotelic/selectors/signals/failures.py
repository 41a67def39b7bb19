"""How often did goals fail of late, counted and not divided by how often they were tried?"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import competence


@dataclass(frozen=True)
class FailureCounts(Signal):
    """F <- (1 - rate) F + rate (failures at each goal), of all goals, at every update."""

    rate: float = 0.001

    def __post_init__(self) -> None:
        _validate.number("rate", self.rate, above=0.0, maximum=1.0)

    @property
    def evidence(self) -> frozenset[str]:
        """Success."""
        return frozenset({"success"})

    def init(self, num_goals: int) -> Array:
        """No failures, [goals]."""
        return np.zeros(num_goals)

    def forget(self, state: Array, goals: npt.NDArray[np.bool_]) -> Array:
        """None of these."""
        return np.where(goals, 0.0, state)

    def update(self, state: Array, outcome: VisitOutcome) -> tuple[Array, Array]:
        """The counts of all goals."""
        failures = np.zeros(len(state))
        if not outcome.void:
            failures[outcome.goal] = (1.0 - competence(outcome, "success")) * outcome.count
        return self._counted(state, failures)

    def learn(self, state: Array, results: Results) -> tuple[Array, Array]:
        """The counts of all goals, after one step."""
        failures = np.zeros(len(state))
        failures[results.goals] = (1.0 - results.success) * np.maximum(results.episodes, 1)
        return self._counted(state, failures)

    def _counted(self, state: Array, failures: Array) -> tuple[Array, Array]:
        state = (1.0 - self.rate) * state + self.rate * failures
        return state, np.where(state > 0, state, np.nan)  # no news of goals that never failed
