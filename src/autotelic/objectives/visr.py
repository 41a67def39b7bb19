"""VISR's objective: a state is a direction, and rewards the skill whose direction is near."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.codebook import CodebookObjective, unit


class VisrParams(NamedTuple):
    """phi: observation -> skill; codebook: [goals, skill] unit vectors, which no gradient changes."""

    phi: Mlp
    codebook: jax.Array


@dataclass(frozen=True)
class Visr(CodebookObjective):
    """Hansen et al. 2020: reward phi(s')^T z, loss -E[phi(s')^T z], phi and z of length 1.

    That is log q(z | s') up to a constant, with q a von Mises-Fisher density about phi(s'). VISR learns
    successor features for phi; here the agent's critic learns the value of the same reward.

    phi(s) tends to the direction of E[z | s] over the replay. Goals that are chosen more often draw the
    states that they share with others to themselves, as they do in DIAYN's q; `replay="goal_balanced"`
    of the setting lets all weigh the same.

    concentration: of q, for the posteriors over the codebook alone: softmax_m(concentration phi^T z_m).
      At 40, 1 / sqrt(40) = 0.16 radians is half the way between neighbours of 20 directions in a plane.
    """

    has_representation = True

    concentration: float = option(40.0, "How sharply posteriors tell directions apart.")

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("concentration", self.concentration, above=0.0)

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> VisrParams:
        """A fresh phi, and the goals' directions."""
        phi = Mlp([observation_size], hidden_units, self.skill_size(num_goals), key=key)
        return VisrParams(phi, unit(jnp.asarray(self.vectors(num_goals))))

    def loss(self, params: VisrParams, context: Context, goal: jax.Array) -> jax.Array:
        """-E[phi(s')^T z]."""
        return -jnp.mean(self._likeness(params, context))

    def reward(
        self, params: VisrParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """phi(s')^T z, in [-1, 1] whatever p(g) is: [batch]."""
        return self._likeness(params, context)

    def log_posteriors(self, params: VisrParams, context: Context) -> jax.Array:
        """log softmax_m(concentration phi(s_{t+1})^T z_m): [..., num_goals]."""
        codebook = jax.lax.stop_gradient(params.codebook)
        likeness = self.represent(params, context.next_observation) @ codebook.T
        return jax.nn.log_softmax(self.concentration * likeness)

    def represent(self, params: VisrParams, observation: jax.Array) -> jax.Array:
        """phi(s), of length 1: [..., observation] -> [..., skill]."""
        return unit(params.phi(observation))

    def skill_towards(
        self, params: VisrParams, observation: jax.Array, target: jax.Array
    ) -> jax.Array:
        """phi(g), wherever it sets out: being at g is what this skill is paid for most."""
        del observation
        return self.skill_along(self.represent(params, target))

    def _likeness(self, params: VisrParams, context: Context) -> jax.Array:
        phi = self.represent(params, context.next_observation)
        return jnp.sum(phi * unit(context.skill), axis=-1)
