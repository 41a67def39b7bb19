"""A classifier of goals that training never saw: fitted to some trajectories, judged on others.

Multinomial logistic regression on standardised observations. It has no setting to tune, its fit is
convex (one answer, whatever the solver), and on skills that differ in nothing it stays at chance
where a small network learns noise.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np

from autotelic import _validate
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation.metrics import Judgements, accuracy, per_trajectory
from autotelic.evaluation.trajectories import Trajectories

LARGEST_FIT = 10_000
"""Steps that a fit looks at: more of the same trajectories make it slower, hardly better."""

LARGEST_HESSIAN = 500
"""Parameters up to which Newton's method is the quicker solver."""

PENALTY = 10.0
"""Inverse strength of the L2 penalty (scikit-learn's C): weak, so that skills that lie far apart are
told apart with confidence."""


class HeldOutAccuracy(NamedTuple):
    """Accuracy of the held-out classifier for each member, [members]; chance is 1/|G|."""

    per_step: np.ndarray
    per_trajectory: np.ndarray


def held_out_accuracy(trajectories: Trajectories, seed: int = 0) -> HeldOutAccuracy:
    """How well goals are told apart from single states, and from whole trajectories.

    Range [0, 1]; chance 1/|G|, and what untrained skills reach is the null to compare with.
    """
    judged = [
        held_out_judgements(observations, lengths, seed)
        for observations, lengths in zip(
            trajectories.observations, trajectories.lengths, strict=True
        )
    ]
    return HeldOutAccuracy(
        np.array([accuracy(judgements) for judgements in judged]),
        np.array([accuracy(per_trajectory(judgements)) for judgements in judged]),
    )


def held_out_judgements(observations: np.ndarray, lengths: np.ndarray, seed: int = 0) -> Judgements:
    """Fit to half of one learner's trajectories of each goal, judge every step of the others.

    The start of a trajectory is left out: no skill has had a say in it.

    Args:
        observations: [goals, trajectories, steps + 1, observation], the start first.
        lengths: [goals, trajectories] steps made.
        seed: of the split, and of the steps the fit looks at.
    """
    _validate.integer("seed", seed, minimum=0)
    if observations.ndim != 4 or lengths.shape != observations.shape[:2]:
        raise ValueError(
            "observations must have the shape [goals, trajectories, steps + 1, observation] and "
            f"lengths [goals, trajectories], got {list(observations.shape)} and "
            f"{list(lengths.shape)}"
        )
    goals, trajectories = lengths.shape
    if goals < 2 or trajectories < 2:
        raise ValueError(
            "a held-out classifier needs at least 2 goals with 2 trajectories each, got "
            f"{goals} goals with {trajectories}"
        )
    generator = np.random.default_rng(seed)
    order = generator.permuted(np.tile(np.arange(trajectories), (goals, 1)), axis=1)
    fitted, held_out = order[:, : trajectories // 2], order[:, trajectories // 2 :]

    rows, labels = _steps(observations, lengths, fitted)
    chosen = _at_most(labels, LARGEST_FIT // goals, generator)
    rows, labels = rows[chosen], labels[chosen]
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    model = _fit((rows - mean) / deviation, labels)

    tested, _ = _steps(observations, lengths, held_out)
    test_lengths = np.take_along_axis(lengths, held_out, axis=1)
    steps = observations.shape[2] - 1
    log_probabilities = np.full((*held_out.shape, steps, goals), np.nan)
    log_probabilities[np.arange(steps) < test_lengths[..., None]] = model.predict_log_proba(
        (tested - mean) / deviation
    )
    return Judgements(log_probabilities, test_lengths)


def _steps(
    observations: np.ndarray, lengths: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The steps made in the chosen trajectories [goals, n]: rows [steps, observation] and goals."""
    seen = np.take_along_axis(observations[:, :, 1:], chosen[..., None, None], axis=1)
    made = np.take_along_axis(lengths, chosen, axis=1)
    valid = np.arange(seen.shape[2]) < made[..., None]
    return seen[valid].astype(np.float64), np.nonzero(valid)[0]


def _at_most(labels: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """Indices of up to `count` rows of each label, drawn at random."""
    shuffled = generator.permutation(len(labels))
    parts = [shuffled[labels[shuffled] == label][:count] for label in np.unique(labels)]
    return np.concatenate(parts)


def _fit(rows: np.ndarray, labels: np.ndarray) -> Any:
    parameters = (rows.shape[1] + 1) * (labels.max() + 1)
    solver = "newton-cholesky" if parameters <= LARGEST_HESSIAN else "lbfgs"
    model = scikit_learn("linear_model").LogisticRegression(
        C=PENALTY, solver=solver, max_iter=200, class_weight="balanced"
    )
    with warnings.catch_warnings():
        # A fit stopped early is still a classifier, and judged as such on held-out data.
        warnings.simplefilter("ignore", scikit_learn("exceptions").ConvergenceWarning)
        return model.fit(rows, labels)
