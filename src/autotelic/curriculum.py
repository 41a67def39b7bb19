"""Curriculum: a selector, its state, a random generator and what is in flight in one object, for any training
loop: one goal at a time, or thousands.
"""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, cast, overload

import numpy as np
import numpy.typing as npt

from autotelic import _streams, _validate
from autotelic._documents import Within, fit
from autotelic._types import Array
from autotelic.selectors import in_flight
from autotelic.selectors.base import (
    EVIDENCE,
    OPTIONAL,
    GoalSelector,
    VisitOutcome,
    as_array,
    check_columns,
    check_evidence,
    check_is_selector,
    numbers,
    posteriors_of,
)
from autotelic.selectors.distributions import effective_number_of_skills
from autotelic.selectors.draws import AccountingSelector
from autotelic.selectors.in_flight import Flight, Goals, Seen, Told
from autotelic.selectors.state import decode, encode, state_from_json, state_to_json

MASTERED, HOPELESS, ENOUGH = 0.9, 0.1, 3
"""Success rates above and below which `metrics` counts goals so, after as many visits."""


class _Saved(NamedTuple):
    """What a saved curriculum has beside its selector's state: goals in flight, as often as they are, and
    goals retired, by their numbers.
    """

    in_flight: Goals
    retired: Goals
    told: Told
    seen: Seen


