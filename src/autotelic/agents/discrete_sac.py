"""Soft actor-critic for discrete actions: expectations over actions are sums, so learning samples none.

Christodoulou, "Soft Actor-Critic for Discrete Action Settings" (arXiv 1910.07207). Actions are one-hot.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.agents import adam
from autotelic.agents.actor_critic import (
    ActorCritic,
    entropy_scale_loss,
    q_loss,
    q_target,
    situation,
)
from autotelic.agents.adam import AdamState
from autotelic.agents.base import Batch, Sizes, check_common
from autotelic.networks import Mlp


class Networks(NamedTuple):
    """What gradient descent changes; policy and twin_q have an output for each action, twin_q a leading
    axis of 2.
    """

    policy: Mlp
    twin_q: Mlp
    log_entropy_scale: jax.Array


class DiscreteSacState(NamedTuple):
    """All that the agent carries from step to step."""

    networks: Networks
    target_twin_q: Mlp
    optimizer: AdamState


@dataclass(frozen=True)
class DiscreteSac(ActorCritic):
    """SAC for discrete actions: twin Q(s, g) -> [actions], categorical policy; entropy scale fixed or tuned.

    With `tune_entropy`, `entropy_scale` is where the scale starts, and it is moved so that the policy's
    entropy approaches the share `target_entropy_share` of the largest there is, log n. The paper's share of
    0.98 leaves next to no choice where actions are few: with two it asks for odds of 58 to 42 in every
    state. A half asks for 89 to 11 of two, and for as many as sqrt(n) actions in use of n.
    """

    loss_names: ClassVar[tuple[str, ...]] = ("policy", "q", "entropy_scale")
    actions: ClassVar[str] = "discrete"
    gives_values: ClassVar[bool] = True
    gives_value_spread: ClassVar[bool] = True

    entropy_scale: float = option(
        0.1, "Weight alpha of the policy's entropy; where it starts if it is tuned."
    )
    tune_entropy: bool = option(False, "Tune the entropy scale towards the target entropy.")
    target_entropy_share: float = option(
        0.5, "The entropy to tune towards, as a share of that of uniform actions."
    )
    discount: float = option(0.99, "Discount of future rewards.")
    target_rate: float = option(0.01, "How fast the target network follows.")

    def __post_init__(self) -> None:
        check_common(self.discount, self.target_rate, self.entropy_scale)
        _validate.boolean("tune_entropy", self.tune_entropy)
        _validate.number(
            "target_entropy_share", self.target_entropy_share, minimum=0.0, maximum=1.0
        )
        if self.tune_entropy and self.entropy_scale == 0.0:
            raise ValueError(
                "entropy_scale 0 cannot be tuned (it is moved on a log scale); "
                "start from a small positive value or set tune_entropy=False (--no-tune-entropy)"
            )

    def init(self, key: jax.Array, sizes: Sizes) -> DiscreteSacState:
        """See `Agent.init`."""
        policy_key, q_key = jax.random.split(key)
        seen = sizes.observation + sizes.skill

        def make(key: jax.Array) -> Mlp:
            return Mlp([seen], sizes.hidden_units, sizes.action, key=key)

        networks = Networks(
            policy=make(policy_key),
            twin_q=eqx.filter_vmap(make)(jax.random.split(q_key, 2)),
            log_entropy_scale=jnp.log(jnp.maximum(jnp.float32(self.entropy_scale), 1e-30)),
        )
        return DiscreteSacState(networks, networks.twin_q, adam.init(networks))

    def acting_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> jax.Array:
        """Gumbel noise [..., action]: the largest of logits + noise is a draw from their softmax."""
        return jax.random.gumbel(key, (*shape, action_size))

    def update_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> tuple[()]:
        """None: the losses are exact in the policy."""
        del key, shape, action_size
        return ()

    def act(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """See `Agent.act`; one-hot."""
        return one_hot_of_largest(policy(situation(observation, skill)) + noise)

    def act_deterministically(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """The most probable action, one-hot: [..., action]."""
        return one_hot_of_largest(policy(situation(observation, skill)))

    def value(
        self, state: DiscreteSacState, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """See `Agent.value`; exact, so that no noise is needed."""
        del noise
        seen = situation(observation, skill)
        log_policy = jax.nn.log_softmax(state.networks.policy(seen))
        q = smaller_q(state.networks.twin_q, seen)
        return soft_value(log_policy, q, self._scale(state.networks))

    def value_spread(
        self, state: DiscreteSacState, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """Half the distance of the twins' mean Q(s, a, g) over the policy's actions: [...]."""
        del noise
        seen = situation(observation, skill)
        policy = jax.nn.softmax(state.networks.policy(seen))
        twins = jax.vmap(lambda network: network(seen))(state.networks.twin_q)
        return jnp.std(jnp.sum(policy * twins, axis=-1), axis=0)

    def losses(
        self,
        networks: Networks,
        target: Mlp,
        batch: Batch,
        rewards: jax.Array,
        noise: tuple[()],
    ) -> dict[str, jax.Array]:
        """Losses on one batch, each differentiable in its own network alone."""
        del noise
        scale = self._scale(networks)
        here = situation(batch.observation, batch.skill)
        there = situation(batch.next_observation, batch.skill)

        next_log_policy = jax.nn.log_softmax(networks.policy(there))
        bootstrap = soft_value(next_log_policy, smaller_q(target, there), scale)
        wanted = q_target(rewards, batch.terminated, bootstrap, self.discount)
        q = jnp.sum(twin_q(networks.twin_q, here) * batch.action, axis=-1)

        log_policy = jax.nn.log_softmax(networks.policy(here))
        largest_entropy = math.log(batch.action.shape[-1])
        return {
            "q": q_loss(q[0], wanted) + q_loss(q[1], wanted),
            "policy": policy_loss(log_policy, smaller_q(networks.twin_q, here), scale),
            "entropy_scale": entropy_scale_loss(
                networks.log_entropy_scale,
                -entropy(log_policy),
                self.target_entropy_share * largest_entropy,
            )
            if self.tune_entropy
            else jnp.zeros(()),
        }

    def _scale(self, networks: Networks) -> jax.Array:
        """alpha [], without gradient."""
        scale = jax.lax.stop_gradient(jnp.exp(networks.log_entropy_scale))
        return scale if self.entropy_scale > 0.0 else jnp.zeros_like(scale)


def one_hot_of_largest(scores: jax.Array) -> jax.Array:
    """1 at the largest of each row, the first of equals: [..., action] -> [..., action]."""
    return jax.nn.one_hot(jnp.argmax(scores, axis=-1), scores.shape[-1], dtype=scores.dtype)


def twin_q(networks: Mlp, seen: jax.Array) -> jax.Array:
    """Both estimates of Q(s, ., g): [..., situation] -> [2, ..., action]."""
    return jax.vmap(lambda network: network(seen))(networks)


def smaller_q(networks: Mlp, seen: jax.Array) -> jax.Array:
    """The smaller estimate of each action: [..., situation] -> [..., action]."""
    return jnp.min(twin_q(networks, seen), axis=0)


def entropy(log_policy: jax.Array) -> jax.Array:
    """-sum_a pi(a) log pi(a): [..., action] -> [...]."""
    return -jnp.sum(jnp.exp(log_policy) * log_policy, axis=-1)


def soft_value(log_policy: jax.Array, q: jax.Array, scale: jax.Array | float) -> jax.Array:
    """V(s, g) = sum_a pi(a) [Q(s, a, g) - alpha log pi(a)], Eq. 10: [..., action] twice -> [...]."""
    return jnp.sum(jnp.exp(log_policy) * (q - scale * log_policy), axis=-1)


def policy_loss(log_policy: jax.Array, q: jax.Array, scale: jax.Array | float) -> jax.Array:
    """Less the mean soft value, which the policy is to raise, Eq. 12: [batch, action] twice -> []."""
    return -jnp.mean(soft_value(log_policy, jax.lax.stop_gradient(q), scale))
