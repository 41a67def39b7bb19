"""How well skills can be distinguished: pure functions of arrays, each with its range and null value.

A classifier of goals, be it the discriminator q of training or one fitted to held-out trajectories,
is judged through its `Judgements`. Every goal counts the same, however long its trajectories are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.selectors import effective_number_of_skills as effective_number_of_skills


class Judgements(NamedTuple):
    """log p(. | s_t) of a classifier on trajectories whose goals are known.

    log_probabilities: [goals, trajectories, steps, goals], first the goal pursued, last the goal
      asked about; what lies beyond a trajectory's length is never looked at.
    lengths: [goals, trajectories] judged steps of each trajectory.
    """

    log_probabilities: np.ndarray
    lengths: np.ndarray


def valid_steps(judgements: Judgements) -> npt.NDArray[np.bool_]:
    """Which steps are within their trajectory: [goals, trajectories, steps]."""
    log_probabilities, lengths = judgements
    shape = log_probabilities.shape
    if len(shape) != 4 or shape[0] != shape[3] or lengths.shape != shape[:2]:
        raise ValueError(
            "judgements need log_probabilities [goals, trajectories, steps, goals] and lengths "
            f"[goals, trajectories], got {list(shape)} and {list(lengths.shape)}"
        )
    if lengths.size == 0 or lengths.min() < 1 or lengths.max() > shape[2]:
        raise ValueError(f"each trajectory must have between 1 and {shape[2]} judged steps")
    valid = np.arange(shape[2]) < lengths[..., None]
    if np.isnan(log_probabilities[valid]).any():
        raise ValueError("log_probabilities hold NaN within a trajectory's length")
    return valid


def accuracy(judgements: Judgements) -> float:
    """(1/|G|) sum_g of the share of g's steps whose most probable goal is g.

    Range [0, 1]; chance 1/|G|.
    """
    return float(np.diag(confusion(judgements)).mean())


def macro_f1(judgements: Judgements) -> float:
    """The mean over goals of F1 = 2 TP / (2 TP + FP + FN), from the `confusion` of the steps.

    Range [0, 1]; near 1/|G| for a guess that does not depend on the state, and 2 / (|G| (|G| + 1))
    for one that always names the same goal.
    """
    return _f1(confusion(judgements))


def negative_log_likelihood(judgements: Judgements) -> float:
    """-(1/|G|) sum_g of the mean log p(g | s_t) over g's steps, in nats.

    Range [0, inf); log |G| for a classifier that knows nothing and says so.
    """
    return -_own_mean(judgements, lambda log_probabilities: log_probabilities)


def mean_certainty(judgements: Judgements) -> float:
    """(1/|G|) sum_g of the mean p(g | s_t) over g's steps. Range [0, 1]; chance 1/|G|."""
    return _own_mean(judgements, np.exp)


def mutual_information_bound(judgements: Judgements) -> float:
    """max(0, log |G| + mean log p(g | s_t)) <= I(g; s), in nats, with g uniform (Eq. 2).

    A lower bound for any classifier that has not seen the trajectories. Range [0, log |G|]; null 0.
    """
    return max(0.0, float(np.log(len(judgements.lengths))) - negative_log_likelihood(judgements))


def per_trajectory(judgements: Judgements) -> Judgements:
    """Judge each trajectory as a whole: log p(g | s_1 ... s_T) = sum_t log p(g | s_t) + constant.

    Steps are taken as independent given the goal, so the most probable goal is to be trusted more
    than its probability. The result has one step a trajectory and suits every metric here.
    """
    steps = np.where(valid_steps(judgements)[..., None], judgements.log_probabilities, 0.0)
    total = steps.sum(axis=2, dtype=np.float64)
    total -= total.max(axis=-1, keepdims=True)
    total -= np.log(np.exp(total).sum(axis=-1, keepdims=True))
    return Judgements(total[:, :, None], np.ones_like(judgements.lengths))


