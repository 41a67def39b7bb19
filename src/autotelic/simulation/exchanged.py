"""A simulated learner whose goals are exchanged on the way for others that it met."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.simulation.maze import MazeState, SimulatedMaze, posteriors

OF_GOALS = ("probe_before", "probe_after", "values_before", "values_after", "value_spread")


class ExchangedState(NamedTuple):
    """The learner, and which goal of the maze each goal of the list is now, [num_goals]."""

    learner: MazeState
    held: npt.NDArray[np.int64]


@dataclass(frozen=True)
class ExchangedGoals:
    """Goals that are places met so far, as of `--goals met`: the nearest at first; a visit exchanges one
    goal, not the one pursued, for a goal that it passed or was about to reach, with some chance. So the
    list moves on with the learner. Success is that at all goals of the maze.

    Args:
        maze: where the goals are from; it has more than are held.
        num_goals: how many are held.
        chance: of an exchange; `Reach` has 0.1.
    """

    maze: SimulatedMaze
    num_goals: int = 25
    chance: float = 0.1

    def __post_init__(self) -> None:
        _validate.integer("num_goals", self.num_goals, minimum=1)
        if self.num_goals > self.maze.num_goals:
            raise ValueError(
                f"num_goals = {self.num_goals} is more than the {self.maze.num_goals} goals of the maze"
            )
        _validate.number("chance", self.chance, minimum=0.0, maximum=1.0)

    @property
    def steps(self) -> int:
        """Places reached that a visit shows."""
        return self.maze.steps

    def init(self) -> ExchangedState:
        """No ability; the first goals of the maze, which are its nearest."""
        return ExchangedState(self.maze.init(), np.arange(self.num_goals))

    def mean_success(self, state: ExchangedState) -> float:
        """That of the maze."""
        return self.maze.mean_success(state.learner)

    def visit(
        self, state: ExchangedState, goal: int, generator: np.random.Generator
    ) -> tuple[ExchangedState, dict[str, Any]]:
        """Practise a goal of the list for a visit, as `SimulatedMaze.visit`."""
        own = int(state.held[goal])
        learner, shown = self.maze.visit(state.learner, own, generator)
        way, chance, slot = self.maze.path(own), generator.random(), generator.random()
        met = way[: int(shown["reached"].sum()) + 1]
        others = np.delete(np.arange(self.num_goals), goal)
        replaced = np.zeros(self.num_goals, dtype=np.bool_)
        held = state.held.copy()
        if chance < self.chance and len(others):
            exchanged = others[int(slot * len(others))]
            held[exchanged] = generator.choice(met)
            replaced[exchanged] = True
        places = self.maze.places[held]
        shown |= {name: shown[name][held] for name in OF_GOALS}
        # What the visit reached is told of the goals that were held in it.
        shown |= {"reached": shown["reached"][state.held], "replaced": replaced, "places": places}
        shown["posteriors"] = posteriors(shown["achieved"], places)
        return ExchangedState(learner, held), shown
