"""The contract of a goal selector: which goal next? One learner, NumPy only.

A selector is a frozen setting. What it learns is a separate, visible state, taken and returned:

    state = selector.init(num_goals)
    goal = selector.select(state, generator)
    state = selector.update(state, VisitOutcome(goal, posteriors))

A visit is the time for which a goal is held: from one `select` to the next.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions

ROW_SUM_TOLERANCE = 1e-3  # wide enough for posteriors computed in float16

# The optional evidence a selector may ask for, and the arguments that carry it.
EVIDENCE: dict[str, tuple[str, ...]] = {
    "probe": ("probe_before", "probe_after"),
    "probe_after": ("probe_after",),
    "success": ("success",),
    "values": ("values_before", "values_after"),
    "achieved": ("achieved", "places"),
    "value_spread": ("value_spread",),
    "replaced": ("replaced",),
    "reached": ("reached",),
}
# A visit without it is complete: no goal was exchanged, and nothing is known of goals on the way.
OPTIONAL = frozenset({"replaced", "reached"})


def check_posteriors(posteriors: npt.ArrayLike) -> Array:
    """The posteriors q(g|s_t) as float64 [steps, goals], or a refusal that says what is wrong with
    them.
    """
    array = numbers("posteriors", posteriors)
    if array.ndim != 2:
        raise ValueError(
            f"posteriors must have the shape [steps, goals], got the shape {array.shape}"
        )
    steps, goals = array.shape
    if steps < 2:
        raise ValueError(f"posteriors need at least two rows, one a step, got {steps}")
    if goals < 1:
        raise ValueError("posteriors need one column a goal, got none")
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise ValueError(f"posteriors must be finite; row {row} holds NaN or infinity")
    if array.min() < 0:
        row = int(array.min(axis=1).argmin())
        raise ValueError(
            f"posteriors must not be negative; row {row} holds {array[row].min():g}. "
            "Pass probabilities (after the softmax), not logits or log-probabilities"
        )
    excess = np.abs(array.sum(axis=1) - 1.0)
    if excess.max() > ROW_SUM_TOLERANCE:
        row = int(excess.argmax())
        raise ValueError(
            f"every row of posteriors must sum to 1 within {ROW_SUM_TOLERANCE:g}; row {row} sums "
            f"to {array[row].sum():g}. Pass probabilities (after the softmax) over all goals"
        )
    # The tolerance lets a probability of half precision exceed 1; an error must not be negative.
    return np.minimum(array, 1.0)


def numbers(name: str, values: npt.ArrayLike) -> Array:
    """The values as an array of float64, or a refusal by name."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array with rows of one length: {error}") from error
    if array.dtype.kind in "OSUMmc":
        raise TypeError(f"{name} must be an array of numbers, got the dtype {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def _check_certainties(name: str, values: npt.ArrayLike, num_goals: int) -> Array:
    array = numbers(name, values)
    if array.shape != (num_goals,):
        raise ValueError(
            f"{name} must have the shape [goals] = ({num_goals},), got the shape {array.shape}"
        )
    if np.any((array < 0) | (array > 1)):
        raise ValueError(
            f"{name} must hold certainties in [0, 1] (NaN for a goal without probe states)"
        )
    return array


def _check_values(name: str, values: npt.ArrayLike, num_goals: int) -> Array:
    array = numbers(name, values)
    if array.shape != (num_goals,) or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must hold a finite number for each goal, [goals] = ({num_goals},), got the shape "
            f"{array.shape}: {array}"
        )
    return array


def _check_spread(name: str, values: npt.ArrayLike, num_goals: int) -> Array:
    array = _check_values(name, values, num_goals)
    if array.min() < 0:
        raise ValueError(f"{name} must not be negative, got {array.min():g}: pass a deviation")
    return array


