"""CSF's objective (Zheng et al. 2025): METRA's directions by contrast, with successor features."""

from dataclasses import dataclass
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Context
from autotelic.objectives.codebook import sphere
from autotelic.objectives.displacement import (
    DisplacementObjective,
    DisplacementParams,
    displacement,
    progress,
)


@dataclass(frozen=True)
class Csf(DisplacementObjective):
    """Zheng et al. 2025: reward D^T z, D = phi(s') - phi(s), and phi learned by contrast with other skills.

        L_phi = -E[w (D^T z - xi log mean_j exp(D^T z_j))],

    z centred or w weighted by `balance`; the negatives z_j stay uniform on the sphere. The second term
    keeps steps short, so there is no constraint and no multiplier. The agent is given D itself, and
    its critics predict the sum of those to come.

    negatives: how many z_j. They are quasi-uniform directions, the same at every update, in place of
      CSF's fresh draws: in two dimensions an exact rule for the mean over the sphere, and elsewhere a
      better one than as many draws. A sum for the mean, as in CSF's code, differs by a constant.
    negative_weight: xi, above 1: with less the loss falls without end as steps grow longer.
    """

    vector_reward = True

    negatives: int = option(256, "Directions that a step is contrasted with.")
    negative_weight: float = option(5.0, "Weight of the contrast, above 1.")

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("negatives", self.negatives, minimum=2, maximum=100_000)
        _validate.number("negative_weight", self.negative_weight, above=1.0)
        if self.codebook is None and self.skills == "one_hot":
            raise ValueError(
                "CSF contrasts a skill with other directions of a sphere, and skills are one_hot; choose "
                "skills='sphere' (--skills sphere), or Metra(skills='one_hot') (--objective metra)"
            )
        if self.codebook is not None:
            lengths = np.linalg.norm(np.array(self.codebook), axis=1)
            if np.any(np.abs(lengths - 1) > 1e-3):
                raise ValueError(
                    "CSF's skills are directions of length 1, and the codebook has lengths from "
                    f"{lengths.min():.3g} to {lengths.max():.3g}; divide its vectors by their lengths"
                )

    def loss(self, params: DisplacementParams, context: Context, goal: jax.Array) -> jax.Array:
        """L_phi + the posteriors' calibration, which reaches beta alone."""
        skill, weight = self.balanced(context.skill, goal, len(params.codebook))
        moved = displacement(params.phi, context.observation, context.next_observation)
        others = jnp.asarray(directions(self.negatives, skill.shape[-1]))
        return contrastive_loss(
            moved, skill, others, self.negative_weight, weight
        ) + self.calibration(params, context, goal, weight)

    def reward(
        self, params: DisplacementParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """D, [batch, skill]: its product with the skill is the reward, whatever p(g) is."""
        del goal, log_prior
        return displacement(params.phi, context.observation, context.next_observation)

    def longest(self, context: Context) -> jax.Array:
        """|D| of a step that tells its skill for certain, where the loss is least: [...]."""
        length = best_length(self.negative_weight, self.negatives, context.skill.shape[-1])
        return jnp.full(context.observation.shape[:-1], length)


def contrastive_loss(
    moved: jax.Array,
    skill: jax.Array,
    negatives: jax.Array,
    negative_weight: float,
    weight: jax.Array,
) -> jax.Array:
    """-E[w (D^T z - xi log mean_j exp(D^T z_j))]: [batch, skill] x 2, [negatives, skill] -> []."""
    mean = jax.nn.logsumexp(moved @ negatives.T, axis=-1) - jnp.log(float(len(negatives)))
    return -jnp.mean(weight * (progress(moved, skill) - negative_weight * mean))


@lru_cache(maxsize=32)
def directions(count: int, dimension: int) -> np.ndarray:
    """`codebook.sphere` [count, dimension], made once: in many dimensions it takes a second."""
    return sphere(count, dimension).astype(np.float32)


@lru_cache(maxsize=32)
def best_length(negative_weight: float, negatives: int, dimension: int) -> float:
    """The |D| that minimises the loss of D along z: where xi E_softmax[z_j^T z] = 1.

    >>> round(best_length(5.0, 256, 2), 3)
    0.408
    """
    points = directions(negatives, dimension).astype(float)
    along = points @ points[0]  # one of them, whose own product is 1: a length is always found

    def pull(length: float) -> float:
        weights = np.exp(length * (along - 1))
        return negative_weight * float(weights @ along / weights.sum())

    shortest, longest = 0.0, 1.0
    while pull(longest) < 1.0:
        shortest, longest = longest, 2 * longest
    for _ in range(60):
        middle = (shortest + longest) / 2
        shortest, longest = (middle, longest) if pull(middle) < 1.0 else (shortest, middle)
    return longest
