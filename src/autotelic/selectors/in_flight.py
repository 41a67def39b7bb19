"""Many goals in flight: goals are drawn before earlier ones are told of, and results come in any order.

    flight = launched(selector, num_goals)
    flight, goals = drawn(selector, flight, k, generator)
    flight = told(flight, Told(goals, success, competence, counts))

Results are kept as they come, and learned from together when goals are drawn next: those of one goal are one
visit of several episodes. So what is learned does not depend on their order, nor on how they are divided
among calls; reading does not change it either.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.base import GoalSelector, Results, VisitOutcome
from autotelic.selectors.memory import grown as grown_alike

Goals = npt.NDArray[np.int64]
SEEN = 5
"""Visits that a goal's success rate, as it is reported, is a mean over."""


class Told(NamedTuple):
    """Results as they were told, [n] each.

    Attributes:
        goals: may be there several times.
        success, competence: in [0, 1]; the one stands in for the other where it was not told.
        counts: of episodes behind the success; 0 where no success was told.
    """

    goals: Goals
    success: Array
    competence: Array
    counts: Goals


class Seen(NamedTuple):
    """For those who watch: visits told of and the rate of success of late, [goals] each, NaN before the
    first; how many results were told of, and how many were useful, neither all right nor all wrong.
    """

    visits: Goals
    rates: Array
    results: int
    useful: int


class Flight(NamedTuple):
    """A selector's state with all that is under way.

    Attributes:
        state: the selector's, with all results but those `told`.
        under_way: visits drawn and not told of, [goals].
        retired: goals that are never to come again, [goals].
        told: results not learned from yet.
        seen: what `told` is not part of, as in `state`.
    """

    state: Any
    under_way: Goals
    retired: npt.NDArray[np.bool_]
    told: Told
    seen: Seen


def nothing_told() -> Told:
    """No results."""
    whole, real = np.empty(0, dtype=np.int64), np.empty(0)
    return Told(whole, real, real, whole)


def nothing_seen(num_goals: int) -> Seen:
    """No visits."""
    return Seen(np.zeros(num_goals, dtype=np.int64), np.full(num_goals, np.nan), 0, 0)


def launched(selector: GoalSelector, num_goals: int) -> Flight:
    """Nothing under way."""
    return Flight(
        selector.init(num_goals),
        np.zeros(num_goals, dtype=np.int64),
        np.zeros(num_goals, dtype=np.bool_),
        nothing_told(),
        nothing_seen(num_goals),
    )


def merged(told: Told, num_goals: int) -> Results:
    """Results by goal, whatever the order in which they were told."""
    order = np.lexsort((told.counts, told.competence, told.success, told.goals))
    success, competence, counts = told.success[order], told.competence[order], told.counts[order]
    goals, index, visits = np.unique(told.goals[order], return_inverse=True, return_counts=True)
    weights = np.maximum(counts, 1)
    episodes, all_weights = np.bincount(index, counts), np.bincount(index, weights)
    alone = np.where(counts <= 1, success * (1.0 - success), 0.0)
    return Results(
        num_goals,
        goals,
        np.bincount(index, weights * success) / all_weights,
        np.bincount(index, weights * competence) / all_weights,
        episodes.astype(np.int64),
        np.bincount(index, alone) / visits,
        visits,
    )


def learned(selector: GoalSelector, flight: Flight) -> Flight:
    """With all results learned from that were told."""
    if not len(flight.told.goals):
        return flight
    results = merged(flight.told, len(flight.under_way))
    state = selector.learn(flight.state, results)
    return flight._replace(state=state, told=nothing_told(), seen=_seen(flight.seen, flight.told))


def told(flight: Flight, results: Told) -> Flight:
    """After results of goals under way."""
    pairs: Any = zip(flight.told, results, strict=True)
    joined = Told(*(np.concatenate(pair) for pair in pairs))
    return flight._replace(under_way=_landed(flight, results.goals), told=joined)


def witnessed(selector: GoalSelector, flight: Flight, outcome: VisitOutcome) -> Flight:
    """After a visit to a goal under way that showed more than success: learned from at once."""
    flight = learned(selector, flight)
    c = float(outcome.certainty.mean()) if outcome.competence is None else outcome.competence
    rate = c if outcome.success is None else outcome.success
    counts = 0 if outcome.success is None else outcome.count
    one = Told(*(np.array([x]) for x in (outcome.goal, float(rate), float(c), counts)))
    return flight._replace(
        state=selector.witness(flight.state, outcome),
        under_way=_landed(flight, one.goals),
        seen=_seen(flight.seen, one),
    )


def drawn(
    selector: GoalSelector,
    flight: Flight,
    k: int,
    generator: np.random.Generator,
    repeats: bool = False,
) -> tuple[Flight, Goals]:
    """Under way to `k` more goals, and which they are, [k]."""
    flight = learned(selector, flight)
    goals, state = selector.drawn(
        flight.state, k, flight.under_way, ~flight.retired, generator, repeats
    )
    under_way = flight.under_way.copy()
    np.add.at(under_way, goals, 1)
    return flight._replace(state=state, under_way=under_way), goals


def abandoned(selector: GoalSelector, flight: Flight, goals: Goals) -> Flight:
    """After goals under way that will not be told of."""
    if not len(goals):
        return flight
    return flight._replace(
        state=selector.dropped(flight.state, goals), under_way=_landed(flight, goals)
    )


def retired(flight: Flight, goals: Goals) -> Flight:
    """Without these goals from now on; visits to them that are under way are not waited for."""
    gone = flight.retired.copy()
    gone[goals] = True
    return flight._replace(retired=gone, under_way=np.where(gone, 0, flight.under_way))


def grown(selector: GoalSelector, flight: Flight, num_goals: int) -> Flight:
    """With as many goals; those that it did not know are as untried."""
    flight = learned(selector, flight)
    before, after = (launched(selector, n) for n in (len(flight.under_way), num_goals))
    rest = (grown_alike(*each) for each in zip(flight[1:], before[1:], after[1:], strict=True))
    return Flight(selector.grown(flight.state, num_goals), *rest)


def selection_probabilities(selector: GoalSelector, flight: Flight) -> Array:
    """What the next goal is drawn from while others are under way, [goals]."""
    flight, open_ = learned(selector, flight), ~flight.retired
    ahead = selector.ahead(flight.state, flight.under_way, open_)
    return distributions.restricted(selector.selection_probabilities(ahead), open_)


def _landed(flight: Flight, goals: Goals) -> Goals:
    under_way = flight.under_way.copy()
    np.subtract.at(under_way, goals, 1)
    return under_way


def _seen(seen: Seen, results: Told) -> Seen:
    found = merged(results, len(seen.visits))
    goals = found.goals
    visits, rates = seen.visits.copy(), seen.rates.copy()
    visits[goals] += found.visits
    before = np.where(np.isnan(rates[goals]), 0.0, rates[goals])
    part = np.minimum(found.visits / np.minimum(visits[goals], SEEN), 1.0)
    rates[goals] = before + part * (found.success - before)
    useful = np.count_nonzero((results.success > 0) & (results.success < 1))
    return Seen(visits, rates, seen.results + len(results.goals), seen.useful + int(useful))
