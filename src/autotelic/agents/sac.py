"""A modern soft actor-critic behind the same contract: twin Q, reparameterised squashed Gaussian.

Haarnoja et al., "Soft Actor-Critic Algorithms and Applications" (arXiv 1812.05905). Where rewards are
vectors whose product with the skill is the reward, the twins are successor features, as in Zheng et al.,
"Can a MISL Fly?" (2025).
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

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
from autotelic.networks import ACTIVATIONS, Mlp

LOG_SIGMA_RANGE = (-5.0, 2.0)


class Successor(Mlp):
    """psi(s, a, z), the discounted sum of vector rewards to come; Q = psi^T z.

    A type of its own, as one entry of psi and one number Q look alike.
    """


class Networks(NamedTuple):
    """What gradient descent changes; twin_q has a leading axis of 2, and is Successor for vector rewards."""

    policy: Mlp
    twin_q: Mlp
    log_entropy_scale: jax.Array


class SacState(NamedTuple):
    """All that the agent carries from step to step."""

    networks: Networks
    target_twin_q: Mlp
    optimizer: AdamState


class SacNoise(NamedTuple):
    """Standard normals [..., action] for the fresh action at s and at s'."""

    here: jax.Array
    next: jax.Array


@dataclass(frozen=True)
class Sac(ActorCritic):
    """SAC with twin Q and a reparameterised squashed Gaussian; entropy scale fixed or tuned.

    With `tune_entropy`, `entropy_scale` is where the scale starts, and it is moved so that the
    policy's entropy approaches `target_entropy`, by default `target_entropy_per_action` times the number
    of action dimensions (SAC: -1; METRA: -0.5). Vector rewards have no entropy in their target, because
    psi is a sum of rewards alone; the policy's loss has it.

    policy_activation: of the policy's hidden units; critics have ReLU (METRA's policy: tanh).
    """

    loss_names: ClassVar[tuple[str, ...]] = ("policy", "q", "entropy_scale")
    takes_vector_rewards: ClassVar[bool] = True
    gives_values: ClassVar[bool] = True
    gives_value_spread: ClassVar[bool] = True

    entropy_scale: float = option(
        0.1, "Weight alpha of the policy's entropy; where it starts if it is tuned."
    )
    tune_entropy: bool = option(False, "Tune the entropy scale towards the target entropy.")
    target_entropy: float | None = option(
        None, "The entropy to tune towards.", unset="that of an action dimension times their number"
    )
    target_entropy_per_action: float = option(
        -1.0, "The entropy of each action dimension to tune towards, unless the whole is given."
    )
    discount: float = option(0.99, "Discount of future rewards.")
    target_rate: float = option(0.01, "How fast the target network follows.")
    policy_activation: str = option(
        "relu", "Activation of the policy's hidden units.", choices=tuple(ACTIVATIONS)
    )

    def __post_init__(self) -> None:
        check_common(self.discount, self.target_rate, self.entropy_scale)
        _validate.choice("policy_activation", self.policy_activation, ACTIVATIONS)
        _validate.number("target_entropy_per_action", self.target_entropy_per_action)
        _validate.boolean("tune_entropy", self.tune_entropy)
        if self.target_entropy is not None:
            _validate.number("target_entropy", self.target_entropy)
            if self.target_entropy_per_action != -1.0:
                raise ValueError(
                    f"target_entropy is {self.target_entropy} in all, and target_entropy_per_action "
                    f"{self.target_entropy_per_action}; leave one out"
                )
        if self.tune_entropy and self.entropy_scale == 0.0:
            raise ValueError(
                "entropy_scale 0 cannot be tuned (it is moved on a log scale); "
                "start from a small positive value or set tune_entropy=False (--no-tune-entropy)"
            )

    def init(self, key: jax.Array, sizes: Sizes) -> SacState:
        """See `Agent.init`."""
        policy_key, q_key = jax.random.split(key)
        seen = sizes.observation + sizes.skill
        kind = cast(type[Mlp], Successor if sizes.reward else Mlp)
        outputs = sizes.reward or 1

        def make_q(key: jax.Array) -> Mlp:
            return kind([seen, sizes.action], sizes.hidden_units, outputs, key=key)

        networks = Networks(
            policy=Mlp(
                [seen],
                sizes.hidden_units,
                2 * sizes.action,
                key=policy_key,
                activation=self.policy_activation,
            ),
            twin_q=eqx.filter_vmap(make_q)(jax.random.split(q_key, 2)),
            log_entropy_scale=jnp.log(jnp.maximum(jnp.float32(self.entropy_scale), 1e-30)),
        )
        return SacState(networks, networks.twin_q, adam.init(networks))

    def acting_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> jax.Array:
        """See `Agent.acting_noise`."""
        return jax.random.normal(key, (*shape, action_size))

    def update_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> SacNoise:
        """See `Agent.update_noise`."""
        here, following = jax.random.normal(key, (2, *shape, action_size))
        return SacNoise(here, following)

    def act(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """See `Agent.act`."""
        mean, log_sigma = gaussian(policy, observation, skill)
        return jnp.tanh(mean + jnp.exp(log_sigma) * noise)

    def act_deterministically(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """See `Agent.act_deterministically`."""
        mean, _ = gaussian(policy, observation, skill)
        return jnp.tanh(mean)

    def losses(
        self,
        networks: Networks,
        target: Mlp,
        batch: Batch,
        rewards: jax.Array,
        noise: SacNoise,
    ) -> dict[str, jax.Array]:
        """Losses on one batch, each differentiable in its own network alone."""
        scale = self._scale(networks)
        stop = jax.lax.stop_gradient

        next_action, next_log_policy = draw(
            networks.policy, batch.next_observation, batch.skill, noise.next
        )
        if isinstance(networks.twin_q, Successor):
            critic_loss = self._psi_loss(networks, target, batch, rewards, next_action)
        else:
            next_q = jnp.min(
                twin_q(target, batch.next_observation, batch.skill, next_action), axis=0
            )
            wanted = q_target(
                rewards, batch.terminated, stop(next_q - scale * next_log_policy), self.discount
            )
            q = twin_q(networks.twin_q, batch.observation, batch.skill, batch.action)
            critic_loss = q_loss(q[0], wanted) + q_loss(q[1], wanted)

        action, log_policy = draw(networks.policy, batch.observation, batch.skill, noise.here)
        q_of_draw = jnp.min(
            twin_q(stop(networks.twin_q), batch.observation, batch.skill, action), axis=0
        )
        target_entropy = (
            action.shape[-1] * self.target_entropy_per_action
            if self.target_entropy is None
            else self.target_entropy
        )
        return {
            "q": critic_loss,
            "policy": jnp.mean(scale * log_policy - q_of_draw),
            "entropy_scale": entropy_scale_loss(
                networks.log_entropy_scale, log_policy, target_entropy
            )
            if self.tune_entropy
            else jnp.zeros(()),
        }

    def _psi_loss(
        self,
        networks: Networks,
        target: Mlp,
        batch: Batch,
        rewards: jax.Array,
        next_action: jax.Array,
    ) -> jax.Array:
        """The loss of both successor features; rewards: [batch, reward]."""
        next_psi = lower_psi(
            twin_outputs(target, batch.next_observation, batch.skill, next_action),
            batch.skill,
        )
        wanted = q_target(rewards, batch.terminated[:, None], next_psi, self.discount)
        psi = twin_outputs(networks.twin_q, batch.observation, batch.skill, batch.action)
        return psi_loss(psi[0], wanted) + psi_loss(psi[1], wanted)

    def value(
        self, state: SacState, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """min Q(s, a, g) - alpha log pi(a | s, g) of a sampled action: [...]."""
        networks = state.networks
        action, log_policy = draw(networks.policy, observation, skill, noise)
        q = jnp.min(twin_q(networks.twin_q, observation, skill, action), axis=0)
        return q - self._scale(networks) * log_policy

    def value_spread(
        self, state: SacState, observation: jax.Array, skill: jax.Array, noise: jax.Array
    ) -> jax.Array:
        """Half the distance of the twins' Q(s, a, g) of a sampled action: [...]."""
        networks = state.networks
        action, _ = draw(networks.policy, observation, skill, noise)
        return jnp.std(twin_q(networks.twin_q, observation, skill, action), axis=0)

    def _scale(self, networks: Networks) -> jax.Array:
        """alpha, without gradient: []."""
        scale = jax.lax.stop_gradient(jnp.exp(networks.log_entropy_scale))
        return jnp.zeros_like(scale) if self.entropy_scale == 0.0 else scale


def gaussian(network: Mlp, observation: jax.Array, skill: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Mean and log standard deviation before squashing, [..., action] each."""
    outputs = network(situation(observation, skill))
    mean, log_sigma = jnp.split(outputs, 2, axis=-1)
    return mean, jnp.clip(log_sigma, *LOG_SIGMA_RANGE)


def draw(
    network: Mlp, observation: jax.Array, skill: jax.Array, noise: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """A squashed action [..., action], differentiable in the policy, and its log density [...]."""
    mean, log_sigma = gaussian(network, observation, skill)
    unsquashed = mean + jnp.exp(log_sigma) * noise
    log_normal = -0.5 * jnp.sum(noise**2 + 2.0 * log_sigma + math.log(2.0 * math.pi), axis=-1)
    # log(1 - tanh(x)^2) in a form that neither over- nor underflows for large |x|.
    log_slope = 2.0 * (math.log(2.0) - unsquashed - jax.nn.softplus(-2.0 * unsquashed))
    return jnp.tanh(unsquashed), log_normal - jnp.sum(log_slope, axis=-1)


def twin_q(networks: Mlp, observation: jax.Array, skill: jax.Array, action: jax.Array) -> jax.Array:
    """Both estimates of Q(s, a, g): [2, ...]."""
    outputs = twin_outputs(networks, observation, skill, action)
    if isinstance(networks, Successor):
        return jnp.sum(outputs * skill[None], axis=-1)
    return outputs[..., 0]


def twin_outputs(
    networks: Mlp, observation: jax.Array, skill: jax.Array, action: jax.Array
) -> jax.Array:
    """What both critics say: [2, ..., 1], or [2, ..., reward] of successor features."""
    seen = situation(observation, skill)
    return jax.vmap(lambda network: network(seen, action))(networks)


def lower_psi(twins: jax.Array, skill: jax.Array) -> jax.Array:
    """The whole vector of the twin whose psi^T z is lower: [2, batch, reward] -> [batch, reward].

    Entry by entry the lower ones would be no vector that either twin believes in.
    """
    first, second = jnp.sum(twins * skill[None], axis=-1)
    return jnp.where((first <= second)[..., None], twins[0], twins[1])


def psi_loss(psi: jax.Array, target: jax.Array) -> jax.Array:
    """Mean squared error of psi(s, a, z) over batch and entries, [batch, reward] twice -> []: not halved, as
    in CSF's code.
    """
    return jnp.mean((jax.lax.stop_gradient(target) - psi) ** 2)
