"""The contract of a goal selector: which goal next? One learner, NumPy only.

A selector is a frozen setting. What it learns is a separate, visible state, taken and returned:

    state = selector.init(num_goals)
    goal = selector.select(state, generator)
    state = selector.update(state, VisitOutcome(goal, posteriors))

A visit is the time for which a goal is held: from one `select` to the next.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions, draws_many
from autotelic.selectors.memory import grown

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


def as_array(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The values as an array of NumPy, from whatever holds them in the memory of this machine (NumPy, JAX,
    torch, lists), or a refusal by name.
    """
    given: Any = values
    device = getattr(getattr(given, "device", None), "type", "cpu")  # a tensor of torch
    if device != "cpu":
        raise TypeError(f"{name} is a tensor on the device {device!r}: pass {name}.cpu()")
    try:
        return np.asarray(given.detach() if hasattr(given, "detach") else given)
    except ValueError as error:
        raise ValueError(f"{name} must be an array with rows of one length: {error}") from error
    except TypeError as error:
        raise TypeError(f"{name} must be an array of numbers: {error}") from error


def numbers(name: str, values: npt.ArrayLike) -> Array:
    """The values as an array of float64, or a refusal by name."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
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


def posteriors_of(goal: int, competences: Array, num_goals: int) -> Array:
    """Posteriors [steps, goals] for those who have none: the goal has its competence at every step, and the
    others share the rest.

    A single step counts twice, because posteriors are of two steps at least; a lone goal has 1.

    >>> posteriors_of(0, np.array([0.5, 1.0]), 3)
    array([[0.5 , 0.25, 0.25],
           [1.  , 0.  , 0.  ]])
    """
    if num_goals == 1:
        return np.ones((max(2, len(competences)), 1))
    if len(competences) == 1:
        competences = np.repeat(competences, 2)
    rows = np.repeat((1 - competences)[:, None] / (num_goals - 1), num_goals, axis=1)
    rows[:, goal] = competences
    return rows


class Results(NamedTuple):
    """What visits to several goals showed, those to one goal as one visit of several episodes; [n] each.

    Attributes:
        num_goals: |G|.
        goals: in increasing order, each once.
        success: in [0, 1], a mean over its episodes; the competence where no success was told.
        competence: how well each was pursued, in [0, 1]; the success where no competence was told.
        episodes: that success is the mean of, each a success or a failure; 0 where none was told.
        graded: the mean of c (1 - c) over visits of one episode: 0 where each succeeds or fails.
        visits: how many visits were told, 1 or more.
    """

    num_goals: int
    goals: npt.NDArray[np.int64]
    success: Array
    competence: Array
    episodes: npt.NDArray[np.int64]
    graded: Array
    visits: npt.NDArray[np.int64]

    def outcomes(self) -> Iterator[VisitOutcome]:
        """As one visit to each goal, with posteriors that say no more than its competence."""
        for index, goal in enumerate(self.goals):
            c, episodes = float(self.competence[index]), int(self.episodes[index])
            yield VisitOutcome(
                int(goal),
                posteriors_of(int(goal), np.array([c]), self.num_goals),
                success=float(self.success[index]) if episodes else None,
                competence=c,
                count=max(episodes, 1),
            )


class GoalSelector(ABC):
    """Which goal next? Subclass this, or compose a `Selector` from a signal and a rule.

    `init`, `update` and `selection_probabilities` have to be written. What is said of many goals under way
    at once (`ahead`, `drawn`, `learn`, `dropped`, `grown`) follows from these, if it need not be fast.

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

    @property
    def needs_posteriors(self) -> bool:
        """Whether it learns nothing from success or competence alone."""
        return False

    @property
    def even_share(self) -> float:
        """The share of p(g) that every goal has an even part of, whatever was told: the setting `floor`, if
        there is one; 0 if none is promised. Rounds come before it.
        """
        return float(getattr(self, "floor", 0.0))

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

    def ahead(
        self, state: Any, under_way: npt.NDArray[np.int64], open_: npt.NDArray[np.bool_]
    ) -> Any:
        """The state to draw from while so many visits to each goal are under way, [goals], and goals that are
        not open, [goals], are never to come: as it is, unless the selector counts visits.
        """
        del under_way, open_
        return state

    def drawn(
        self,
        state: Any,
        k: int,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
        generator: np.random.Generator,
        repeats: bool = False,
    ) -> tuple[npt.NDArray[np.int64], Any]:
        """`k` goals to practise at once, beside those under way, and the state when they are under way too.
        None comes twice unless k exceeds the goals that p(g) holds, or `repeats` are wanted: then each comes
        as often as p(g) says.
        """
        ahead = self.ahead(state, under_way, open_)
        if k == 1 and open_.all():
            return np.array([self.select(ahead, generator)]), state
        p = distributions.restricted(self.selection_probabilities(ahead), open_)
        return draws_many.independent(p, k, generator, repeats), state

    def learn(self, state: Any, results: Results) -> Any:
        """The state after results of visits, in no order, which were drawn by `drawn`."""
        for outcome in results.outcomes():
            state = self.update(state, outcome)
        return state

    def witness(self, state: Any, outcome: VisitOutcome) -> Any:
        """The state after a visit that was drawn by `drawn`: `update`."""
        return self.update(state, outcome)

    def dropped(self, state: Any, goals: npt.NDArray[np.int64]) -> Any:
        """The state when visits to these goals, which were under way, will not be told of."""
        del goals
        return state

    def grown(self, state: Any, num_goals: int) -> Any:
        """The state with as many goals; those that it did not know are as untried."""
        known = len(self.selection_probabilities(state))
        return grown(state, self.init(known), self.init(num_goals))


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
