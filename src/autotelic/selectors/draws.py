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
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors import distributions, draws_many
from autotelic.selectors.base import GoalSelector, Results, VisitOutcome, check_is_selector
from autotelic.selectors.draws_many import TIE

DRAWS = ("independent", "low_variance")


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

    def drawn(
        self,
        state: Any,
        k: int,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
        generator: np.random.Generator,
        repeats: bool = False,
    ) -> tuple[npt.NDArray[np.int64], Any]:
        """With low variance the account is settled here, as if the visits had been made."""
        if not self.low_variance:
            return super().drawn(state, k, under_way, open_, generator, repeats)
        shares = self._open_shares(state, under_way, open_)
        due = draws_many.due(shares, k, repeats)
        if k == 1 and open_.all():
            goals = np.array([most_owed(state.deficits, shares, generator)])
        else:
            owed = np.where(open_, state.deficits + due, -np.inf)
            goals = draws_many.most_owed(owed, shares, k, generator, repeats)
        after = state.deficits + due
        np.subtract.at(after, goals, 1.0)
        return goals, state._replace(deficits=after)

    def _open_shares(
        self, state: Any, under_way: npt.NDArray[np.int64], open_: npt.NDArray[np.bool_]
    ) -> Array:
        return distributions.restricted(self.shares(self.ahead(state, under_way, open_)), open_)

    def witness(self, state: Any, outcome: VisitOutcome) -> Any:
        """`update`, with an account that was settled when the goal was drawn."""
        after = self.update(state, outcome)
        return after._replace(deficits=state.deficits) if self.low_variance else after

    def dropped(self, state: Any, goals: npt.NDArray[np.int64]) -> Any:
        """Visits that were not made are owed again, by all."""
        if not self.low_variance:
            return state
        deficits = state.deficits - len(goals) * self.shares(state)
        np.add.at(deficits, goals, 1.0)
        return state._replace(deficits=deficits)


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
    def needs_posteriors(self) -> bool:
        """The inner selector's."""
        return self.selector.needs_posteriors

    @property
    def even_share(self) -> float:
        """The inner selector's."""
        return self.selector.even_share

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

    def ahead(
        self,
        state: LowVarianceState,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
    ) -> LowVarianceState:
        """The inner selector's."""
        return state._replace(selector=self.selector.ahead(state.selector, under_way, open_))

    def learn(self, state: LowVarianceState, results: Results) -> LowVarianceState:
        """The inner selector's; the account was settled when goals were drawn."""
        return state._replace(selector=self.selector.learn(state.selector, results))

    def grown(self, state: LowVarianceState, num_goals: int) -> LowVarianceState:
        """The inner selector's, and nothing is owed to new goals."""
        more = np.zeros(num_goals - len(state.deficits))
        inner = self.selector.grown(state.selector, num_goals)
        return LowVarianceState(inner, np.append(state.deficits, more))

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