def _check_places(achieved: npt.ArrayLike, places: npt.ArrayLike, num_goals: int) -> None:
    """Refuse places that do not lie in one space, or are none."""
    reached, goals = np.shape(achieved), np.shape(places)
    if len(reached) != 2 or len(goals) != 2 or reached[1] != goals[1] or goals[1] < 1:
        raise ValueError(
            "achieved and places must have the shapes [n, dim] and [goals, dim] with the same dim, "
            f"got {reached} and {goals}"
        )
    if reached[0] < 1:
        raise ValueError(
            f"achieved needs at least one row, a place reached, got the shape {reached}"
        )
    if goals[0] != num_goals:
        raise ValueError(
            f"places must have one row for each of the {num_goals} goals, got the shape {goals}"
        )
    for name, array in (("achieved", achieved), ("places", places)):
        if not np.isfinite(array).all():
            row = int(np.argmin(np.isfinite(array).all(axis=1)))
            raise ValueError(f"{name} must be finite; row {row} holds NaN or infinity")


def _check_flags(name: str, flags: npt.ArrayLike, num_goals: int) -> npt.NDArray[np.bool_]:
    array = np.asarray(flags)
    if array.dtype != np.bool_ or array.shape != (num_goals,):
        raise ValueError(
            f"{name} must be booleans of the shape [goals] = ({num_goals},), got the dtype "
            f"{array.dtype} and the shape {array.shape}"
        )
    return array


@dataclass(frozen=True, eq=False)
class VisitOutcome:
    """What one visit of practice showed; valid by construction.

    Attributes:
        goal: the goal pursued.
        posteriors: q(g|s_t) for every step of the visit, [steps, goals], rows summing to 1.
            float16/32/64 are accepted and kept as float64.
        probe_before, probe_after: mean certainty q(g|s) on states kept from each goal's last visit,
            scored before and after the visit, [goals]; NaN for a goal of which no states are kept
            yet.
        success: the goal's success rate in [0, 1], where the task has one.
        values_before, values_after: V(s, g) of every goal from the visit's first state, as the agent
            values it before and after the visit, [goals].
        competence: how well the goal was pursued, in [0, 1], where that is more than the mean certainty.
        achieved: places in goal space reached during the visit, in order of time, [n, dim], n >= 1.
        places: where every goal is now, [goals, dim]; given with `achieved`.
        value_spread: the spread over an ensemble of critics of every goal's value from a start state,
            [goals], not negative.
        replaced: goals exchanged for others since the visit began, bool [goals]: what was known of
            them is void, this visit included. None means that none were.
        reached: goals that were reached at any time of the visit, whichever was pursued, bool [goals].
            None means that only the goal pursued was looked at.
        count: the number of episodes that `success` is the mean of, each a success or a failure. Leave
            it at 1 where success is graded.
    """

    goal: int
    posteriors: Array
    probe_before: Array | None = None
    probe_after: Array | None = None
    success: float | None = None
    values_before: Array | None = None
    values_after: Array | None = None
    competence: float | None = None
    achieved: Array | None = None
    places: Array | None = None
    value_spread: Array | None = None
    replaced: npt.NDArray[np.bool_] | None = None
    reached: npt.NDArray[np.bool_] | None = None
    count: int = 1

    def __post_init__(self) -> None:
        posteriors = check_posteriors(self.posteriors)
        _validate.integer("goal", self.goal, minimum=0)
        if self.goal >= posteriors.shape[1]:
            raise ValueError(
                f"goal {self.goal} is not among the {posteriors.shape[1]} goals of the posteriors"
            )
        object.__setattr__(self, "goal", int(self.goal))
        object.__setattr__(self, "posteriors", posteriors)
        for name in EVIDENCE["probe"]:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_certainties(name, value, posteriors.shape[1]))
        for name in EVIDENCE["values"]:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_values(name, value, posteriors.shape[1]))
        for name in ("success", "competence"):
            if getattr(self, name) is not None:
                _validate.number(name, getattr(self, name), minimum=0.0, maximum=1.0)
        _validate.integer("count", self.count, minimum=1)
        self._check_goal_space(posteriors.shape[1])

    def _check_goal_space(self, num_goals: int) -> None:
        given = [name for name in EVIDENCE["achieved"] if getattr(self, name) is not None]
        if len(given) == 1:
            raise ValueError(f"achieved and places come together, got {given[0]} alone")
        for name in given:
            object.__setattr__(self, name, numbers(name, getattr(self, name)))
        if self.achieved is not None and self.places is not None:
            _check_places(self.achieved, self.places, num_goals)
        if self.value_spread is not None:
            spread = _check_spread("value_spread", self.value_spread, num_goals)
            object.__setattr__(self, "value_spread", spread)
        for name in OPTIONAL:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_flags(name, value, num_goals))

    @property
    def void(self) -> bool:
        """Whether the goal pursued was exchanged: the visit then says nothing of the goal there is."""
        return self.replaced is not None and bool(self.replaced[self.goal])

    @property
    def on_the_way(self) -> npt.NDArray[np.bool_]:
        """Which goals were reached beside the one pursued, and not exchanged since, bool [goals]."""
        if self.reached is None:
            return np.zeros(self.posteriors.shape[1], dtype=np.bool_)
        found = self.reached.copy() if self.replaced is None else self.reached & ~self.replaced
        found[self.goal] = False
        return found

    @property
    def certainty(self) -> Array:
        """q(goal|s_t) of the pursued goal, [steps]."""
        return self.posteriors[:, self.goal]


