"""METRA's objective (Park et al. 2024): directions in a map whose distances are numbers of steps."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Context
from autotelic.objectives.displacement import (
    DisplacementObjective,
    DisplacementParams,
    displacement,
    progress,
)

DISTANCES = ("temporal", "euclidean")


@dataclass(frozen=True)
class Metra(DisplacementObjective):
    """Park et al. 2024: reward D^T z, D = phi(s') - phi(s), under |D|^2 <= d(s, s')^2 for each step.

    With c = min(slack, d(s, s')^2 - |D|^2) and a multiplier lambda that dual descent moves,

        L_phi = -E[w (D^T z + lambda c)],    L_lambda = log(lambda) E[w c],

    z centred or w weighted by `balance`. |D|^2 is the sum over dimensions. METRA's code takes their
    mean: then a step may be sqrt(dimension) long, and D^T z no longer ends at 1.

    distance: `temporal`, d = 1 for states a step apart, so that phi spreads what takes long to reach;
      `euclidean`, d = |s' - s| (LSD, whose own code bounds phi by spectral norms instead).
    slack: what c is cut to where the constraint holds: shorter steps then pay nothing, and lambda falls
      slowly.
    multiplier: where lambda starts.
    """

    usual_distance: ClassVar[str] = "temporal"

    # None stands for the class's own: a shell's flag has one default for both classes.
    distance: str | None = option(
        None,
        "What bounds a step in the map: 1, or its length in observations.",
        choices=DISTANCES,
        unset="temporal; euclidean for lsd",
    )
    slack: float = option(1e-3, "How much of a satisfied constraint counts.")
    multiplier: float = option(30.0, "Where the constraint's multiplier starts.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance is None:
            object.__setattr__(self, "distance", self.usual_distance)
        _validate.choice("distance", self.distance, DISTANCES)
        _validate.number("slack", self.slack, minimum=0.0)
        _validate.number("multiplier", self.multiplier, above=0.0)

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> DisplacementParams:
        """A fresh phi and the multiplier where it starts."""
        params = super().init(key, observation_size, num_goals, hidden_units)
        return params._replace(log_multiplier=jnp.log(jnp.float32(self.multiplier)))

    def loss(self, params: DisplacementParams, context: Context, goal: jax.Array) -> jax.Array:
        """L_phi + L_lambda + the posteriors' calibration: one scalar, each with gradients of its own."""
        skill, weight = self.balanced(context.skill, goal, len(params.codebook))
        moved = displacement(params.phi, context.observation, context.next_observation)
        left = room(moved, self.squared_distance(context), self.slack)
        assert not isinstance(params.log_multiplier, tuple)
        return (
            map_loss(moved, skill, left, params.log_multiplier, weight)
            + multiplier_loss(params.log_multiplier, left, weight)
            + self.calibration(params, context, goal, weight)
        )

    def reward(
        self, params: DisplacementParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """D^T z, [batch]: whatever p(g) is."""
        del goal, log_prior
        moved = displacement(params.phi, context.observation, context.next_observation)
        return progress(moved, context.skill)

    def squared_distance(self, context: Context) -> jax.Array:
        """d(s, s')^2 by `distance`: [...]."""
        if self.distance == "temporal":
            return jnp.ones(context.observation.shape[:-1])
        return jnp.sum((context.next_observation - context.observation) ** 2, axis=-1)

    def longest(self, context: Context) -> jax.Array:
        """d(s, s'), [...]: what the constraint allows."""
        return jnp.sqrt(self.squared_distance(context))


@dataclass(frozen=True)
class Lsd(Metra):
    """Park et al. 2022, as METRA with another distance: a step in the map is no longer than |s' - s|."""

    usual_distance: ClassVar[str] = "euclidean"


def room(moved: jax.Array, squared_distance: jax.Array, slack: float) -> jax.Array:
    """c = min(slack, d(s, s')^2 - |D|^2), below 0 where a step is too long: [batch, skill] -> [batch]."""
    return jnp.minimum(slack, squared_distance - jnp.sum(moved**2, axis=-1))


def map_loss(
    moved: jax.Array,
    skill: jax.Array,
    left: jax.Array,
    log_multiplier: jax.Array,
    weight: jax.Array,
) -> jax.Array:
    """L_phi = -E[w (D^T z + lambda c)], lambda held: [batch, skill] x 2, [batch], [], [batch] -> []."""
    multiplier = jax.lax.stop_gradient(jnp.exp(log_multiplier))
    return -jnp.mean(weight * (progress(moved, skill) + multiplier * left))


def multiplier_loss(log_multiplier: jax.Array, left: jax.Array, weight: jax.Array) -> jax.Array:
    """L_lambda = log(lambda) E[w c], c held: raises lambda while steps are too long. [], [batch] -> []."""
    return log_multiplier * jnp.mean(weight * jax.lax.stop_gradient(left))
