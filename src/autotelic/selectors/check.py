"""`check_selector`: test a selector, ours or yours, against the contract."""

import json
from typing import Any

import numpy as np

from autotelic import _streams
from autotelic._types import Array
from autotelic.selectors import draws
from autotelic.selectors.base import GoalSelector, VisitOutcome, check_is_selector
from autotelic.selectors.check_flight import check_flight
from autotelic.selectors.state import encode, state_from_json, state_to_json

DEFICIT_TOLERANCE = 1e-6  # probabilities may sum to 1 within 1e-9 a visit only


def _fault(selector: GoalSelector, message: str) -> ValueError:
    return ValueError(
        f"{type(selector).__name__} breaks the contract of a goal selector: {message}"
    )


def _check_distribution(selector: GoalSelector, name: str, p: Any, num_goals: int) -> None:
    if not isinstance(p, np.ndarray) or p.dtype != np.float64 or p.shape != (num_goals,):
        raise _fault(
            selector, f"{name} must be a float64 array of the shape ({num_goals},), got {p!r}"
        )
    if not np.isfinite(p).all():
        raise _fault(selector, f"{name} must be finite, got {p}")
    if p.min() < 0:
        raise _fault(selector, f"{name} must not be negative, got {p.min():g}")
    if abs(p.sum() - 1.0) > 1e-9:
        raise _fault(selector, f"{name} must sum to 1 within 1e-9, got {p.sum()!r}")
    if name == "prior" and p.min() <= 0:
        raise _fault(selector, "prior must be positive everywhere: the reward holds -log p(g)")


def _check_state(selector: GoalSelector, state: Any, num_goals: int) -> None:
    """Both distributions are distributions, and the values have their shape."""
    _check_distribution(
        selector, "selection_probabilities", selector.selection_probabilities(state), num_goals
    )
    _check_distribution(selector, "prior", selector.prior(state), num_goals)
    if np.shape(selector.values(state)) != (num_goals,):
        raise _fault(
            selector,
            f"values must have the shape ({num_goals},), got {np.shape(selector.values(state))}",
        )


def _same(a: Any, b: Any) -> bool:
    """Whether two states are equal in value and type, bit for bit."""
    return _kinds(a) == _kinds(b) and json.dumps(encode(a)) == json.dumps(encode(b))


def _kinds(state: Any) -> Any:
    """The types of all tuples in a state, which JSON does not hold."""
    if isinstance(state, tuple):
        return type(state), [_kinds(item) for item in state]
    return isinstance(state, np.ndarray)


def _posteriors(num_goals: int, steps: int, generator: np.random.Generator, extreme: bool) -> Array:
    if extreme:  # exactly 0 and 1
        return np.eye(num_goals)[generator.integers(num_goals, size=steps)]
    weights = generator.exponential(size=(steps, num_goals))
    return weights / weights.sum(axis=1, keepdims=True)


def _outcome(
    goal: int,
    num_goals: int,
    steps: int,
    generator: np.random.Generator,
    *,
    extreme: bool,
    replacing: bool,
) -> VisitOutcome:
    return VisitOutcome(
        goal,
        _posteriors(num_goals, steps, generator, extreme),
        probe_before=generator.random(num_goals),
        probe_after=generator.random(num_goals),
        success=float(generator.random()),
        # Of any size; at the extreme some goals are worth the same.
        values_before=generator.normal(scale=100.0, size=num_goals),
        values_after=np.zeros(num_goals) if extreme else generator.normal(size=num_goals),
        # At the extreme all goals are at one place, which is where the learner stays.
        achieved=np.zeros((1, 2)) if extreme else generator.normal(size=(steps, 2)),
        places=np.zeros((num_goals, 2)) if extreme else generator.normal(size=(num_goals, 2)),
        value_spread=np.zeros(num_goals) if extreme else generator.exponential(size=num_goals),
        replaced=generator.random(num_goals) < 0.2 if replacing else None,
        reached=generator.random(num_goals) < 0.3,
        count=1 + goal % 3,
    )


def _has_low_variance(selector: GoalSelector) -> bool:
    return isinstance(selector, draws.AccountingSelector) and selector.low_variance


