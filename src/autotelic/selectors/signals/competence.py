"""Signals from competence c in [0, 1]: how good is the learner at a goal, and how is that changing?

Competence is the mean certainty q(g|s) of the pursued goal over the visit (`source="certainty"`), or
what the caller passes in its place (an objective whose skills are directions measures how far they
lead), or the success rate (`source="success"`). A visit is the time that a goal is
held, one visit to it: windows count a goal's visits, and not steps.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
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


def halves_gap(history: Array, window: int) -> float:
    """|mean of the recent half - mean of the half before|, with halves of min(n // 2, window)
    visits; 0 until n > 2.
    """
    width = min(len(history) // 2, window)
    if len(history) <= 2:
        return 0.0
    return float(abs(history[-width:].mean() - history[-2 * width : -width].mean()))


def slope(times: Array, history: Array) -> float:
    """The slope of the least-squares line through two or more visits at increasing times."""
    centred = times - times.mean()
    return float(centred @ history / (centred @ centred))


@dataclass(frozen=True)
class Competence(Signal):
    """Competence itself, c."""

    source: str = "certainty"

    def __post_init__(self) -> None:
        _validate.choice("competence", self.source, SOURCES)

    @property
    def evidence(self) -> frozenset[str]:
        """A success rate, when that is the source."""
        return frozenset({"success"} if self.source == "success" else ())

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, float | Array]:
        """c."""
        return state, competence(outcome, self.source)


@dataclass(frozen=True)
class RememberedCompetence(Competence):
    """A signal made from competences of several visits to a goal."""

    def init(self, num_goals: int) -> tuple[Array, ...]:
        """Each goal's competences, oldest first."""
        return nothing_yet(num_goals)

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

    def update(
        self, state: tuple[Array, ...], outcome: VisitOutcome
    ) -> tuple[tuple[Array, ...], float]:
        """c (1 - c)."""
        window = self.window or (1 if outcome.success is None else VISITS)
        history = np.append(state[outcome.goal], competence(outcome, self.source))[-window:]
        c = float(history.mean())
        return replaced(state, outcome.goal, history), c * (1.0 - c)


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
        c: float | Array = competence(outcome, self.source)
        if self.fresh:
            assert outcome.probe_after is not None
            certainties = outcome.probe_after.copy()
            certainties[outcome.goal] = np.nan if outcome.void else c
            c = certainties
        return state, (1.0 - c) ** self.sharpness


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

    def update(self, state: Array, outcome: VisitOutcome) -> tuple[Array, float]:
        """The change since the previous visit."""
        c = competence(outcome, self.source)
        previous = state[outcome.goal]
        if np.isnan(previous):
            previous = c if self.start is None else self.start
        state = state.copy()
        state[outcome.goal] = c
        return state, float(c - previous)


@dataclass(frozen=True)
class HalvesGap(RememberedCompetence):
    """The absolute change in competence between the two halves of a goal's last 2 x `window`
    visits, see `halves_gap`.
    """

    window: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("window", self.window, minimum=1)

    def update(
        self, state: tuple[Array, ...], outcome: VisitOutcome
    ) -> tuple[tuple[Array, ...], float]:
        """The gap between the halves."""
        history = np.append(state[outcome.goal], competence(outcome, self.source))
        history = history[-max(2 * self.window, 3) :]  # three, to know that there were over two
        return replaced(state, outcome.goal, history), halves_gap(history, self.window)


class SlopeState(NamedTuple):
    """The time and the competence of each goal's last visits, oldest first, and the number of all
    visits so far.
    """

    times: tuple[Array, ...]
    history: tuple[Array, ...]
    visit: int


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

    def update(self, state: SlopeState, outcome: VisitOutcome) -> tuple[SlopeState, float]:
        """The slope with this visit included."""
        goal = outcome.goal
        times = np.append(state.times[goal], float(state.visit))[-self.window :]
        history = np.append(state.history[goal], competence(outcome, self.source))[-self.window :]
        value = slope(times, history) if len(history) > 1 else self.optimism
        state = SlopeState(
            replaced(state.times, goal, times),
            replaced(state.history, goal, history),
            state.visit + 1,
        )
        return state, value
