"""Low-variance draws: each goal comes as often as its probabilities add up to, within a bound.

    deficit_g = (p(g) summed over the visits so far) - (visits spent on g)

An independent draw lets the deficits wander, by about the square root of the number of visits. The
low-variance draw takes the goal that, with the coming visit's p(g), is owed the most, and then
every deficit stays within `bounds`; docs/equations.md has the proof. The next goal is determined by
p(g) and the past; only ties are left to chance. Under a uniform p(g) that is round-robin.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.base import GoalSelector, VisitOutcome, check_is_selector

DRAWS = ("independent", "low_variance")
# Sums of the same probabilities in another order differ in their last digits, and still tie.
TIE = 1e-9


def bounds(num_goals: int) -> tuple[float, float]:
    """1/n - 1 <= deficit <= H_n - 1, with H_n = 1 + 1/2 + ... + 1/n; both are attained."""
    return 1.0 / num_goals - 1.0, float((1.0 / np.arange(2, num_goals + 1)).sum())


def most_owed(deficits: Array, shares: Array, generator: np.random.Generator) -> int:
    """argmax of deficit + p(g); of several the likeliest, and of several such one by the
    generator.

    The likeliest, so that a goal that p(g) holds for several visits is not left at a tie.

    Args:
        deficits: [goals].
        shares: p(g) of the coming visit, [goals].
        generator: breaks ties; one uniform number is always drawn.
    """
    owed = deficits + shares
    tied = owed >= owed.max() - TIE
    tied &= shares >= shares[tied].max() - TIE
    return distributions.draw(distributions.uniform_over(tied), generator)


def settled(deficits: Array, shares: Array, goal: int) -> Array:
    """The deficits after a visit: + p(g) for all goals, - 1 for the one pursued; [goals]."""
    after = deficits + shares
    after[goal] -= 1.0
    return after


class AccountingSelector(GoalSelector):
    """A selector that can draw with low variance: its state has `deficits`, what each goal is owed."""

    @property
    @abstractmethod
    def low_variance(self) -> bool:
        """Whether goals are drawn so, and not independently."""

    def shares(self, state: Any) -> Array:
        """What a low-variance draw owes each goal for the coming visit, [goals]: its probability.

        Say 1/|G| in rounds without replacement: their probabilities only tell which goals are left,
        and would owe the last one several visits for one round.
        """
        return self.selection_probabilities(state)

    def select(self, state: Any, generator: np.random.Generator) -> int:
        """The goal that is owed the most, or an independent draw."""
        if self.low_variance:
            return most_owed(state.deficits, self.shares(state), generator)
        return super().select(state, generator)

    def owed(self, state: Any, goal: int) -> Array:
        """The deficits after a visit to the goal, [goals]; those of independent draws stay 0."""
        return (
            settled(state.deficits, self.shares(state), goal)
            if self.low_variance
            else state.deficits
        )


class LowVarianceState(NamedTuple):
    """The inner selector's state, and what each goal is owed, [goals]."""

    selector: Any
    deficits: Array


@dataclass(frozen=True)
class LowVariance(AccountingSelector):
    """Your own selector with low-variance draws; those of the catalogue have `draw="low_variance"`.

    Args:
        selector: says p(g); its own `select` is not used.

    >>> from autotelic import Curriculum, Uniform
    >>> curriculum = Curriculum(LowVariance(Uniform()), num_goals=3, seed=0)
    >>> goals = []
    >>> for visit in range(6):
    ...     goals.append(curriculum.select())
    ...     curriculum.update([[0.2, 0.3, 0.5]] * 10)
    >>> sorted(goals[:3]), sorted(goals[3:])
    ([0, 1, 2], [0, 1, 2])
    """

    selector: GoalSelector

    def __post_init__(self) -> None:
        check_is_selector(self.selector)

    @property
    def evidence(self) -> frozenset[str]:
        """The inner selector's."""
        return self.selector.evidence

    @property
    def first_round(self) -> bool:
        """The inner selector's: goals not yet tried are owed the most."""
        return self.selector.first_round

    @property
    def low_variance(self) -> bool:
        """Yes."""
        return True

    def check(self, num_goals: int, steps: int) -> None:
        """Refuse what the inner selector refuses."""
        self.selector.check(num_goals, steps)

    def caution(self, steps: int, episode_length: int) -> str:
        """The inner selector's."""
        return self.selector.caution(steps, episode_length)

    def init(self, num_goals: int) -> LowVarianceState:
        """Nothing owed."""
        return LowVarianceState(self.selector.init(num_goals), np.zeros(num_goals))

    def update(self, state: LowVarianceState, outcome: VisitOutcome) -> LowVarianceState:
        """The inner selector's update, and the account with p(g) as it was before it."""
        inner = self.selector.update(state.selector, outcome)
        return LowVarianceState(inner, self.owed(state, outcome.goal))

    def selection_probabilities(self, state: LowVarianceState) -> Array:
        """The inner selector's."""
        return self.selector.selection_probabilities(state.selector)

    def shares(self, state: LowVarianceState) -> Array:
        """The inner selector's, if it knows of shares; else its probabilities."""
        if isinstance(self.selector, AccountingSelector):
            return self.selector.shares(state.selector)
        return self.selection_probabilities(state)

    def prior(self, state: LowVarianceState) -> Array:
        """The inner selector's."""
        return self.selector.prior(state.selector)

    def values(self, state: LowVarianceState) -> Array:
        """The inner selector's."""
        return self.selector.values(state.selector)
