"""How open is it whether the learner succeeds at a goal?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import competence

KEPT = 0.8  # of what a goal's earlier visits count, at each further one: five visits are seen
ON_THE_WAY = 0.5  # what it counts to be reached on the way to another goal, in visits
MOST = 18.0  # times that differences may exceed chance: as many visits of one episode at most show
HOPE, DOUBT = 0.2, 0.1  # imagined success and failure at every goal
SHARPNESS = 4.0
LONG = 10_000


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


def unlikeness(rates: Array, trials: Array, graded: npt.ArrayLike = 0.0) -> float:
    """The share of the differences between goals' success rates that chance does not explain; in [0, 1).

    max(0, 1 - (n - 1) / X^2) with X^2 = sum_g trials_g (rate_g - mean)^2 / variance. The variance is that
    of all trials around the common mean: mean (1 - mean) if each succeeds or fails, and less if success
    is graded. X^2 has the mean n - 1 if all n goals tried are alike (Pearson's test of homogeneity).
    Shrinking by it is James and Stein's estimate. More than 18 for each goal does not count, so that
    some practice stays even, however much goals differ.

    Args:
        rates: the success rate of each goal, [goals]; any number for one that was never tried.
        trials: the number of trials behind it, [goals].
        graded: the mean of c (1 - c) over them, [goals]: 0 where each succeeds or fails.

    >>> import numpy as np
    >>> unlikeness(np.array([0.4, 0.6]), np.array([5.0, 5.0]))
    0.0
    >>> graded = unlikeness(np.array([0.4, 0.6]), np.array([5.0, 5.0]), graded=0.24)  # always so
    >>> round(graded, 9)
    0.9
    >>> unlikeness(np.array([0.0, 1.0]), np.array([5.0, 5.0]))
    0.9
    """
    tried = trials > 0
    freedom = int(tried.sum()) - 1
    if freedom < 1:
        return 0.0
    graded = np.broadcast_to(graded, rates.shape)[tried]
    rates, trials = rates[tried], trials[tried]
    mean = _dot(trials, rates) / float(trials.sum())
    variance = mean * (1.0 - mean) - _dot(trials, graded) / float(trials.sum())
    if variance < 1e-12:  # all are as successful
        return 0.0
    statistic = min(_dot(trials, (rates - mean) ** 2) / variance, MOST * len(rates))
    return 1.0 - freedom / statistic if statistic > freedom else 0.0


def _dot(a: Array, b: Array) -> float:
    """a @ b; of long ones not by BLAS, whose threads wait for each other where cores are busy."""
    return float(a @ b if len(a) <= LONG else (a * b).sum())


class OpenState(NamedTuple):
    """Successes and failures at each goal, in visits, faded; the squares of their weights, over the
    episodes of each visit; and c (1 - c) of visits whose success was graded. [goals] each.
    """

    successes: Array
    failures: Array
    squares: Array
    graded: Array


@dataclass(frozen=True)
class OpenQuestion(Signal):
    """How much more than evenly a goal is to be practised: 1 + unlikeness (openness / mean openness - 1).

    A visit's success (competence or certainty, where there is no success) counts at once, and the goal's
    earlier ones by 0.8 of what they did. A goal that was reached on the way to another has succeeded in
    half a visit, unless `reached` is off. What is known of every goal fades by half in `memory` rounds
    of |G| visits. The more episodes a visit has, the surer its success, and the less of the differences
    between goals is held to be chance; of graded success that is told by how it varies.
    """

    memory: float = 10.0
    reached: bool = True

    def __post_init__(self) -> None:
        _validate.number("memory", self.memory, above=0.0)
        _validate.boolean("reached", self.reached)

    def untried(self, num_goals: int) -> float:
        """1."""
        del num_goals
        return 1.0

    def init(self, num_goals: int) -> OpenState:
        """Nothing known."""
        return OpenState(*np.zeros((4, num_goals)))

    def forget(self, state: OpenState, goals: npt.NDArray[np.bool_]) -> OpenState:
        """What is known of these goals."""
        return OpenState(*(np.where(goals, 0.0, known) for known in state))

    def update(self, state: OpenState, outcome: VisitOutcome) -> tuple[OpenState, Array]:
        """The values of all goals, [goals]; their mean is 1."""
        weights, rates, counts = self._trials(outcome)
        # A mean of several episodes varies by chance alone; a single success between 0 and 1 is graded.
        graded = np.where(counts == 1, rates * (1.0 - rates), 0.0)
        kept = KEPT**weights
        state = self._told(state, kept, weights, weights**2 / counts, rates, graded, visits=1)
        return state, _values(state)

    def learn(self, state: OpenState, results: Results) -> tuple[OpenState, Array]:
        """The same after visits to several goals: visits to one goal as if each had had their mean success,
        one after the other.
        """
        kept = np.ones(results.num_goals)
        weights, squares, rates, graded = np.zeros((4, results.num_goals))
        own, visits = results.goals, results.visits
        kept[own] = KEPT**visits
        weights[own] = (1.0 - kept[own]) / (1.0 - KEPT)
        each = np.maximum(results.episodes, visits) / visits
        squares[own] = (1.0 - kept[own] ** 2) / (1.0 - KEPT**2) / each
        rates[own], graded[own] = results.success, results.graded
        state = self._told(state, kept, weights, squares, rates, graded, visits=int(visits.sum()))
        return state, _values(state)

    def ahead(self, state: OpenState, values: Array, under_way: npt.NDArray[np.int64]) -> Array:
        """A goal is no more open than it would be if all visits to it that are under way succeeded: the
        first of them may be all that it takes.
        """
        del values
        return _values(state, under_way)

    def _told(
        self,
        state: OpenState,
        kept: Array,
        weights: Array,
        squares: Array,
        rates: Array,
        graded: Array,
        visits: int,
    ) -> OpenState:
        """What is known after visits that showed success rates, each of so much weight, [goals]."""
        fading = 0.5 ** (visits / (self.memory * len(state.successes)))
        return OpenState(
            kept * (fading * state.successes) + weights * rates,
            kept * (fading * state.failures) + weights * (1.0 - rates),
            kept**2 * (fading**2 * state.squares) + squares,
            kept * (fading * state.graded) + weights * graded,
        )

    def _trials(self, outcome: VisitOutcome) -> tuple[Array, Array, Array]:
        """What a visit says of each goal: in how many visits' worth it was tried, with which success, and
        in how many episodes; [goals] each.
        """
        weights, rates, counts = np.zeros((3, outcome.posteriors.shape[1]))
        counts += 1.0
        if self.reached:
            on_the_way = outcome.on_the_way
            weights[on_the_way], rates[on_the_way] = ON_THE_WAY, 1.0
        if not outcome.void:
            own, by_success = outcome.goal, outcome.success is not None
            weights[own] = 1.0
            rates[own] = competence(outcome, "success" if by_success else "certainty")
            counts[own] = outcome.count if by_success else 1
        return weights, rates, counts


def _values(state: OpenState, under_way: npt.ArrayLike = 0) -> Array:
    """How much more than evenly each goal is to be practised, [goals], with so many visits under way."""
    successes, failures, squares, graded = state
    total = successes + failures
    known = total > 0
    found = np.divide(successes, total, out=np.zeros_like(total), where=known)
    # As many trials of equal weight would say as much.
    trials = np.divide(total**2, squares, out=np.zeros_like(total), where=known)
    graded = np.divide(graded, total, out=np.zeros_like(total), where=known)
    relative = openness(successes, failures)
    if np.any(under_way):
        kept = KEPT ** np.asarray(under_way)
        mastered = kept * successes + (1.0 - kept) / (1.0 - KEPT)
        relative = np.minimum(relative, openness(mastered, kept * failures))
    relative /= relative.mean()
    return 1.0 + unlikeness(found, trials, graded) * (relative - 1.0)
