"""How open is it whether the learner succeeds at a goal?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import competence

KEPT = 0.8  # of what a goal's earlier visits count, at each further one: five visits are seen
ON_THE_WAY = 0.5  # what it counts to be reached on the way to another goal, in visits
HOPE, DOUBT = 0.2, 0.1  # imagined success and failure at every goal
SHARPNESS = 4.0


def openness(successes: Array, failures: Array) -> Array:
    """(4 q (1 - q))^4 with q = (successes + 0.2) / (successes + failures + 0.3); [goals].

    Near 1 where success is a coin toss, near 0 where it always or never comes; between where nothing is
    known.

    >>> import numpy as np
    >>> openness(np.array([0.0, 2.0, 0.0, 4.0]), np.array([0.0, 2.0, 4.0, 0.0])).round(3)
    array([0.624, 0.998, 0.001, 0.   ])
    """
    rate = (successes + HOPE) / (successes + failures + HOPE + DOUBT)
    return (4.0 * rate * (1.0 - rate)) ** SHARPNESS


def unlikeness(rates: Array, visits: Array) -> float:
    """The share of the differences between goals' success rates that chance does not explain; in [0, 1).

    max(0, 1 - (n - 1) / X^2) with X^2 = sum_g visits_g (rate_g - mean)^2 / (mean (1 - mean)), which has
    the mean n - 1 if all n goals tried have one chance of success (Pearson's test of homogeneity).
    Shrinking by it is James and Stein's estimate.

    Args:
        rates: the success rate of each goal, [goals]; any number for one that was never tried.
        visits: the number of visits behind it, [goals].

    >>> import numpy as np
    >>> unlikeness(np.array([0.4, 0.6]), np.array([5.0, 5.0]))
    0.0
    >>> unlikeness(np.array([0.0, 1.0]), np.array([5.0, 5.0]))
    0.9
    """
    tried = visits > 0
    freedom = int(tried.sum()) - 1
    if freedom < 1:
        return 0.0
    rates, visits = rates[tried], visits[tried]
    mean = float(visits @ rates / visits.sum())
    chance = mean * (1.0 - mean)
    if chance < 1e-12:  # all succeed, or none
        return 0.0
    statistic = float(visits @ (rates - mean) ** 2) / chance
    return 1.0 - freedom / statistic if statistic > freedom else 0.0


class OpenState(NamedTuple):
    """Successes and failures at each goal, faded, and the squares of their weights; [goals] each."""

    successes: Array
    failures: Array
    squares: Array


@dataclass(frozen=True)
class OpenQuestion(Signal):
    """How much more than evenly a goal is to be practised: 1 + unlikeness (openness / mean openness - 1).

    A visit's success (competence or certainty, where there is no success) counts at once, and the goal's
    earlier ones by 0.8 of what they did. A goal that was reached on the way to another has succeeded in
    half a visit. What is known of every goal fades by half in `memory` rounds of |G| visits.
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
        """The values of all goals, [goals]; their mean is 1."""
        fading = 0.5 ** (1.0 / (self.memory * len(state.successes)))
        successes, failures, squares = (
            fading * state.successes,
            fading * state.failures,
            fading**2 * state.squares,
        )
        weights, rates = _trials(outcome)
        kept = KEPT**weights
        successes = kept * successes + weights * rates
        failures = kept * failures + weights * (1.0 - rates)
        squares = kept**2 * squares + weights**2
        state = OpenState(successes, failures, squares)
        total = successes + failures
        known = total > 0
        found = np.divide(successes, total, out=np.zeros_like(total), where=known)
        # As many visits of equal weight would say as much.
        visits = np.divide(total**2, squares, out=np.zeros_like(total), where=known)
        relative = openness(successes, failures)
        relative /= relative.mean()
        return state, 1.0 + unlikeness(found, visits) * (relative - 1.0)


def _trials(outcome: VisitOutcome) -> tuple[Array, Array]:
    """What a visit says of each goal: in how many visits' worth it was tried, and with which success;
    [goals] each.
    """
    num_goals = outcome.posteriors.shape[1]
    weights, rates = np.zeros(num_goals), np.zeros(num_goals)
    if outcome.reached is not None:
        on_the_way = outcome.reached.copy()
        if outcome.replaced is not None:
            on_the_way &= ~outcome.replaced
        weights[on_the_way], rates[on_the_way] = ON_THE_WAY, 1.0
    if not outcome.void:
        weights[outcome.goal] = 1.0
        source = "certainty" if outcome.success is None else "success"
        rates[outcome.goal] = competence(outcome, source)
    return weights, rates
