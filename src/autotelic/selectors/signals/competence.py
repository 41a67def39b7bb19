"""Signals from competence c in [0, 1]: how good is the learner at a goal, and how is that changing?

Competence is the mean certainty q(g|s) of the pursued goal over the visit (`source="certainty"`), or
what the caller passes in its place (an objective whose skills are directions measures how far they
lead), or the success rate (`source="success"`). A visit is the time that a goal is
held, one visit to it: windows count a goal's visits, and not steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.memory import forgotten, nothing_yet, replaced
from autotelic.selectors.signals.base import Signal

SOURCES = ("certainty", "success")
VISITS = 10
"""Visits that a success rate is a mean over, unless a selector says."""


def competence(outcome: VisitOutcome, source: str) -> float:
    """The competence shown in a visit, in [0, 1]."""
    if source == "success":
        assert outcome.success is not None
        return float(outcome.success)
    if outcome.competence is not None:
        return float(outcome.competence)
    return min(float(outcome.certainty.mean()), 1.0)


def recalled(
    state: tuple[Array, ...], outcome: VisitOutcome, goal: int, c: float, visits: int
) -> Array:
    """A goal's last visits with the present one, oldest first, [<= visits, 2]: the competence of each,
    and how many episodes it is the mean of.
    """
    return _joined(state[goal], c, outcome.count if goal == outcome.goal else 1, visits)


def _joined(known: Array, c: float, count: int, visits: int) -> Array:
    return np.concatenate([known, [[c, count]]])[-visits:]


def mean_of(history: Array, counts: Array) -> float:
    """The mean competence of some visits, each with so many episodes; [visits], [visits].

    >>> mean_of(np.array([1.0, 0.5]), np.array([1.0, 4.0]))
    0.6
    """
    return float((history * counts).sum() / counts.sum())


def halves_gap(history: Array, window: int, counts: Array | None = None) -> float:
    """|mean of the recent half - mean of the half before|, with halves of min(n // 2, window)
    visits; 0 until n > 2. `counts` are the episodes of each visit, if they differ.
    """
    width = min(len(history) // 2, window)
    if len(history) <= 2:
        return 0.0
    counts = np.ones(len(history)) if counts is None else counts
    recent, before = slice(-width, None), slice(-2 * width, -width)
    return abs(mean_of(history[recent], counts[recent]) - mean_of(history[before], counts[before]))


def slope(times: Array, history: Array) -> float:
    """The slope of the least-squares line through two or more visits at increasing times."""
    centred = times - times.mean()
    return float(centred @ history / (centred @ centred))


@dataclass(frozen=True)
class Competence(Signal):
    """Competence itself, c.

    With `reached`, a goal that was reached on the way to another was visited, too, and succeeded.
    """

    source: str = "certainty"
    reached: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _validate.choice("competence", self.source, SOURCES)
        _validate.boolean("reached", self.reached)
        if self.reached and self.source != "success":
            raise ValueError(
                f'reached is about success, and competence is "{self.source}"; set '
                'competence="success"'
            )

    @property
    def evidence(self) -> frozenset[str]:
        """A success rate, when that is the source, and the goals reached if they count."""
        return frozenset(["success"] * (self.source == "success") + ["reached"] * self.reached)

    def shown(self, outcome: VisitOutcome) -> Iterator[tuple[int, float]]:
        """The goals that a visit says something of, and the competence that it shows at each."""
        if not outcome.void:
            yield outcome.goal, competence(outcome, self.source)
        if self.reached:
            for goal in np.flatnonzero(outcome.on_the_way):
                yield int(goal), 1.0

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, float | Array]:
        """What is judged of the goal pursued, or of all goals that the visit says something of."""
        if not self.reached:
            return self.judged(state, outcome, outcome.goal, competence(outcome, self.source))
        values = np.full(outcome.posteriors.shape[1], np.nan)
        for goal, c in self.shown(outcome):
            state, values[goal] = self.judged(state, outcome, goal, c)
        return state, values

    def judged(self, state: Any, outcome: VisitOutcome, goal: int, c: float) -> tuple[Any, float]:
        """What the signal remembers after a visit that showed competence c at a goal, and the goal's
        value: c.
        """
        del outcome, goal
        return state, c

    def learn(self, state: Any, results: Results) -> tuple[Any, Array]:
        """What is judged of the goals that there are results of."""
        values = np.full(results.num_goals, np.nan)
        shown = results.success if self.source == "success" else results.competence
        state, values[results.goals] = self.judged_all(state, results, shown)
        return state, values

    def judged_all(self, state: Any, results: Results, shown: Array) -> tuple[Any, Array]:
        """What the signal remembers after visits to several goals, and their values, [n]: c."""
        del results
        return state, shown


@dataclass(frozen=True)
class RememberedCompetence(Competence):
    """A signal made from competences of several visits to a goal."""

    def remembered(self, by_success: bool) -> int:
        """How many of a goal's visits are remembered."""
        raise NotImplementedError

    def weighed(self, visits: Array) -> float:
        """A goal's value, from its visits as `recalled` has them."""
        raise NotImplementedError

    def judged(
        self, state: tuple[Array, ...], outcome: VisitOutcome, goal: int, c: float
    ) -> tuple[tuple[Array, ...], float]:
        """What is weighed of the goal's visits."""
        visits = recalled(state, outcome, goal, c, self.remembered(outcome.success is not None))
        return replaced(state, goal, visits), self.weighed(visits)

    def judged_all(
        self, state: tuple[Array, ...], results: Results, shown: Array
    ) -> tuple[tuple[Array, ...], Array]:
        """The same for several goals."""
        known, values = list(state), np.empty(len(shown))
        for index, goal in enumerate(results.goals):
            episodes = int(results.episodes[index])
            visits = self.remembered(by_success=episodes > 0)
            own = _joined(known[goal], shown[index], max(episodes, 1), visits)
            known[goal], values[index] = own, self.weighed(own)
        return tuple(known), values

    def init(self, num_goals: int) -> tuple[Array, ...]:
        """Each goal's visits, see `recalled`."""
        return nothing_yet(num_goals, 2)

    def forget(self, state: tuple[Array, ...], goals: npt.NDArray[np.bool_]) -> tuple[Array, ...]:
        """No competences."""
        return forgotten(state, goals)


@dataclass(frozen=True)
class SuccessVariance(RememberedCompetence):
    """c (1 - c), c the mean over a goal's last `window` visits: highest where success is a coin toss. A
    goal never tried counts as fully learnable, 1/4.

    By default the window is one visit, or `VISITS` where visits have success: one episode succeeds or
    fails, and of a single one c (1 - c) is always 0.
    """

    window: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.window is not None:
            _validate.integer("window", self.window, minimum=1)

    def untried(self, num_goals: int) -> float:
        """1/4, the largest value."""
        del num_goals
        return 0.25

    def remembered(self, by_success: bool) -> int:
        """The window."""
        return self.window or (VISITS if by_success else 1)

    def weighed(self, visits: Array) -> float:
        """c (1 - c)."""
        c = mean_of(*visits.T)
        return c * (1.0 - c)


@dataclass(frozen=True)
class RemainingError(Competence):
    """(1 - c) ** `sharpness`: what there is left to learn. A goal never tried counts as unknown, 1.

    With `fresh`, every goal that states are kept of is judged anew, by its certainty on those; the
    goal pursued always by the visit itself.
    """

    sharpness: float = 1.0
    fresh: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("sharpness", self.sharpness, above=0.0)
        _validate.boolean("fresh", self.fresh)
        if self.fresh and self.source == "success":
            raise ValueError(
                'fresh is about certainty, and competence is "success"; set fresh=False'
            )

    @property
    def evidence(self) -> frozenset[str]:
        """Probe certainties after the visit, to be fresh."""
        return super().evidence | ({"probe_after"} if self.fresh else set())

    def untried(self, num_goals: int) -> float:
        """1, the largest value."""
        del num_goals
        return 1.0

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, float | Array]:
        """(1 - c) ** sharpness, of all goals if fresh."""
        if not self.fresh:
            return super().update(state, outcome)
        assert outcome.probe_after is not None
        certainties = outcome.probe_after.copy()
        own = np.nan if outcome.void else competence(outcome, self.source)
        certainties[outcome.goal] = own
        return state, (1.0 - certainties) ** self.sharpness

    def judged(self, state: Any, outcome: VisitOutcome, goal: int, c: float) -> tuple[Any, float]:
        """(1 - c) ** sharpness."""
        del outcome, goal
        return state, (1.0 - c) ** self.sharpness

    def judged_all(self, state: Any, results: Results, shown: Array) -> tuple[Any, Array]:
        """(1 - c) ** sharpness."""
        del results
        return state, (1.0 - shown) ** self.sharpness


