"""How open is it whether the learner succeeds at a goal, and how seldom was it where the goal is?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.selectors.base import Results, VisitOutcome
from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.open_question import OpenQuestion, OpenState
from autotelic.selectors.signals.rarity import Rarity, RarityState

EDGE = 0.5  # the share of practice that goes by the density of places
WITHIN = 0.5  # of the spacing of goals: nearer to a place reached than to most other goals


def towards_the_edge(openness: Array, rarity: Array) -> Array:
    """v + n (v / d) / sum(v / d), halved: by openness v alone, and by v over the density d; [goals].

    Both halves have the mean 1, as openness has.

    Args:
        openness: how much more than evenly each goal is to be practised, [goals]; its mean is 1.
        rarity: -log density of the places reached, [goals]; -infinity for goals out of reach.

    >>> import numpy as np
    >>> towards_the_edge(np.array([1.0, 1.0, 1.0]), np.array([0.0, np.log(2.0), -np.inf]))
    array([1. , 1.5, 0.5])
    """
    weights = openness * np.exp(rarity - rarity.max())
    return (1.0 - EDGE) * openness + EDGE * len(weights) * weights / weights.sum()


class OpenFrontierState(NamedTuple):
    """What is known of success, and of the places reached."""

    question: OpenState
    places: RarityState


@dataclass(frozen=True)
class OpenFrontier(Signal):
    """`OpenQuestion`; half of it towards goals within reach where the learner has seldom been, if goals
    have places.

    A goal is within reach if a place reached lies no further from it than half the spacing of goals.
    Density, and visits in vain, are those of `Rarity`. A visit that does not say what places it reached is
    judged by success alone.
    """

    memory: float = 10.0
    reached: bool = True

    def __post_init__(self) -> None:
        _ = self._question

    @property
    def _question(self) -> OpenQuestion:
        return OpenQuestion(self.memory, self.reached)

    @property
    def _places(self) -> Rarity:
        return Rarity(cutoff=WITHIN)

    def untried(self, num_goals: int) -> float:
        """1."""
        return self._question.untried(num_goals)

    def init(self, num_goals: int) -> OpenFrontierState:
        """Nothing known."""
        return OpenFrontierState(self._question.init(num_goals), self._places.init(num_goals))

    def forget(self, state: OpenFrontierState, goals: npt.NDArray[np.bool_]) -> OpenFrontierState:
        """What is known of these goals; the places reached stay."""
        question, places = state
        return OpenFrontierState(
            self._question.forget(question, goals), self._places.forget(places, goals)
        )

    def update(
        self, state: OpenFrontierState, outcome: VisitOutcome
    ) -> tuple[OpenFrontierState, Array]:
        """The values of all goals, [goals]; their mean is 1."""
        question, openness = self._question.update(state.question, outcome)
        if outcome.achieved is None:
            return OpenFrontierState(question, state.places), openness
        places, rarity = self._places.update(state.places, outcome)
        return OpenFrontierState(question, places), towards_the_edge(openness, rarity)

    def learn(self, state: OpenFrontierState, results: Results) -> tuple[OpenFrontierState, Array]:
        """By success alone: results say nothing of places."""
        question, openness = self._question.learn(state.question, results)
        return state._replace(question=question), openness

    def ahead(
        self, state: OpenFrontierState, values: Array, under_way: npt.NDArray[np.int64]
    ) -> Array:
        """The same share less than now as by success alone."""
        nothing = np.zeros_like(under_way)
        now, then = (self._question.ahead(state.question, values, m) for m in (nothing, under_way))
        ahead = values * then / now
        return ahead / ahead.mean()
