"""The metrics of one learner: from its trajectories, from distances on a shared scale, from choices."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _streams
from autotelic.evaluation import distances, diversity, metrics, selection
from autotelic.evaluation.catalogue import VENDI_ORDERS
from autotelic.evaluation.classifier import held_out_judgements
from autotelic.evaluation.health import LearnerHistory
from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.refit import refitted_judgements
from autotelic.evaluation.trajectories import Trajectories
from autotelic.learner.setting import Setting

Array = npt.NDArray[np.float64]

NEIGHBOURS = 5
DIRECTIONS = 100
"""Of the sliced Wasserstein distance."""
CELLS = 20
"""Of the unit box's grid, in each direction."""
LARGEST_KERNEL = 500
"""Trajectories whose Vendi score is found: eigenvalues of 2000 take seconds for each learner."""
OWN_STATES = 100
"""States of each goal that distinct skills are counted by."""


def skill_metrics(
    trajectories: Trajectories, judged: Judgements, *, in_unit_box: bool, seed: int
) -> dict[str, float]:
    """What one learner's trajectories show without a scale shared with others.

    Args:
        trajectories: of one member.
        judged: its own discriminator's judgements of them.
        in_unit_box: whether positions are those of 2D navigation.
        seed: of the split into fitted and held-out trajectories.
    """
    held_out = held_out_judgements(trajectories.observations[0], trajectories.lengths[0], seed)
    whole = metrics.per_trajectory(held_out)
    return {
        "held_out_accuracy": metrics.accuracy(held_out),
        "held_out_f1": metrics.macro_f1(held_out),
        "held_out_nll": metrics.negative_log_likelihood(held_out),
        "mutual_information": metrics.mutual_information_bound(held_out),
        "trajectory_accuracy": metrics.accuracy(whole),
        "trajectory_f1": metrics.macro_f1(whole),
        "trajectory_nll": metrics.negative_log_likelihood(whole),
        "discriminator_accuracy": metrics.accuracy(judged),
        "discriminator_nll": metrics.negative_log_likelihood(judged),
        "certainty": metrics.mean_certainty(judged),
        "calibration_error": selection.calibration_error(judged),
        "distinct_skills": _distinct_skills(trajectories, seed),
        **_coverage(trajectories, in_unit_box),
    }


def curve_metrics(
    trajectories: Trajectories, judged: Judgements, *, in_unit_box: bool, seed: int = 0
) -> dict[str, float]:
    """What is measured while a run trains: the quick ones, none of which needs another learner.

    See `skill_metrics` for the arguments. KNN-F1 has the learner's own features standardised by
    themselves, where an evaluation has those of all learners on one scale.
    """
    held_out = held_out_judgements(trajectories.observations[0], trajectories.lengths[0], seed)
    features = metrics.standardised(
        metrics.mean_observations(trajectories.observations[0], trajectories.lengths[0])
    )
    return {
        "held_out_accuracy": metrics.accuracy(held_out),
        "trajectory_accuracy": metrics.accuracy(metrics.per_trajectory(held_out)),
        "mutual_information": metrics.mutual_information_bound(held_out),
        "discriminator_accuracy": metrics.accuracy(judged),
        "knn_f1": _knn_f1(features),
        "distinct_skills": _distinct_skills(trajectories, seed),
        **_coverage(trajectories, in_unit_box),
    }


def refitted_accuracy(setting: Setting, trajectories: Trajectories, seed: int = 0) -> float:
    """Accuracy of a discriminator fitted anew to one member's trajectories, see `refit`."""
    judged = refitted_judgements(
        setting.objective,
        setting.hidden_units,
        trajectories.observations[0],
        trajectories.lengths[0],
        seed,
    )
    return metrics.accuracy(judged)


def _knn_f1(features: Array) -> float:
    # More neighbours than a skill has other trajectories would outvote them.
    return metrics.knn_f1(features, min(NEIGHBOURS, features.shape[1] - 1))