class GoalSelector(ABC):
    """Which goal next? Subclass this, or compose a `Selector` from a signal and a rule.

    A state is a NamedTuple (or tuple, array, number) that no method changes in place.
    `check_selector` tests a selector against this contract.
    """

    #: Raise it when the layout of the state changes: a saved state of another version is refused.
    version: ClassVar[int] = 1

    @property
    def evidence(self) -> frozenset[str]:
        """The optional evidence that `update` needs: some keys of `EVIDENCE`."""
        return frozenset()

    @property
    def first_round(self) -> bool:
        """Whether the first |G| visits are promised to try each goal once."""
        return False

    def check(self, num_goals: int, steps: int) -> None:
        """Refuse settings that cannot work for this many goals and steps a visit; called before
        any work starts.
        """
        _validate.integer("num_goals", num_goals, minimum=1)
        _validate.integer("steps", steps, minimum=2)

    def caution(self, steps: int, episode_length: int) -> str:
        """What a user should know before work starts, with goals held for so many steps and episodes
        of that length; "" for nothing.
        """
        del steps, episode_length
        return ""

    @abstractmethod
    def init(self, num_goals: int) -> Any:
        """The state before the first visit."""

    @abstractmethod
    def update(self, state: Any, outcome: VisitOutcome) -> Any:
        """The state after a visit; the state given is left as it was."""

    @abstractmethod
    def selection_probabilities(self, state: Any) -> Array:
        """The distribution that the next goal is drawn from, [goals]; entries may be 0.

        With low-variance draws (see `draws`) it says what share of practice a goal gets, and the next
        goal is determined by it and by the past: one that is owed a visit may come when its entry is 0.
        """

    def prior(self, state: Any) -> Array:
        """p(g) for the reward log q(g|s) - log p(g), [goals]; positive everywhere."""
        return distributions.positive(self.selection_probabilities(state))

    def values(self, state: Any) -> Array:
        """The signal behind p(g), e.g. DP, [goals]; NaN where a goal was never tried."""
        return np.full(len(self.selection_probabilities(state)), np.nan)

    def select(self, state: Any, generator: np.random.Generator) -> int:
        """Draw the next goal from `selection_probabilities`; the generator is the only thing that
        moves.
        """
        return distributions.draw(self.selection_probabilities(state), generator)


def check_is_selector(selector: Any) -> None:
    """Refuse anything but a selector; a class with how to make one."""
    if not isinstance(selector, GoalSelector):
        hint = f"; make one: {selector.__name__}()" if isinstance(selector, type) else ""
        raise TypeError(f"selector must be a GoalSelector, got {selector!r}{hint}")


def check_columns(shape: tuple[int, ...], num_goals: int) -> None:
    """Refuse posteriors over another number of goals."""
    if len(shape) == 2 and shape[1] != num_goals:
        raise ValueError(
            f"posteriors must have one column for each of the {num_goals} goals, "
            f"got {shape[1]} columns"
        )


def check_evidence(selector: GoalSelector, outcome: VisitOutcome) -> None:
    """Refuse an outcome without the evidence that the selector needs."""
    for kind in sorted(selector.evidence - OPTIONAL):
        missing = [name for name in EVIDENCE[kind] if getattr(outcome, name) is None]
        if missing:
            raise ValueError(
                f"{type(selector).__name__} needs the argument {' and '.join(missing)}: pass "
                f"{', '.join(f'{name}=...' for name in missing)} with the posteriors of each visit"
            )
