"""The logarithm of certainty: the reward of the skills, as VIC reinforces it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.memory import forgotten, nothing_yet, replaced
from autotelic.selectors.signals.base import Signal

# log q is cut off here: a posterior of exactly 0 must not turn every later mean into -inf.
CERTAINTY_FLOOR = 1e-12


@dataclass(frozen=True)
class LogCertainty(Signal):
    """Mean log q(g|s) of the pursued goal, over the visit or over the goal's last `memory` steps.

    A goal never tried counts as chance, log(1/|G|). q is cut off at 1e-12.
    """

    memory: int | None = None

    def __post_init__(self) -> None:
        if self.memory is not None:
            _validate.integer("memory", self.memory, minimum=1)

    def untried(self, num_goals: int) -> float:
        """log(1/|G|)."""
        return -float(np.log(num_goals))

    def init(self, num_goals: int) -> tuple[Array, ...]:
        """With a memory: each goal's last log q(g|s), empty before its first visit."""
        return () if self.memory is None else nothing_yet(num_goals)

    def forget(self, state: tuple[Array, ...], goals: npt.NDArray[np.bool_]) -> tuple[Array, ...]:
        """Their steps."""
        return () if self.memory is None else forgotten(state, goals)

    def update(
        self, state: tuple[Array, ...], outcome: VisitOutcome
    ) -> tuple[tuple[Array, ...], float]:
        """The mean over what is remembered."""
        steps = np.log(np.maximum(outcome.certainty, CERTAINTY_FLOOR))
        if self.memory is not None:
            steps = np.concatenate([state[outcome.goal], steps])[-self.memory :]
            state = replaced(state, outcome.goal, steps)
        return state, float(steps.mean())

    def learn(self, state: tuple[Array, ...], results: Results) -> tuple[tuple[Array, ...], Array]:
        """The logarithms of competences; in memory each is of two steps, as the least of posteriors are."""
        values = np.full(results.num_goals, np.nan)
        values[results.goals] = np.log(np.maximum(results.competence, CERTAINTY_FLOOR))
        if self.memory is None:
            return state, values
        known = list(state)
        for goal in results.goals:
            known[goal] = np.append(known[goal], [values[goal]] * 2)[-self.memory :]
            values[goal] = known[goal].mean()
        return tuple(known), values
