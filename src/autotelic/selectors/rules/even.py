"""Every goal alike."""

from dataclasses import dataclass

from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule


@dataclass(frozen=True)
class Even(Rule):
    """p(g) = 1/|G|, whatever was learned."""

    def init(self, num_goals: int, untried: float) -> int:
        """The number of goals is all there is to know."""
        del untried
        return num_goals

    def update(self, state: int, goal: int, value: float) -> int:
        """Nothing changes."""
        del goal, value
        return state

    def probabilities(self, state: int) -> Array:
        """1/|G|."""
        return distributions.uniform(state)
