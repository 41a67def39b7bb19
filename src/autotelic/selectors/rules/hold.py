"""Keep each drawn goal for a while."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors.rules.base import Rule


class HoldState(NamedTuple):
    """The inner rule's state, the goal being held and how many visits of it are left."""

    rule: Any
    goal: Count
    left: Count


@dataclass(frozen=True)
class Hold(Rule):
    """Keeps each drawn goal for `times` visits; the inner rule hears the last one's value."""

    rule: Rule
    times: int = 10

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise TypeError(f"rule must be a Rule, got {self.rule!r}")
        _validate.integer("times", self.times, minimum=1)

    def init(self, num_goals: int, untried: float) -> HoldState:
        """No goal held."""
        return HoldState(self.rule.init(num_goals, untried), goal=0, left=0)

    def update(self, state: HoldState, goal: int, value: float) -> HoldState:
        """Count down; at the end of the hold tell the inner rule."""
        left = (state.left if state.left else self.times) - 1
        inner = state.rule if left else self.rule.update(state.rule, goal, value)
        return HoldState(inner, goal, left)

    def revise(self, state: HoldState, values: Array) -> HoldState:
        """The inner rule's affair; the hold goes on."""
        return state._replace(rule=self.rule.revise(state.rule, values))

    def forget(self, state: HoldState, goals: npt.NDArray[np.bool_], untried: float) -> HoldState:
        """The inner rule forgets; the hold of a goal that is gone ends."""
        inner = self.rule.forget(state.rule, goals, untried)
        return HoldState(inner, state.goal, 0 if goals[state.goal] else state.left)

    def probabilities(self, state: HoldState) -> Array:
        """Certainly the goal held, or the inner rule's distribution between holds."""
        inner = self.rule.probabilities(state.rule)
        if not state.left:
            return inner
        held = np.zeros(len(inner))
        held[state.goal] = 1.0
        return held

    def prior(self, state: HoldState) -> Array:
        """The inner rule's: the distribution the held goal was drawn from."""
        return self.rule.prior(state.rule)
