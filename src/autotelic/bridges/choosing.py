"""Any selector for tasks that are not judged by posteriors but by how well a goal was reached.

`Curriculum` has one goal under way, and posteriors over all goals. Trainers with several environments have
a goal under way in each, and know of an episode no more than how well its own goal was reached.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic import _streams, _validate
from autotelic._types import Array
from autotelic.selectors.base import GoalSelector, VisitOutcome, check_is_selector
from autotelic.selectors.state import state_from_json, state_to_json

KNOWN = {"success"}
"""The evidence beside competence that a finished episode gives."""


class GoalChooser:
    """A selector with its state; goals may be chosen before earlier ones are learned from.

    Args:
        selector: how goals are chosen, e.g. `DiversityProgress()`.
        num_goals: |G|.
        seed: of the draws.

    >>> from autotelic import RoundRobin
    >>> chooser = GoalChooser(RoundRobin(), num_goals=3)
    >>> chooser.learn(1, [0.0, 0.5, 1.0])
    >>> chooser.probabilities
    array([0.5, 0. , 0.5])
    """

    def __init__(self, selector: GoalSelector, num_goals: int, seed: int = 0):
        check_is_selector(selector)
        _validate.integer("num_goals", num_goals, minimum=1)
        _validate.seed("seed", seed)
        unknown = sorted(selector.evidence - KNOWN)
        if unknown:
            raise ValueError(
                f"{type(selector).__name__} needs {' and '.join(unknown)}, which episodes of another "
                "trainer do not give; choose a selector by competence"
            )
        self._selector, self._num_goals = selector, int(num_goals)
        self._state: Any = selector.init(self._num_goals)
        self._generator = _streams.generator("goals", seed)

    @property
    def num_goals(self) -> int:
        """|G|."""
        return self._num_goals

    @property
    def probabilities(self) -> Array:
        """What the next goal is drawn from, [goals]."""
        return self._selector.selection_probabilities(self._state)

    def choose(self) -> int:
        """Draw a goal."""
        return self._selector.select(self._state, self._generator)

    def learn(self, goal: int, competences: npt.ArrayLike, success: float | None = None) -> None:
        """Hear how an episode went.

        Args:
            goal: the one it pursued.
            competences: how well it was reached at every step, [steps] in [0, 1].
            success: of the episode, in [0, 1]; by default the last of the competences.
        """
        competences = np.asarray(competences, np.float64)
        if competences.ndim != 1 or not len(competences) or not np.isfinite(competences).all():
            raise ValueError(
                f"competences must be finite numbers [steps], got the shape {list(competences.shape)}"
            )
        if competences.min() < 0 or competences.max() > 1:
            raise ValueError(
                f"competences must lie in [0, 1], got {competences.min():g} to {competences.max():g}"
            )
        outcome = VisitOutcome(
            goal,
            posteriors_of(goal, competences, self._num_goals),
            success=float(competences[-1]) if success is None else success,
            competence=float(competences.mean()),
        )
        self._state = self._selector.update(self._state, outcome)

    def state_dict(self) -> dict[str, Any]:
        """All that evolves, as JSON values."""
        return {
            "selector": state_to_json(self._selector, self._state),
            "generator": self._generator.bit_generator.state,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave; refuses the state of another selector."""
        state = state_from_json(self._selector, state_dict["selector"], self._num_goals)
        self._generator.bit_generator.state = state_dict["generator"]
        self._state = state


def posteriors_of(goal: int, competences: Array, num_goals: int) -> Array:
    """Rows [steps, goals] in which the goal has its competence, and the others share the rest.

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