@dataclass(frozen=True)
class Gain(Competence):
    """c - c at the goal's previous visit; at the first visit, c - `start`, or 0 when `start` is
    None.

    `optimism` is the value assumed for a goal never tried.
    """

    start: float | None = None
    optimism: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start is not None:
            _validate.number("start", self.start)
        _validate.number("optimism", self.optimism)

    def untried(self, num_goals: int) -> float:
        """`optimism`."""
        del num_goals
        return self.optimism

    def init(self, num_goals: int) -> Array:
        """Competence at each goal's previous visit, [goals]; NaN before the first."""
        return np.full(num_goals, np.nan)

    def forget(self, state: Array, goals: npt.NDArray[np.bool_]) -> Array:
        """No previous visit."""
        return np.where(goals, np.nan, state)

    def judged(
        self, state: Array, outcome: VisitOutcome, goal: int, c: float
    ) -> tuple[Array, float]:
        """The change since the previous visit."""
        del outcome
        previous = state[goal]
        if np.isnan(previous):
            previous = c if self.start is None else self.start
        state = state.copy()
        state[goal] = c
        return state, float(c - previous)

    def judged_all(self, state: Array, results: Results, shown: Array) -> tuple[Array, Array]:
        """The changes since the previous visits."""
        previous = state[results.goals]
        first = shown if self.start is None else self.start
        state = state.copy()
        state[results.goals] = shown
        return state, shown - np.where(np.isnan(previous), first, previous)


