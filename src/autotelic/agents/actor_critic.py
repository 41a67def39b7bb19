"""What soft actor-critics share: one update, and the losses of their critics."""

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from autotelic.agents import adam
from autotelic.agents.base import Agent, Batch
from autotelic.networks import Mlp


class ActorCritic(Agent):
    """An agent whose state is (networks, target, optimizer), as a NamedTuple of its own.

    One of the networks is `policy`; the target follows the one that `followed` names.
    """

    followed: ClassVar[str] = "twin_q"
    target_rate: float

    def policy(self, state: Any) -> Mlp:
        """See `Agent.policy`."""
        return state.networks.policy

    def with_policy(self, state: Any, policy: Mlp) -> Any:
        """See `Agent.with_policy`."""
        return state._replace(networks=state.networks._replace(policy=policy))

    @abstractmethod
    def losses(
        self, networks: Any, target: Mlp, batch: Batch, rewards: jax.Array, noise: Any
    ) -> dict[str, jax.Array]:
        """Losses on one batch by `loss_names`, each differentiable in its own network alone."""

    def update(
        self,
        state: Any,
        batch: Batch,
        rewards: jax.Array,
        noise: Any,
        learning_rate: float,
        ready: jax.Array | bool = True,
    ) -> tuple[Any, dict[str, jax.Array]]:
        """See `Agent.update`."""
        before, target, optimizer = state

        def total(networks: Any) -> tuple[Any, dict[str, jax.Array]]:
            losses = self.losses(networks, target, batch, rewards, noise)
            # The networks share no parameter, so one gradient of the sum is all their gradients.
            return sum(losses[name] for name in self.loss_names), losses

        gradients, losses = jax.grad(total, has_aux=True)(before)
        networks, optimizer = adam.step(before, gradients, optimizer, learning_rate, ready)
        target = polyak(target, getattr(networks, self.followed), self.target_rate)
        return type(state)(networks, target, optimizer), losses


def situation(observation: jax.Array, skill: jax.Array) -> jax.Array:
    """What a goal-conditioned network sees: [..., observation + skill]."""
    return jnp.concatenate([observation, skill], axis=-1)


def q_target(
    rewards: jax.Array, terminated: jax.Array, bootstrap: jax.Array, discount: float
) -> jax.Array:
    """y = r + gamma (1 - terminated) V_target(s', g): all [batch]."""
    return rewards + discount * (1.0 - terminated) * bootstrap


def q_loss(q: jax.Array, target: jax.Array) -> jax.Array:
    """Half the mean squared error of Q(s, a, g) [batch] against its target [batch]."""
    return 0.5 * jnp.mean((jax.lax.stop_gradient(target) - q) ** 2)


def entropy_scale_loss(
    log_scale: jax.Array, log_policy: jax.Array, target_entropy: float
) -> jax.Array:
    """Raises the scale while the policy's entropy is below the target: [] , [batch] -> []."""
    return -log_scale * jax.lax.stop_gradient(jnp.mean(log_policy) + target_entropy)


def polyak(target: Any, source: Any, rate: float) -> Any:
    """Move every array of the target the fraction `rate` towards the source."""
    return jax.tree.map(lambda t, s: t + rate * (s - t), target, source)
