"""A classifier of goals that training never saw: fitted to some trajectories, judged on others.

Multinomial logistic regression on standardised observations. It has no setting to tune, its fit is
convex (one answer, whatever the solver), and on skills that differ in nothing it stays at chance
where a small network learns noise.
"""

from typing import NamedTuple

import numpy as np

from autotelic import _streams, _validate
from autotelic.evaluation import softmax_regression
from autotelic.evaluation.metrics import Judgements, accuracy, mean_and_deviation, per_trajectory
from autotelic.evaluation.trajectories import Trajectories

LARGEST_FIT, PER_ENTRY = 10_000, 100
"""Steps that a fit looks at in all, and for each goal and entry of an observation: those of one
trajectory are alike, and more of them only take time."""

PRIOR_VARIANCE = 10.0
"""Of the weights: wide, so that skills that lie far apart are recognised with confidence."""


class HeldOutAccuracy(NamedTuple):
    """Accuracy of the held-out classifier for each member, [members]; chance is 1/|G|."""

    per_step: np.ndarray
    per_trajectory: np.ndarray


def held_out_accuracy(trajectories: Trajectories, seed: int = 0) -> HeldOutAccuracy:
    """How well goals are recognised from single states, and from whole trajectories.

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

    The fit minimises -(1/|G|) sum_g mean log p(g | s) + |W|^2 / (2 v n), v = 10, n the number of
    steps made in the fitted trajectories, p = softmax(W s + b), s standardised. It looks at 100 steps
    of each goal for every entry of an observation, and at 10 000 in all, drawn at random. The start
    of a trajectory is left out: no skill has had a say in it.

    Args:
        observations: [goals, trajectories, steps + 1, observation], the start first.
        lengths: [goals, trajectories] steps made.
        seed: of the split, and of the steps the fit looks at.
    """
    _validate.seed("seed", seed)
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
    generator = _streams.generator("held-out classifier", seed)
    fitted, held_out = halves((goals, trajectories), generator)

    rows, labels = _steps(observations, lengths, fitted)
    penalty = 1.0 / (PRIOR_VARIANCE * len(rows))
    count = max(1, min(LARGEST_FIT // goals, PER_ENTRY * rows.shape[1]))
    chosen = _at_most(labels, count, generator)
    rows, labels = rows[chosen], labels[chosen]
    mean, deviation = mean_and_deviation(rows)
    problem = softmax_regression.make_problem((rows - mean) / deviation, labels, goals, penalty)
    weights = softmax_regression.fit(problem)

    tested, _ = _steps(observations, lengths, held_out)
    scores = ((tested - mean) / deviation) @ weights[:, :-1].T + weights[:, -1]
    test_lengths = np.take_along_axis(lengths, held_out, axis=1)
    steps = observations.shape[2] - 1
    log_probabilities = np.full((*held_out.shape, steps, goals), np.nan)
    made = np.arange(steps) < test_lengths[..., None]
    log_probabilities[made] = softmax_regression.log_softmax(scores)
    return Judgements(log_probabilities, test_lengths)


def halves(shape: tuple[int, ...], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which trajectories of each goal are fitted and which held out, [goals, n] each; of [goals, all]."""
    goals, trajectories = shape
    order = generator.permuted(np.tile(np.arange(trajectories), (goals, 1)), axis=1)
    return order[:, : trajectories // 2], order[:, trajectories // 2 :]


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