def confusion(judgements: Judgements) -> Array:
    """The share of goal g's steps whose most probable goal is h: [g, h], rows sum to 1."""
    valid = valid_steps(judgements)
    best = judgements.log_probabilities.argmax(axis=-1)
    return np.stack(
        [
            np.bincount(best[goal][valid[goal]], minlength=len(best)) / valid[goal].sum()
            for goal in range(len(best))
        ]
    )


def knn_f1(features: npt.ArrayLike, neighbours: int = 5) -> float:
    """Macro F1 of naming each trajectory's goal by its nearest others, leaving itself out.

    The goal that most of the `neighbours` nearest trajectories pursue is named; among goals with as
    many, the one whose trajectory is nearest. Range [0, 1]; near 1/|G| if goals do not matter.

    Args:
        features: [goals, trajectories, size], one vector a trajectory, such as `mean_observations`,
            scaled alike for all that is compared (`standardised`).
        neighbours: at most the other trajectories there are.
    """
    features = np.asarray(features, dtype=np.float64)
    if features.ndim != 3:
        raise ValueError(
            f"features must have the shape [goals, trajectories, size], got {list(features.shape)}"
        )
    goals, trajectories, size = features.shape
    _validate.integer("neighbours", neighbours, minimum=1)
    if neighbours >= goals * trajectories:
        raise ValueError(
            f"neighbours must be fewer than the {goals * trajectories} trajectories "
            f"({goals} goals x {trajectories}), got {neighbours}"
        )
    search = scikit_learn("neighbors").NearestNeighbors(n_neighbors=neighbours)
    search.fit(features.reshape(-1, size))
    nearest = search.kneighbors(return_distance=False) // trajectories  # goals, nearest first
    votes = (nearest[:, :, None] == np.arange(goals)).sum(axis=1)
    most = votes[np.arange(len(votes))[:, None], nearest] == votes.max(axis=1, keepdims=True)
    named = nearest[np.arange(len(nearest)), most.argmax(axis=1)].reshape(goals, trajectories)
    return _f1(np.stack([np.bincount(row, minlength=goals) / trajectories for row in named]))


def mean_observations(observations: npt.ArrayLike, lengths: npt.ArrayLike) -> Array:
    """The mean of each trajectory's observations, its start left out (Appendix D.3).

    Args:
        observations: [..., steps + 1, observation], the start first.
        lengths: [...] steps made.

    Returns:
        [..., observation].
    """
    seen = np.asarray(observations)[..., 1:, :]
    lengths = np.asarray(lengths)
    valid = np.arange(seen.shape[-2]) < lengths[..., None]
    total = np.where(valid[..., None], seen, 0.0).sum(axis=-2, dtype=np.float64)
    return total / lengths[..., None]


def standardised(features: npt.ArrayLike) -> Array:
    """Features [..., size] with mean 0 and standard deviation 1 over all but the last axis.

    Pass all members that are compared at once, so that they share one scale. An entry that never
    changes becomes 0.
    """
    features = np.asarray(features, dtype=np.float64)
    mean, deviation = mean_and_deviation(features)
    return (features - mean) / deviation


def mean_and_deviation(features: Array) -> tuple[Array, Array]:
    """What features [..., size] are standardised by, [size] each.

    The deviation of an entry that never changes counts as 1.
    """
    axes = tuple(range(features.ndim - 1))
    deviation = features.std(axis=axes)
    return features.mean(axis=axes), np.where(deviation > 0, deviation, 1.0)


def _own_mean(judgements: Judgements, function: Callable[[np.ndarray], np.ndarray]) -> float:
    """(1/|G|) sum_g of the mean over g's steps of a function of log p(g | s_t)."""
    goals = np.arange(len(judgements.lengths))
    own = function(judgements.log_probabilities[goals, :, :, goals])
    valid = valid_steps(judgements)
    total = np.where(valid, own, 0.0).sum(axis=(1, 2), dtype=np.float64)
    return float((total / valid.sum(axis=(1, 2))).mean())


def _f1(confused: Array) -> float:
    """The mean F1 over goals of a confusion [goals, goals] with rows of equal weight."""
    right = np.diag(confused)
    return float((2 * right / (confused.sum(axis=0) + confused.sum(axis=1))).mean())