def _coverage(trajectories: Trajectories, in_unit_box: bool) -> dict[str, float]:
    """Of the unit box, or of the ground; nothing where no positions are known."""
    if trajectories.positions is None:
        return {}
    if in_unit_box:
        name = "grid_coverage"
        covered = diversity.grid_coverage(trajectories.positions[0], 0.0, 1.0, CELLS)
    else:
        name = "cells_visited"
        covered = diversity.cells_visited(trajectories.positions[0], 1.0)
    return {name: covered.pooled, f"{name}_per_skill": float(covered.per_skill.mean())}


def _distinct_skills(trajectories: Trajectories, seed: int) -> float:
    """`diversity.distinct_skills` of states standardised by themselves."""
    generator = _streams.generator("distinct skills", seed)
    lengths = trajectories.lengths[0]
    count = max(OWN_STATES, lengths.shape[1])
    states = metrics.standardised(
        distances.sample_states(trajectories.observations[0], lengths, count, generator)
    )
    directions = distances.random_directions(states.shape[-1], DIRECTIONS, generator)
    return diversity.distinct_skills(states, directions)


class Scales(NamedTuple):
    """Of the Gaussian kernels: the median distance of two trajectories' features, and of two states."""

    features: float
    states: float


def distance_metrics(
    features: Array, states: Array, scales: Scales, generator: np.random.Generator
) -> dict[str, float]:
    """What depends on how far apart things lie: standardised features and states of one learner.

    Args:
        features: [goals, trajectories, observation].
        states: [goals, trajectories, steps, observation].
        scales: shared by all that is compared.
        generator: draws directions and halves.
    """
    trajectories = features.shape[1]
    values = {
        "knn_f1": _knn_f1(features),
        "silhouette": diversity.silhouette(features),
        "spread_density": diversity.spread_density(features, min(NEIGHBOURS, trajectories - 1)),
        "particle_entropy": diversity.particle_entropy(states),
    }
    directions = distances.random_directions(states.shape[-1], DIRECTIONS, generator)
    measured: dict[str, tuple[Callable[[Array], Array], distances.Null]] = {
        "energy_distance": (distances.energy_distances, "inverse"),
        "squared_mmd": (partial(distances.squared_mmd, scale=scales.states), "zero"),
        "wasserstein": (partial(distances.sliced_wasserstein, directions=directions), "halves"),
    }
    apart = {}
    for name, (distance, null) in measured.items():
        apart[name] = distances.separation(states, distance, generator, null)
        values[name] = apart[name].mean
        values[f"{name}_minimum"] = apart[name].minimum
        values[f"{name}_floor"] = apart[name].floor
    kernels = {
        "trajectories": diversity.trajectory_kernel(
            features[:, : max(1, LARGEST_KERNEL // len(features))], scales.features
        ),
        # Skills as far apart as two states are in the median count as rather different.
        "skills": diversity.gaussian_kernel(apart["wasserstein"].distances ** 2, scales.states),
    }
    for kind, kernel in kernels.items():
        scores: Any = diversity.vendi_score(kernel, list(VENDI_ORDERS.values()))
        values |= {
            f"vendi_{kind}_{order}": float(score)
            for order, score in zip(VENDI_ORDERS, scores, strict=True)
        }
    return values


def selection_metrics(history: LearnerHistory) -> dict[str, float]:
    """What a learner's selector did with its choices, over the whole run."""
    num_goals = history.prior.shape[1]
    counts = selection.selection_counts(history.goals, num_goals)[-1]
    values = {
        "effective_selections": float(
            selection.effective_number_of_selections(history.goals, num_goals)[-1]
        ),
        "selection_gini": selection.selection_gini(counts),
    }
    visits = selection.successive_visits(history.goals, history.signal, history.certainty)
    varied = len(visits.goal) > 0 and np.ptp(visits.signal) > 0 and np.ptp(visits.improvement) > 0
    if varied and len(np.unique(visits.goal)) > 1:
        # The interval over visits is not asked for here: seeds give one.
        found = selection.predictiveness([visits], np.random.default_rng(0), resamples=1)
        values["signal_correlation"] = found.correlation
    return values
