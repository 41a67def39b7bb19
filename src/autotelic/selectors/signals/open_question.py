"""How open is it whether the learner succeeds at a goal?"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import competence

KEPT = (
    0.7  # of what a goal's earlier visits count, at each further one: about three visits are seen
)
HOPE, DOUBT = 0.2, 0.1  # imagined success and failure at every goal
SHARPNESS = 3.0
UNLIKELY = 2.0  # standard deviations by which chance is exceeded


def openness(successes: Array, failures: Array) -> Array:
    """(4 q (1 - q))^3 with q = (successes + 0.2) / (successes + failures + 0.3); [goals].

    Near 1 where success is a coin toss and where nothing is known, near 0 where it always or never comes.

    >>> import numpy as np
    >>> openness(np.array([0.0, 2.0, 0.0, 4.0]), np.array([0.0, 2.0, 4.0, 0.0])).round(3)
    array([0.702, 0.998, 0.006, 0.001])
    """
    rate = (successes + HOPE) / (successes + failures + HOPE + DOUBT)
    return (4.0 * rate * (1.0 - rate)) ** SHARPNESS


def differ(rates: Array, visits: Array) -> bool:
    """Whether success rates differ between goals by more than chance: a test of homogeneity.

    X^2 = sum_g visits_g (rate_g - mean)^2 / (mean (1 - mean)) has the mean n - 1 and the variance
    2 (n - 1) if all n goals tried have one chance of success; two deviations above that they differ.

    Args:
        rates: the success rate of each goal, [goals]; any number for one that was never tried.
        visits: the number of visits behind it, [goals].

    >>> import numpy as np
    >>> differ(np.array([0.4, 0.6]), np.array([5.0, 5.0]))
    False
    >>> differ(np.array([0.0, 1.0]), np.array([5.0, 5.0]))
    True
    """
    tried = visits > 0
    freedom = int(tried.sum()) - 1
    if freedom < 1:
        return False
    rates, visits = rates[tried], visits[tried]
    mean = float(visits @ rates / visits.sum())
    chance = mean * (1.0 - mean)
    if chance < 1e-12:  # all succeed, or none
        return False
    statistic = float(visits @ (rates - mean) ** 2) / chance
    return statistic > freedom + UNLIKELY * math.sqrt(2.0 * freedom)


class OpenState(NamedTuple):
    """Successes and failures at each goal, faded, and the squares of their weights; [goals] each."""

    successes: Array
    failures: Array
    squares: Array


@dataclass(frozen=True)
class OpenQuestion(Signal):
    """`openness` of every goal; 1 for all as long as their success does not `differ`.

    A visit's success (competence or certainty, where there is no success) counts at once, and the goal's
    earlier ones by 0.7 of what they did. What is known of every goal fades by half in `memory` rounds of
    |G| visits.
    """

    memory: float = 10.0

    def __post_init__(self) -> None:
        _validate.number("memory", self.memory, above=0.0)

    def untried(self, num_goals: int) -> float:
        """1."""
        del num_goals
        return 1.0

    def init(self, num_goals: int) -> OpenState:
        """Nothing known."""
        return OpenState(np.zeros(num_goals), np.zeros(num_goals), np.zeros(num_goals))

    def forget(self, state: OpenState, goals: npt.NDArray[np.bool_]) -> OpenState:
        """What is known of these goals."""
        return OpenState(*(np.where(goals, 0.0, known) for known in state))

    def update(self, state: OpenState, outcome: VisitOutcome) -> tuple[OpenState, Array]:
        """The openness of all goals, [goals]."""
        fading = 0.5 ** (1.0 / (self.memory * len(state.successes)))
        successes, failures = fading * state.successes, fading * state.failures
        squares = fading**2 * state.squares
        if not outcome.void:
            goal = outcome.goal
            c = competence(outcome, "certainty" if outcome.success is None else "success")
            successes[goal] = KEPT * successes[goal] + c
            failures[goal] = KEPT * failures[goal] + 1.0 - c
            squares[goal] = KEPT**2 * squares[goal] + 1.0
        state = OpenState(successes, failures, squares)
        weights = successes + failures
        known = weights > 0
        rates = np.divide(successes, weights, out=np.zeros_like(weights), where=known)
        # As many visits of equal weight would say as much.
        visits = np.divide(weights**2, squares, out=np.zeros_like(weights), where=known)
        if not differ(rates, visits):
            return state, np.ones(len(weights))
        return state, openness(successes, failures)
