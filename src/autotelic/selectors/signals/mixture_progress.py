"""Absolute learning progress as a mixture of Gaussians over goal space."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autotelic import _streams, _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors import places
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.gaussian_mixture import Mixture, best_fit, log_gaussians, no_mixture
from autotelic.selectors.signals.competence import Competence

TOO_FEW = 5  # earlier visits: the nearest of them may be anywhere, and nothing is said of progress


class MixtureState(NamedTuple):
    """Every place visited, the last at the end, [n, dim], and the competence at its last visit, [n]; the
    place and the absolute progress of the last `refit` visits, [<= refit, dim + 1]; the mixture and the
    number of visits.
    """

    places: Array
    competences: Array
    progress: Array
    mixture: Mixture
    visits: Count


def progress_at(place: Array, c: float, earlier: Array, competences: Array) -> float:
    """|c - c at the nearest earlier place|, of several equally near the last; [dim], [n, dim], [n]."""
    squares = ((earlier - place) ** 2).sum(axis=1)
    last = len(squares) - 1 - int(squares[::-1].argmin())
    return abs(c - float(competences[last]))


def mixture_weights(goals: Array, mixture: Mixture) -> Array:
    """p(g) when a Gaussian is drawn in proportion to its mean progress, and a goal in proportion to
    that Gaussian's density where it is; [goals, dim] -> [goals]. The last axis of the mixture is
    progress.
    """
    progress = np.maximum(mixture.means[:, -1], 0.0)
    total = progress.sum()
    drawn = progress / total if total > 0 else np.full(len(progress), 1.0 / len(progress))
    dim = goals.shape[1]
    logs = log_gaussians(goals, mixture.means[:, :dim], mixture.covariances[:, :dim, :dim])
    densities = np.exp(logs - logs.max(axis=0))
    return (densities / densities.sum(axis=0)) @ drawn


@dataclass(frozen=True)
class MixtureProgress(Competence):
    """The share of practice that ALP-GMM would give each goal; no news before the first fit.

    Every `refit` visits a mixture is fitted to the places and the absolute progress of the last
    `refit` visits, with the k from 2 to `largest` that Akaike's criterion prefers.
    """

    refit: int = 250
    largest: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("refit", self.refit, minimum=2)
        _validate.integer("largest", self.largest, minimum=2)

    @property
    def evidence(self) -> frozenset[str]:
        """Places, and success if that is the competence."""
        return super().evidence | {"achieved"}

    def init(self, num_goals: int) -> MixtureState:
        """No visits."""
        del num_goals
        return MixtureState(np.empty((0, 0)), np.empty(0), np.empty((0, 0)), no_mixture(), 0)

    def update(self, state: MixtureState, outcome: VisitOutcome) -> tuple[MixtureState, Array]:
        """The shares of all goals, [goals]; NaN before the first fit."""
        assert outcome.places is not None
        goals = outcome.places
        for goal, c in self.shown(outcome):
            state = self._seen(state, goals[goal], c)
            if state.visits % self.refit == 0:
                state = state._replace(mixture=self._fitted(state, goals))
        if not state.mixture.weights.size:
            return state, np.full(len(goals), np.nan)
        return state, mixture_weights(goals, state.mixture)

    def _seen(self, state: MixtureState, place: Array, c: float) -> MixtureState:
        earlier, rows = places.with_dimension(state.places, place[None]), state.progress
        known = state.visits > TOO_FEW
        gained = progress_at(place, c, earlier, state.competences) if known else 0.0
        # The last visit to a place is all that is asked of it: the memory ends with the places there are.
        others = (earlier != place).any(axis=1)
        return MixtureState(
            np.concatenate([earlier[others], place[None]]),
            np.append(state.competences[others], c),
            np.concatenate([rows.reshape(-1, len(place) + 1), [[*place, gained]]])[-self.refit :],
            state.mixture,
            state.visits + 1,
        )

    def _fitted(self, state: MixtureState, goals: Array) -> Mixture:
        """The mixture in units of the goals' extent along each axis, put back into those of places."""
        extent = np.ptp(goals, axis=0)
        scale = np.append(np.where(extent > 0, extent, 1.0), 1.0)
        rows = state.progress / scale
        generator = _streams.generator("mixture", 0, state.visits)
        mixture = best_fit(rows, range(2, self.largest + 1), generator)
        return Mixture(
            mixture.weights,
            mixture.means * scale,
            mixture.covariances * scale[:, None] * scale,
        )
