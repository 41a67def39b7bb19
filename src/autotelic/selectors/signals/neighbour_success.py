"""Success at a goal, from visits to it and to its neighbours."""

from dataclasses import dataclass

import numpy as np

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import places
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.memory import replaced
from autotelic.selectors.signals.competence import RememberedCompetence, mean_of, recalled


def neighbour_means(goals: Array, known: Array, neighbours: int) -> Array:
    """The mean of what is known of the goals nearest to each, itself included; [goals].

    Args:
        goals: where they are, [goals, dim].
        known: [goals], NaN where nothing is known.
        neighbours: how many goals, of which something is known, count.

    >>> import numpy as np
    >>> neighbour_means(np.array([[0.0], [1.0], [9.0]]), np.array([0.0, 1.0, np.nan]), 1)
    array([0., 1., 1.])
    """
    tried = np.flatnonzero(~np.isnan(known))
    if not len(tried):
        return np.full(len(goals), np.nan)
    count = min(neighbours, len(tried))
    return known[tried][places.nearest(goals, goals[tried], count)].mean(axis=1)


@dataclass(frozen=True)
class NeighbourSuccess(RememberedCompetence):
    """Competence at every goal: the mean over the `neighbours` nearest goals ever tried, each with its
    last `window` visits. A goal never tried borrows from its neighbours; before the first visit every
    goal counts as 1/2.
    """

    neighbours: int = 3
    window: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("neighbours", self.neighbours, minimum=1)
        _validate.integer("window", self.window, minimum=1)

    @property
    def evidence(self) -> frozenset[str]:
        """Places, and success if that is the competence."""
        return super().evidence | {"achieved"}

    def untried(self, num_goals: int) -> float:
        """1/2."""
        del num_goals
        return 0.5

    def update(
        self, state: tuple[Array, ...], outcome: VisitOutcome
    ) -> tuple[tuple[Array, ...], Array]:
        """The estimates of all goals, [goals]."""
        assert outcome.places is not None
        for goal, c in self.shown(outcome):
            state = replaced(state, goal, recalled(state, outcome, goal, c, self.window))
        known = np.array([mean_of(*own.T) if own.size else np.nan for own in state])
        return state, neighbour_means(outcome.places, known, self.neighbours)
