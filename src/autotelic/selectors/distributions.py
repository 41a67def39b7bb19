"""Distributions over goals: softmax, the floor that keeps p(g) positive, the draw, and the
effective number of skills.
"""

import numpy as np
import numpy.typing as npt

from autotelic._types import Array

# The reward holds -log p(g); DIAYN's code adds 1e-6 inside the logarithm for the same reason.
PRIOR_FLOOR = 1e-6


def uniform(num_goals: int) -> Array:
    """p(g) = 1/|G|; [goals]."""
    return np.full(num_goals, 1.0 / num_goals)


def uniform_over(mask: npt.NDArray[np.bool_]) -> Array:
    """The same probability for every goal in the mask, 0 for the others; [goals] -> [goals]."""
    return mask / mask.sum()


def softmax(values: npt.ArrayLike, temperature: float = 1.0) -> Array:
    """exp(v / T) / sum exp(v / T), Algorithm 1 line 9; [goals] -> [goals]. Safe for values of any
    size.
    """
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):  # a quotient of -inf is the right limit: probability 0
        weights = np.exp((values - values.max()) / temperature)
    return weights / weights.sum()


def mixed_with_uniform(probabilities: Array, epsilon: float) -> Array:
    """(1 - epsilon) p + epsilon / |G|; [goals] -> [goals]."""
    return (1.0 - epsilon) * probabilities + epsilon / len(probabilities)


def levelled(logits: Array, goals: npt.NDArray[np.bool_]) -> Array:
    """Logits with those of these goals set to that of the mean probability, 1/|G|, so that after the
    softmax the others keep their odds; [goals] -> [goals]. All of them make it uniform.
    """
    largest = logits.max()
    return np.where(goals, largest + np.log(np.exp(logits - largest).mean()), logits)


def restricted(probabilities: Array, mask: npt.NDArray[np.bool_]) -> Array:
    """The distribution given that the goal is in the mask: uniform over the mask if it holds none of those,
    and 0 if no goal is in it; [goals] -> [goals].
    """
    if mask.all():
        return probabilities
    if not mask.any():
        return np.zeros_like(probabilities)
    within = np.where(mask, probabilities, 0.0)
    total = within.sum()
    return within / total if total > 0 else uniform_over(mask)


def positive(probabilities: Array) -> Array:
    """The distribution with no entry under about `PRIOR_FLOOR`: raised to it, then scaled to sum to
    1; [goals] -> [goals].
    """
    raised = np.maximum(probabilities, PRIOR_FLOOR)
    return raised / raised.sum()


def draw(probabilities: Array, generator: np.random.Generator) -> int:
    """One goal, by inversion of one uniform number. A goal of probability 0 is never drawn."""
    cumulative = np.cumsum(probabilities)
    return int(np.searchsorted(cumulative / cumulative[-1], generator.random(), side="right"))


def effective_number_of_skills(probabilities: npt.ArrayLike) -> float | Array:
    """exp(entropy) of a distribution over goals (Appendix D.2): how many goals the selector
    effectively draws from.

    Args:
        probabilities: one distribution [goals], or a batch [..., goals]; rows sum to 1.

    Returns:
        A float for one distribution, an array [...] for a batch.

    >>> round(effective_number_of_skills([0.25, 0.25, 0.25, 0.25]), 9)
    4.0
    >>> effective_number_of_skills([[1.0, 0.0], [0.5, 0.5]]).round(9)
    array([1., 2.])
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError(
            f"probabilities must have the shape [goals] or [..., goals], got the shape {p.shape}"
        )
    # Written so that NaN fails too.
    if not (p >= 0).all() or not (np.abs(p.sum(axis=-1) - 1.0) <= 1e-3).all():
        raise ValueError(
            "probabilities must not be negative or NaN and must sum to 1 over the last axis"
        )
    logarithm = np.log(p, out=np.zeros_like(p), where=p > 0)
    number = np.exp(-(p * logarithm).sum(axis=-1))
    return float(number) if p.ndim == 1 else number