def _check_draw(selector: GoalSelector, state: Any, goal: int, deficits: Array) -> None:
    """A goal of probability 0 is not drawn; visits drawn with low variance follow the shares."""
    if not _has_low_variance(selector):
        if selector.selection_probabilities(state)[goal] == 0:
            raise _fault(
                selector, f"select chose goal {goal}, which has the selection probability 0"
            )
        return
    low, high = draws.bounds(len(deficits))
    if deficits.min() < low - DEFICIT_TOLERANCE or deficits.max() > high + DEFICIT_TOLERANCE:
        raise _fault(
            selector,
            f"with low-variance draws a goal's cumulated shares less its visits must lie in "
            f"[{low:.4g}, {high:.4g}], got {deficits}",
        )


def _run(
    selector: GoalSelector,
    num_goals: int,
    visits: int,
    steps: int,
    seed: int,
    *,
    extreme: bool = False,
) -> tuple[list[int], Any]:
    """Visits on random evidence, checking every state; the goals chosen and the last state."""
    goal_generator = _streams.generator("goals", seed)
    generator = _streams.generator("posteriors of a check", seed)
    state = selector.init(num_goals)
    _check_state(selector, state, num_goals)
    goals: list[int] = []
    deficits = np.zeros(num_goals)
    for visit in range(visits):
        goal = selector.select(state, goal_generator)
        if not isinstance(goal, int) or not 0 <= goal < num_goals:
            raise _fault(selector, f"select must return an int in [0, {num_goals}), got {goal!r}")
        if isinstance(selector, draws.AccountingSelector):
            deficits = draws.settled(deficits, selector.shares(state), goal)
        _check_draw(selector, state, goal, deficits)
        goals.append(goal)
        replacing = visit >= 3 * num_goals
        outcome = _outcome(goal, num_goals, steps, generator, extreme=extreme, replacing=replacing)
        before = json.dumps(encode(state))
        after = selector.update(state, outcome)
        if json.dumps(encode(state)) != before:
            raise _fault(
                selector, "update must leave the state it was given untouched; return a new one"
            )
        state = after
        _check_state(selector, state, num_goals)
    return goals, state


def _check_json(selector: GoalSelector, state: Any) -> None:
    text = json.dumps(state_to_json(selector, state), allow_nan=False)
    if not _same(state_from_json(selector, json.loads(text)), state):
        raise _fault(
            selector, "a state must survive JSON; build it of named tuples, arrays and numbers"
        )


def check_selector(selector: GoalSelector, *, steps: int = 1000) -> None:
    """Test a goal selector against the contract; raises with what is wrong, returns nothing when
    all is well.

    Probabilities are finite and sum to 1; `prior` is positive; a promised first round visits each
    goal once; the same seed gives the same goals; `update` leaves its input untouched; a state
    survives JSON; 1, 2 and 1000 goals work; posteriors of exactly 0 and 1, goals at one place and
    goals exchanged for others are no trouble; and visits drawn with low variance keep to the bounds
    that `autotelic.selectors.draws` states.

    With many goals in flight: a batch has no goal twice unless it is of more than p(g) holds; what is in
    flight counts as visited; results that are lost change nothing; the state is a function of what was told,
    whatever its order and however it is divided among calls; a floor is a share of p(g), whatever the
    counts; two that are told the same choose the same; a state restored at any step gives the same rest.

    Args:
        selector: the selector to test.
        steps: the steps of a visit that it is tested with.

    >>> import autotelic as at
    >>> at.check_selector(at.DiversityProgress(offset=5, smoothing=5), steps=20)
    """
    check_is_selector(selector)
    for num_goals in (1, 2, 5):
        selector.check(num_goals, steps)
        for extreme in (False, True):
            goals, state = _run(selector, num_goals, 6 * num_goals, steps, seed=0, extreme=extreme)
            again, _ = _run(selector, num_goals, 6 * num_goals, steps, seed=0, extreme=extreme)
            if goals != again:
                raise _fault(
                    selector, f"the same seed must give the same goals, got {goals} and {again}"
                )
            if selector.first_round and sorted(goals[:num_goals]) != list(range(num_goals)):
                raise _fault(
                    selector,
                    f"its first round must visit each goal once, but chose {goals[:num_goals]}",
                )
            _check_json(selector, state)
    _, state = _run(selector, 1000, 3, steps, seed=0)
    _check_json(selector, state)
    check_flight(selector)
