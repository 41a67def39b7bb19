"""A simulated learner whose goals differ: near, far, behind one another, and never possible.

Goals stand in corridors that lead away from the start, one unit apart. Between corridors are closed
rooms with goals that look alike and cannot be reached. `ability` a_g in [0, 1] is how surely the learner
makes the last stretch to a goal; it reaches a goal if it makes every stretch on the way:

    success_g = min of a over the goals of the corridor up to g        (0 for an impossible goal)

A visit to goal g consists of some attempts. Practice raises abilities,

    a_h += strength_h rate_h gate_h (1 - a_h),   gate_h = success of the goal before h, to the power 3
    strength: 1 for the goal pursued, `hindsight` for those on the way, `transfer` for the next one

so a goal can be learned once the one before it is mastered. What is not practised is forgotten. Critics
move towards the success of goals that were practised or passed. All that a real visit shows follows from
this: places and goals reached, posteriors, success, values and their spread.

The defaults are what learners in `maze2d` do by the settings of `presets.reaching`; docs/decisions.md says
how each was taken from them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.places import squared_distances

STRICTNESS = 3  # the power in gate: at a success of 0.5 the next goal learns at 1/8 of the rate
NEAR = 0.35  # the deviation of places that still count as a goal's, in units of the spacing
CRITICS = 3
CRITIC_RATE = 0.3  # how far critics move towards the success of a goal in a visit


def posteriors(achieved: Array, places: Array) -> Array:
    """q(g|s) at places reached, [steps, dim], of goals at places, [goals, dim]: the nearest is likeliest."""
    squares = squared_distances(achieved, places)
    weights = np.exp(-(squares - squares.min(axis=1, keepdims=True)) / (2.0 * NEAR**2))
    return weights / weights.sum(axis=1, keepdims=True)


class MazeState(NamedTuple):
    """What the learner can do, how surely it reaches goals by it, and what its critics hold goals to be
    worth; [goals] each.
    """

    ability: Array
    success: Array
    belief: Array


@dataclass(frozen=True)
class SimulatedMaze:
    """The learner's settings, and those of its maze.

    Args:
        num_goals: |G|, of which a share cannot be reached.
        impossible: that share.
        corridors: number of them. With None goals are not chained: each has a corridor of its own, of
            length one, and nothing learned at one helps another.
        rate: how much of the way to certainty one visit covers, for the easiest goal.
        hardest: the rate of the hardest goals as a share of the easiest ones'; hardness is unrelated to
            distance.
        skew: 1 for as many hard goals as easy ones; with more, hard ones are few.
        hindsight: how much the goals passed on the way are practised.
        transfer: how much the goal behind the one pursued is.
        forgetting: the share of ability lost in |G| visits without practice.
        attempts: episodes of a visit.
        steps: places reached that a visit shows.
        noise: deviation of places; of critics at least half of it.
    """

    num_goals: int = 50
    impossible: float = 0.5
    corridors: int | None = 5
    rate: float = 0.15
    hardest: float = 0.5
    skew: float = 1.0
    hindsight: float = 0.5
    transfer: float = 0.2
    forgetting: float = 0.03
    attempts: int = 1
    steps: int = 20
    noise: float = 0.1

    def __post_init__(self) -> None:
        _validate.integer("num_goals", self.num_goals, minimum=1)
        _validate.number("impossible", self.impossible, minimum=0.0, maximum=1.0)
        if not self.num_reachable:
            raise ValueError(
                f"impossible = {self.impossible} leaves none of {self.num_goals} goals to be reached"
            )
        if self.corridors is not None:
            _validate.integer("corridors", self.corridors, minimum=1)
        for name in ("rate", "hardest", "hindsight", "transfer", "forgetting"):
            _validate.number(name, getattr(self, name), minimum=0.0, maximum=1.0)
        _validate.number("skew", self.skew, above=0.0)
        _validate.integer("attempts", self.attempts, minimum=1)
        _validate.integer("steps", self.steps, minimum=max(2, self.attempts))
        _validate.number("noise", self.noise, minimum=0.0)

    @cached_property
    def num_reachable(self) -> int:
        """How many goals can be reached: the first ones."""
        return self.num_goals - round(self.impossible * self.num_goals)

    @cached_property
    def _width(self) -> int:
        """The number of corridors: goal g stands in the corridor g % width at the depth g // width."""
        return self.num_reachable if self.corridors is None else self.corridors

    @cached_property
    def places(self) -> Array:
        """Where the goals are, [goals, 2]; the start is the origin."""
        numbers = np.arange(self.num_goals)
        closed = numbers >= self.num_reachable
        numbers = np.where(closed, numbers - self.num_reachable, numbers)
        angles = 2.0 * np.pi * (numbers % self._width + 0.5 * closed) / self._width
        # Goals without corridors stand on a circle, one unit apart; rooms begin a unit further out.
        first = max(self._width / (2.0 * np.pi), 1.0) if self.corridors is None else 1.0
        radii = numbers // self._width + first + closed
        return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)

    @cached_property
    def rates(self) -> Array:
        """The learning rate of each goal, [goals]."""
        order = (np.arange(self.num_goals) * 7) % self.num_goals  # neighbours are of all kinds
        return self.rate * self.hardest ** ((order / max(self.num_goals - 1, 1)) ** self.skew)

    def init(self) -> MazeState:
        """No ability, and critics who know it."""
        nothing = np.zeros(self.num_goals)
        return MazeState(nothing, nothing, nothing)

    def success(self, ability: Array) -> Array:
        """How surely each goal is reached, [goals]."""
        corridors = np.ones((-(-self.num_reachable // self._width), self._width))
        corridors.flat[: self.num_reachable] = ability[: self.num_reachable]
        chances = np.zeros(self.num_goals)
        passed = np.minimum.accumulate(corridors, axis=0)
        chances[: self.num_reachable] = passed.flat[: self.num_reachable]
        return chances

    def mean_success(self, state: MazeState) -> float:
        """How surely goals that can be reached are, each of the same weight."""
        return float(state.success[: self.num_reachable].mean())

    def path(self, goal: int) -> npt.NDArray[np.int64]:
        """The goals on the way to a goal, itself last. To an impossible one the learner takes the
        corridor beside it, as far as it leads, and ends there.
        """
        number = goal if goal < self.num_reachable else goal - self.num_reachable
        way = np.arange(number % self._width, number + 1, self._width)
        return way[way < self.num_reachable]

    def strengths(self, goal: int) -> Array:
        """How much a visit to a goal practises each goal, [goals]."""
        strengths = np.zeros(self.num_goals)
        if self.corridors is not None:
            strengths[self.path(goal)] = self.hindsight
            if goal + self._width < self.num_reachable:
                strengths[goal + self._width] = self.transfer
        if goal < self.num_reachable:
            strengths[goal] = 1.0
        return strengths

    @cached_property
    def _all_strengths(self) -> Array:
        return np.array([self.strengths(goal) for goal in range(self.num_goals)])

    def practise(self, state: MazeState, goal: int) -> MazeState:
        """The learner after a visit to a goal."""
        ability, strengths = state.ability, self._all_strengths[goal]
        before = np.ones(self.num_goals)
        if self.corridors is not None:
            before[self._width :] = state.success[: -self._width]
        raised = ability + strengths * self.rates * before**STRICTNESS * (1.0 - ability)
        kept = (1.0 - self.forgetting) ** (1.0 / self.num_goals)
        practised = strengths > 0
        ability = np.where(practised, raised, ability * kept)
        news = np.where(practised, state.success - state.belief, 0.0)
        return MazeState(ability, self.success(ability), state.belief + CRITIC_RATE * news)

    def visit(
        self, state: MazeState, goal: int, generator: np.random.Generator
    ) -> tuple[MazeState, dict[str, Any]]:
        """Practise a goal for a visit: the learner after it, and what the visit shows, as keyword
        arguments of `VisitOutcome` (without the goal).
        """
        after = self.practise(state, goal)
        luck = generator.random(self.attempts)
        way = self.path(goal)
        # How many stretches each attempt makes.
        passed = (np.minimum.accumulate(state.ability[way]) > luck[:, None]).sum(axis=1)
        reached = np.zeros(self.num_goals, dtype=np.bool_)
        reached[way[: passed.max()]] = True
        achieved = self._achieved(way, passed, generator)
        critics = self._critics(after, generator)
        return after, {
            "posteriors": posteriors(achieved, self.places),
            "success": float((luck < state.success[goal]).mean()),
            "count": self.attempts,
            "reached": reached,
            "probe_before": state.success,
            "probe_after": after.success,
            "values_before": state.belief,
            "values_after": critics.mean(axis=0),
            "value_spread": critics.std(axis=0),
            "achieved": achieved,
            "places": self.places,
        }

    def _critics(self, state: MazeState, generator: np.random.Generator) -> Array:
        """What each of the critics holds every goal to be worth, [critics, goals]: they disagree about
        what happens at times, and less about what always or never does.
        """
        deviation = 0.5 * np.sqrt(state.belief * (1.0 - state.belief)) + 0.5 * self.noise
        return state.belief + deviation * generator.standard_normal((CRITICS, self.num_goals))

    def _achieved(
        self,
        way: npt.NDArray[np.int64],
        passed: npt.NDArray[np.int64],
        generator: np.random.Generator,
    ) -> Array:
        """The places of all attempts, [steps, 2]: each leads along the way by the stretches it passed,
        and some part of the next one; from the start in any direction, and beyond a goal that is
        reached at most half of it.
        """
        beyond = way[-1] + self._width
        further = np.append(way, beyond if beyond < self.num_reachable else way[-1])
        stops = np.concatenate([np.zeros((1, 2)), self.places[further]])  # the start comes first
        openings = min(self._width, self.num_reachable)
        anywhere = self.places[generator.integers(openings, size=self.attempts)]
        following = np.where(passed[:, None] == 0, anywhere, stops[passed + 1])
        part = generator.random(self.attempts) * np.where(passed == len(way), 0.5, 1.0)
        ends = stops[passed] + part[:, None] * (following - stops[passed])
        moments = np.linspace(0.0, 1.0, self.steps // self.attempts + 1)[1:]
        walks = (moments[:, None, None] * ends).transpose(1, 0, 2).reshape(-1, 2)
        return walks + self.noise * generator.standard_normal(walks.shape)