@dataclass(frozen=True)
class HalvesGap(RememberedCompetence):
    """The absolute change in competence between the two halves of a goal's last 2 x `window`
    visits, see `halves_gap`.
    """

    window: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("window", self.window, minimum=1)

    def remembered(self, by_success: bool) -> int:
        """Both halves; three, to know that there were over two."""
        del by_success
        return max(2 * self.window, 3)

    def weighed(self, visits: Array) -> float:
        """The gap between the halves."""
        history, counts = visits.T
        return halves_gap(history, self.window, counts)


class SlopeState(NamedTuple):
    """The time and the competence of each goal's last visits, oldest first, and the number of all
    visits so far.
    """

    times: tuple[Array, ...]
    history: tuple[Array, ...]
    visit: Count


@dataclass(frozen=True)
class Slope(Competence):
    """The slope per visit (visits to other goals count) of competence over the goal's last `window`
    visits; `optimism` until there are two.
    """

    window: int = 10
    optimism: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("window", self.window, minimum=2)
        _validate.number("optimism", self.optimism)

    def untried(self, num_goals: int) -> float:
        """`optimism`."""
        del num_goals
        return self.optimism

    def init(self, num_goals: int) -> SlopeState:
        """No visits."""
        return SlopeState(nothing_yet(num_goals), nothing_yet(num_goals), 0)

    def forget(self, state: SlopeState, goals: npt.NDArray[np.bool_]) -> SlopeState:
        """No visits; time goes on."""
        times, history = forgotten(state.times, goals), forgotten(state.history, goals)
        return SlopeState(times, history, state.visit)

    def update(self, state: SlopeState, outcome: VisitOutcome) -> tuple[SlopeState, float | Array]:
        """The slopes, and time goes on."""
        state, value = super().update(state, outcome)
        return state._replace(visit=state.visit + 1), value

    def judged(
        self, state: SlopeState, outcome: VisitOutcome, goal: int, c: float
    ) -> tuple[SlopeState, float]:
        """The slope with this visit included."""
        del outcome
        times = np.append(state.times[goal], float(state.visit))[-self.window :]
        history = np.append(state.history[goal], c)[-self.window :]
        value = slope(times, history) if len(history) > 1 else self.optimism
        return state._replace(
            times=replaced(state.times, goal, times),
            history=replaced(state.history, goal, history),
        ), value

    def judged_all(
        self, state: SlopeState, results: Results, shown: Array
    ) -> tuple[SlopeState, Array]:
        """The slopes with these visits included; time goes on by as many."""
        times, history = list(state.times), list(state.history)
        values = np.full(len(shown), self.optimism)
        for index, goal in enumerate(results.goals):
            times[goal] = np.append(times[goal], float(state.visit))[-self.window :]
            history[goal] = np.append(history[goal], shown[index])[-self.window :]
            if len(history[goal]) > 1:
                values[index] = slope(times[goal], history[goal])
        visit = state.visit + len(results.goals)
        return SlopeState(tuple(times), tuple(history), visit), values
