"""DISDAIN's objective: DIAYN with an ensemble, whose disagreement is paid until states are known."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.classifier import pick
from autotelic.objectives.diayn import Diayn


@dataclass(frozen=True)
class Disdain(Diayn):
    """Strouse et al. 2022: reward max(0, log qbar(g | s) - log p(g)) + bonus [H(qbar) - mean_i H(q_i)].

    qbar is the mean of the members' q_i. In a state not seen before no classifier is certain, which keeps
    DIAYN away from it; there the members disagree as well, and no longer once they have learned from it.

    members: discriminators in the ensemble. They learn from the same batches, and differ by their first
      weights.
    bonus: weight of the disagreement, in nats. At 5 and with two members full disagreement pays
      5 log 2 = 3.5, about what full certainty of one of 20 to 30 goals does (3.0 to 3.4), so that neither
      drowns the other. The authors' 20 is of a table of 24 states, where a reward comes at the last of
      8 steps alone, and the bonus has a critic of its own.

    The others are DIAYN's.
    """

    members: int = option(2, "Discriminators in the ensemble.")
    bonus: float = option(5.0, "Weight of the discriminators' disagreement in the reward.")

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.integer("members", self.members, minimum=1)
        _validate.number("bonus", self.bonus, minimum=0.0)

    def init(self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int) -> Mlp:
        """The members' networks, as one with a leading axis [members] on every array."""

        def member(key: jax.Array) -> Mlp:
            return super(Disdain, self).init(key, observation_size, num_goals, hidden_units)

        return jax.vmap(member)(jax.random.split(key, self.members))

    def loss(self, params: Mlp, context: Context, goal: jax.Array) -> jax.Array:
        """Mean of the members' cross-entropies."""
        log_q = self._members_log_q(params, self._judged(context))
        return -jnp.mean(jax.vmap(pick, in_axes=(0, None))(log_q, goal))

    def reward(
        self, params: Mlp, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """What is known of the goal, and what is not known yet: [batch]."""
        log_q = self._members_log_q(params, self._judged(context))
        certainty = pick(log_mean(log_q), goal)
        return jnp.maximum(certainty - log_prior, 0.0) + self.bonus * disagreement(log_q)

    def log_posteriors(self, params: Mlp, context: Context) -> jax.Array:
        """log qbar(. | s_{t+1}) over all goals: [..., num_goals]."""
        return log_mean(self._members_log_q(params, context.next_observation))

    def _members_log_q(self, params: Mlp, observation: jax.Array) -> jax.Array:
        """[members, ..., num_goals]."""
        return jax.vmap(self._log_q, in_axes=(0, None))(params, observation)


def log_mean(log_q: jax.Array) -> jax.Array:
    """log of the members' mean probability: [members, ..., goals] -> [..., goals]."""
    return jax.nn.logsumexp(log_q, axis=0) - jnp.log(len(log_q))


def disagreement(log_q: jax.Array) -> jax.Array:
    """H(qbar) - mean_i H(q_i), in [0, log min(members, goals)]: [members, ..., goals] -> [...]."""
    gain = _entropy(log_mean(log_q)) - jnp.mean(_entropy(log_q), axis=0)
    return jnp.maximum(gain, 0.0)  # rounding may leave less where all agree


def _entropy(log_q: jax.Array) -> jax.Array:
    return -jnp.sum(jnp.exp(log_q) * log_q, axis=-1)