class Curriculum:
    """Decides which goals to practise next: `select`, practise, `update`, repeat.

    One goal at a time, with what the discriminator said of each step:

    >>> from autotelic import AutoSelector, Curriculum, RoundRobin
    >>> curriculum = Curriculum(RoundRobin(), num_goals=3, seed=0)
    >>> goals = []
    >>> for visit in range(3):
    ...     goals.append(curriculum.select())
    ...     curriculum.update([[0.2, 0.3, 0.5]] * 10)
    >>> sorted(goals)
    [0, 1, 2]

    Or many, whose results come in any order, some of them never:

    >>> curriculum = Curriculum(AutoSelector(), num_goals=1000, seed=0)
    >>> goals = curriculum.select(64)
    >>> curriculum.update(goals[32:], success=[0.5] * 32, counts=8)  # of eight episodes each
    >>> curriculum.update(goals[:20], success=[0.0] * 20)
    >>> curriculum.abandon(goals[20:32])
    >>> len(curriculum.in_flight)
    0

    Args:
        selector: how goals are chosen, e.g. `DiversityProgress()`.
        num_goals: the number of goals, |G|.
        seed: of the random draws: the same seed gives the same goals for the same results. The
            stream is the curriculum's own: an environment or agent with the same seed shares no draw.
    """

    def __init__(self, selector: GoalSelector, num_goals: int, seed: int = 0):
        check_is_selector(selector)
        _validate.integer("num_goals", num_goals, minimum=1)
        _validate.seed("seed", seed)
        self._selector = selector
        self._flight = in_flight.launched(selector, int(num_goals))
        self._learned: Flight | None = None
        self._generator = _streams.generator("goals", seed)

    @property
    def selector(self) -> GoalSelector:
        """The selector: a frozen setting."""
        return self._selector

    @property
    def state(self) -> Any:
        """The selector's state: a value that nothing changes in place."""
        return self._now.state

    @property
    def num_goals(self) -> int:
        """The number of goals, |G|, retired ones among them."""
        return len(self._flight.under_way)

    @property
    def goal(self) -> int | None:
        """The goal being practised, selected and not yet updated, if it is one."""
        goals = self.in_flight
        return int(goals[0]) if len(goals) == 1 else None

    @property
    def in_flight(self) -> Goals:
        """The goals selected and not yet told of, in increasing order, each as often as it is."""
        return np.repeat(np.arange(self.num_goals), self._flight.under_way)

    @property
    def prior(self) -> Array:
        """p(g) for the reward log q(g|s) - log p(g), [goals]; positive everywhere."""
        return self._selector.prior(self.state)

    @property
    def selection_probabilities(self) -> Array:
        """The distribution that the next goal is drawn from, [goals].

        With low-variance draws it is what share of practice each goal gets, and the past decides with
        it (see `GoalSelector.selection_probabilities`).
        """
        return in_flight.selection_probabilities(self._selector, self._now)

    @property
    def values(self) -> Array:
        """The signal behind p(g), e.g. DP, [goals]; NaN where a goal was never tried."""
        return self._selector.values(self.state)

    @property
    def _now(self) -> Flight:
        """With all that was told learned from; what is kept does not change by that."""
        if self._learned is None:
            self._learned = in_flight.learned(self._selector, self._flight)
        return self._learned

    def _become(self, flight: Flight) -> None:
        self._flight, self._learned = flight, None

    @overload
    def select(self) -> int: ...

    @overload
    def select(self, k: int, *, repeats: bool = False) -> Goals: ...

    def select(self, k: int | None = None, *, repeats: bool = False) -> int | Goals:
        """Draw goals to practise next; they are in flight until they are told of.

        Args:
            k: how many, as an array. Without it one goal, alone: called again before `update`, it
                draws again, and the first goal is dropped.
            repeats: whether a goal may come several times in the `k`: then each comes as often as p(g)
                says. Otherwise none does as long as p(g) holds `k` goals. Say so for environments that
                may be more than the goals.
        """
        open_ = int(np.count_nonzero(~self._flight.retired))
        if not open_:
            raise ValueError("there is no goal left to select: all are retired; add some")
        if k is None:
            if len(waiting := self.in_flight) > 1:
                raise ValueError(
                    f"{len(waiting)} goals are in flight, and select() holds one alone: say how many "
                    "more by select(k), or abandon those"
                )
            self._become(in_flight.abandoned(self._selector, self._now, waiting))
            return int(self._drawn(1, False)[0])
        _validate.integer("k", k, minimum=1)
        if k > open_ and not repeats:
            raise ValueError(
                f"k must be at most {open_}, the number of goals to select from, got {k}; say "
                "repeats=True where a goal may come several times"
            )
        return self._drawn(int(k), repeats)

    def _drawn(self, k: int, repeats: bool) -> Goals:
        flight, goals = in_flight.drawn(self._selector, self._now, k, self._generator, repeats)
        self._become(flight)
        return goals

    def update(
        self,
        goals: npt.ArrayLike | None = None,
        *,
        success: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        competence: npt.ArrayLike | None = None,
        posteriors: npt.ArrayLike | None = None,
        probe_before: npt.ArrayLike | None = None,
        probe_after: npt.ArrayLike | None = None,
        values_before: npt.ArrayLike | None = None,
        values_after: npt.ArrayLike | None = None,
        achieved: npt.ArrayLike | None = None,
        places: npt.ArrayLike | None = None,
        value_spread: npt.ArrayLike | None = None,
        replaced: npt.ArrayLike | None = None,
        reached: npt.ArrayLike | None = None,
        count: int | None = None,
    ) -> None:
        """Learn from visits. A refusal leaves everything as it was.

        `update(goals, success=...)` tells of some of the goals in flight, in any order, several times for a
        goal that is in flight so often. `update(posteriors)` tells of the one goal that `select()` gave.

        What is given for `goals` has a row for each of them; for a single goal, `update(7, success=1.0)`,
        it has none. Most selectors need success alone. What shows more is learned from goal by goal; success
        and competence of all goals told of between two draws at once, whatever their order.

        Args:
            goals: [n] in flight; or the posteriors of the one goal in flight.
            success: their success rates in [0, 1], [n].
            counts: the number of episodes behind each success rate, [n] or one number; 1 where success
                is graded.
            competence: how well the goals were pursued, in [0, 1], [n], where something better than the mean
                certainty q(g|s) is known; selectors by competence then take it.
            posteriors: q(g|s_t) at every step of the visits, [n, steps, num_goals], rows summing to 1.
            probe_before: mean certainty q(g|s) on states kept of each goal before the visit,
                [num_goals], for selectors with `reference="probe"`; NaN for a goal of which none
                are kept.
            probe_after: the same states scored after the visit.
            values_before: V(s, g) of every goal from the visit's first state, [num_goals], as the agent
                values it before the visit, for selectors with `ValueRegret`.
            values_after: the same as valued after the visit.
            achieved: places in goal space reached during the visit, in order of time, [steps, dim], for
                selectors of goals with places; `AutoSelector` takes them where they are given.
            places: where every goal is now, [num_goals, dim], the same for all visits; given with
                `achieved`.
            value_spread: the spread over an ensemble of critics of every goal's value from a start
                state, [num_goals], for `ValueDisagreement`.
            replaced: which goals were exchanged for others since the visit began, bool [num_goals]:
                they are as untried from now on. None if none were.
            reached: which goals were reached at any time of the visit, whichever was pursued, bool
                [num_goals]; `AutoSelector` takes it where it is given, and so do selectors by success
                with `reached=True`.
            count: `counts` of `update(posteriors)`.
        """
        beside = {
            "probe_before": probe_before,
            "probe_after": probe_after,
            "values_before": values_before,
            "values_after": values_after,
            "achieved": achieved,
            "places": places,
            "value_spread": value_spread,
            "replaced": replaced,
            "reached": reached,
        }
        beside = {name: value for name, value in beside.items() if value is not None}
        first = None if goals is None else as_array("posteriors", goals)
        if first is None or first.ndim > 1:
            given = [number for number in (count, counts, 1) if number is not None]
            told = {"success": success, "competence": competence, "count": given[0]}
            self._update_alone(posteriors if first is None else first, {**beside, **told})
            return
        own = self._landing("goals", first)
        if count is not None:
            raise TypeError("count is of update(posteriors): for goals say counts=...")
        rows = _Rows(first.ndim == 0, len(own))
        found = {"success": success, "competence": competence}
        rates = {
            name: rows.rates(name, values, own)
            for name, values in found.items()
            if values is not None
        }
        episodes = rows.counts(counts)
        if posteriors is None and not rates:
            raise ValueError(
                "update needs to know how the goals went: pass success=[...] in [0, 1], one for each"
            )
        if posteriors is None and not beside:
            self._check_enough(rates)
            some = next(iter(rates.values()))
            counted = episodes if "success" in rates else np.zeros_like(episodes)
            told = Told(own, rates.get("success", some), rates.get("competence", some), counted)
            self._become(in_flight.told(self._flight, told))
            return
        flight = self._flight
        for outcome in self._outcomes(own, rows, rates, episodes, posteriors, beside):
            flight = in_flight.witnessed(self._selector, flight, outcome)
        self._become(flight)

    def _update_alone(self, posteriors: npt.ArrayLike | None, told: dict[str, Any]) -> None:
        """Of the one goal in flight."""
        goals = self.in_flight
        if posteriors is None:
            raise TypeError("update needs goals, or the posteriors of the one goal in flight")
        if len(goals) != 1:
            raise ValueError(
                "update needs a goal to credit: call select() first, once for each update"
                if not len(goals)
                else f"{len(goals)} goals are in flight: say of which by update(goals, posteriors=...)"
            )
        outcome = self._outcome(int(goals[0]), numbers("posteriors", posteriors), told)
        self._become(in_flight.witnessed(self._selector, self._flight, outcome))

    def _outcome(self, goal: int, posteriors: Array, told: dict[str, Any]) -> VisitOutcome:
        check_columns(posteriors.shape, self.num_goals)
        told = {
            name: value
            if name in ("success", "competence", "count")
            else (as_array if name in OPTIONAL else numbers)(name, value)
            for name, value in told.items()
        }
        outcome = VisitOutcome(goal, posteriors, **told)
        check_evidence(self._selector, outcome)
        return outcome

    def _outcomes(
        self,
        goals: Goals,
        rows: "_Rows",
        rates: dict[str, Array],
        episodes: Goals,
        posteriors: npt.ArrayLike | None,
        beside: dict[str, Any],
    ) -> Iterator[VisitOutcome]:
        """Visits that showed more than success, goal by goal."""
        shown = None if posteriors is None else rows.of("posteriors", posteriors)
        parts = {n: value if n == "places" else rows.of(n, value) for n, value in beside.items()}
        for index in np.argsort(goals, kind="stable"):
            goal = int(goals[index])
            told: dict[str, Any] = {name: float(values[index]) for name, values in rates.items()}
            told |= {n: v if n == "places" else v[index] for n, v in parts.items()}
            told["count"] = int(episodes[index]) if "success" in rates else 1
            if shown is None:
                c = told["competence"] if "competence" in told else told["success"]
                told["competence"] = c
                own = posteriors_of(goal, np.array([c]), self.num_goals)
            else:
                own = numbers("posteriors", shown[index])
            yield self._outcome(goal, own, told)

    def _check_enough(self, rates: dict[str, Array]) -> None:
        """Refuse to go on by success alone if the selector needs more."""
        needed = self._selector.evidence - OPTIONAL - rates.keys()
        missing = [name for kind in sorted(needed) for name in EVIDENCE[kind]]
        missing += ["posteriors"] * self._selector.needs_posteriors
        if missing:
            raise ValueError(
                f"{type(self._selector).__name__} needs the argument {' and '.join(missing)}: pass "
                f"{', '.join(f'{name}=...' for name in missing)}, a row for each goal"
            )

    def _landing(self, name: str, given: npt.ArrayLike) -> Goals:
        """Numbers of goals that are in flight at least as often, [n]."""
        goals = self._known(name, given)
        told = np.bincount(goals, minlength=self.num_goals)
        if len(wrong := np.flatnonzero(told > self._flight.under_way)):
            goal, times = int(wrong[0]), int(self._flight.under_way[wrong[0]])
            if self._flight.retired[goal]:
                raise ValueError(f"goal {goal} is retired: leave it out of {name}")
            said = (
                "not in flight" if not times else f"in flight {times}x, and told of {told[goal]}x"
            )
            raise ValueError(
                f"goal {goal} is {said}: {name} must have been selected, and not told of since"
            )
        return goals

    def _known(self, name: str, given: npt.ArrayLike) -> Goals:
        """Numbers of goals that there are, [n]."""
        array = as_array(name, given)
        if array.ndim == 1 and array.dtype.kind == "f" and array.size:
            raise ValueError(
                f"{name} must be whole numbers [n]; posteriors must have the shape [steps, goals], got "
                f"{len(array)} numbers of {array.dtype}"
            )
        if array.ndim > 1 or (array.dtype.kind not in "iu" and array.size):
            raise TypeError(
                f"{name} must be whole numbers [n], got the dtype {array.dtype} and the shape "
                f"{array.shape}"
            )
        if array.size and (array.min() < 0 or array.max() >= self.num_goals):
            wrong = array.min() if array.min() < 0 else array.max()
            raise ValueError(f"{name} must lie in [0, {self.num_goals}), got {wrong}")
        return np.atleast_1d(array).astype(np.int64)

    def abandon(self, goals: npt.ArrayLike) -> None:
        """Goals in flight whose results will never come: it is as if they had not been selected."""
        goals = self._landing("goals", goals)
        self._become(in_flight.abandoned(self._selector, self._flight, goals))

    def retire(self, goals: npt.ArrayLike) -> None:
        """Goals that are never to be selected again; results of those in flight are not waited for, and
        refused. All keep their numbers.
        """
        self._become(in_flight.retired(self._flight, self._known("goals", goals)))

    def add(self, n: int) -> Goals:
        """So many goals more, as untried; their numbers, which follow those that there are."""
        known = self.num_goals
        _validate.integer("n", n, minimum=1, maximum=_validate.LARGEST - known)
        self._become(in_flight.grown(self._selector, self._flight, known + int(n)))
        return np.arange(known, known + n)

    def metrics(self) -> dict[str, float]:
        """What to plot: of all goals but retired ones, the share never tried, mastered (success above 0.9 of
        late) and hopeless (below 0.1, after three visits); the effective number of goals and the largest
        p(g); how many are in flight and were told of, and which share of that was neither all right nor all
        wrong, so that there was something to learn.
        """
        flight, p = self._now, self.selection_probabilities
        open_, seen = ~flight.retired, flight.seen
        visits, rates = seen.visits[open_], seen.rates[open_]
        goals, enough = max(len(visits), 1), visits >= ENOUGH
        found = {
            "never_tried": np.count_nonzero(visits == 0) / goals,
            "mastered": np.count_nonzero(enough & (rates > MASTERED)) / goals,
            "hopeless": np.count_nonzero(enough & (rates < HOPELESS)) / goals,
            "effective_goals": effective_number_of_skills(p) if open_.any() else 0.0,
            "largest_probability": p.max(),
            "in_flight": flight.under_way.sum(),
            "told": seen.results,
            "useful": seen.useful / max(seen.results, 1),
        }
        return {name: float(cast(Any, value)) for name, value in found.items()}

    def state_dict(self) -> dict[str, Any]:
        """Everything that evolves, JSON-able: the selector's state, the generator's and what is in flight."""
        flight = self._flight
        saved = _Saved(self.in_flight, np.flatnonzero(flight.retired), flight.told, flight.seen)
        return {
            "selector": state_to_json(self._selector, flight.state),
            "generator": self._generator.bit_generator.state,
            "in_flight": encode(saved),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from `state_dict` with exactly the same goals and probabilities.

        Refuses the state of another selector, version, setting or number of goals; a refusal
        changes nothing.
        """
        kinds = {"selector": dict[str, Any], "generator": dict[str, Any]}
        goal: Any = Annotated[int, Within(0, self.num_goals - 1)]
        # Until version 0.2 there was one goal in flight, or none.
        early = isinstance(state_dict, dict) and "goal" in state_dict
        kinds |= {"goal": goal | None} if early else {"in_flight": Any}
        try:
            saved = fit(state_dict, kinds)
        except ValueError as error:
            raise ValueError(f"not a curriculum's state_dict: {error}") from None
        state = state_from_json(self._selector, saved["selector"], self.num_goals)
        none = np.empty(0, dtype=np.int64)
        rest = _Saved(none, none, in_flight.nothing_told(), in_flight.nothing_seen(self.num_goals))
        if not early:
            try:
                rest = decode(saved["in_flight"], rest, "in_flight")
                self._check_saved(rest)
            except (TypeError, ValueError) as error:
                raise ValueError(f"the saved state is damaged: {error}") from None
        elif saved["goal"] is not None:
            rest = rest._replace(in_flight=np.array([saved["goal"]]))
            if isinstance(self._selector, AccountingSelector) and self._selector.low_variance:
                state = state._replace(deficits=self._selector.owed(state, saved["goal"]))
        generator = np.random.default_rng()
        try:
            generator.bit_generator.state = saved["generator"]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"the saved random generator cannot be read: {error}") from error
        gone = np.zeros(self.num_goals, dtype=np.bool_)
        gone[rest.retired] = True
        under_way = np.bincount(rest.in_flight, minlength=self.num_goals)
        self._generator = generator
        self._become(Flight(state, under_way, gone, rest.told, rest.seen))

    def _check_saved(self, saved: _Saved) -> None:
        told, seen = saved.told, saved.seen
        for goals in (saved.in_flight, saved.retired, told.goals):
            self._known("goals", goals)
        if np.isin(saved.in_flight, saved.retired).any():
            raise ValueError("goals in flight are retired")
        if len({len(values) for values in told}) > 1 or (told.counts < 0).any():
            raise ValueError("its results are not of one length, or have no counts")
        for rates in (told.success, told.competence, seen.rates[seen.visits > 0]):
            if not np.all((rates >= 0) & (rates <= 1)):
                raise ValueError("success rates must lie in [0, 1]")
        if (seen.visits < 0).any() or not 0 <= seen.useful <= seen.results:
            raise ValueError("its numbers of visits cannot be")


class _Rows(NamedTuple):
    """Arguments of `update(goals, ...)`: a row for each of n goals, or none of a single one."""

    single: bool
    n: int

    def of(self, name: str, values: npt.ArrayLike) -> Any:
        """The rows."""
        if self.single:
            return [values]
        rows: Any = values if isinstance(values, list | tuple) else as_array(name, values)
        # Rows may differ in length, as those of episodes do.
        if not isinstance(rows, list | tuple) and not rows.ndim:
            rows = []
        if len(rows) != self.n:
            raise ValueError(f"{name} must have a row for each of the {self.n} goals")
        return rows

    def rates(self, name: str, values: npt.ArrayLike, goals: Goals) -> Array:
        """Numbers in [0, 1], [n]."""
        array = numbers(name, values)
        if array.shape != (() if self.single else (self.n,)):
            expected = "one number" if self.single else f"{self.n} numbers, one for each goal"
            raise ValueError(f"{name} must be {expected}, got the shape {array.shape}")
        array = np.atleast_1d(array)
        wrong = np.flatnonzero(~((array >= 0) & (array <= 1)))
        if len(wrong):
            at = int(wrong[0])
            raise ValueError(
                f"{name} must lie in [0, 1], got {array[at]:g} for goal {goals[at]}; abandon goals of "
                "which nothing is known"
            )
        return array

    def counts(self, values: npt.ArrayLike | None) -> Goals:
        """Numbers of episodes, [n]."""
        array = as_array("counts", 1 if values is None else values)
        if array.dtype.kind not in "iu":
            raise TypeError(f"counts must be whole numbers, got the dtype {array.dtype}")
        if array.shape not in ((), (self.n,)):
            raise ValueError(
                f"counts must be one number or {self.n}, one for each goal, got the shape {array.shape}"
            )
        if array.size and not 1 <= array.min() <= array.max() <= _validate.LARGEST:
            raise ValueError(
                f"counts must lie in [1, {_validate.LARGEST}], got {array.min()} to {array.max()}"
            )
        return np.broadcast_to(array, (self.n,)).astype(np.int64)
