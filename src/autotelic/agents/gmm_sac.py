"""The paper's agent: soft actor-critic as in the DIAYN code, with a squashed Gaussian-mixture policy.

One Q, a value network V with a slowly moving target, and a score-function policy gradient with V as
its baseline. All gradients of a step are taken at the same parameters, then applied together.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.agents import adam, gmm_policy
from autotelic.agents.actor_critic import ActorCritic, q_loss, q_target, situation
from autotelic.agents.adam import AdamState
from autotelic.agents.base import Batch, Sizes, check_common
from autotelic.networks import Mlp


class Networks(NamedTuple):
    """What gradient descent changes."""

    policy: Mlp
    q: Mlp
    v: Mlp


class GmmSacState(NamedTuple):
    """All that the agent carries from step to step."""

    networks: Networks
    target_v: Mlp
    optimizer: AdamState


class Draw(NamedTuple):
    """A fresh action for every observation of a batch and what the losses need of it.

    action: [batch, action], squashed; log_density: [batch], of the mixture before squashing,
    differentiable in the policy alone; scaled_log_policy: [batch], alpha log pi(a | s, g) without gradient.
    """

    action: jax.Array
    log_density: jax.Array
    scaled_log_policy: jax.Array


@dataclass(frozen=True)
class GmmSac(ActorCritic):
    """SAC of the DIAYN code: one Q, V with target, score-function gradient, mixture of K Gaussians.

    Defaults are the paper's (Table 1) and, where it is silent, the DIAYN code's.
    """

    loss_names: ClassVar[tuple[str, ...]] = ("policy", "q", "v")
    followed: ClassVar[str] = "v"
    gives_values: ClassVar[bool] = True

    components: int = option(4, "Gaussians in the policy's mixture.")
    entropy_scale: float = option(0.1, "Weight alpha of the policy's entropy.")
    discount: float = option(0.99, "Discount of future rewards.")
    target_rate: float = option(0.01, "How fast the target network follows.")
    regularization: float = option(
        1e-3, "Weight that keeps the mixture's means and deviations small."
    )

    def __post_init__(self) -> None:
        _validate.integer("components", self.components, minimum=1)
        check_common(self.discount, self.target_rate, self.entropy_scale)
        _validate.number("regularization", self.regularization, minimum=0.0)

    def init(self, key: jax.Array, sizes: Sizes) -> GmmSacState:
        """Fresh networks; the target starts as V (the DIAYN code starts it elsewhere)."""
        policy_key, q_key, v_key = jax.random.split(key, 3)
        seen = sizes.observation + sizes.skill
        outputs = gmm_policy.output_size(self.components, sizes.action)
        networks = Networks(
            policy=Mlp([seen], sizes.hidden_units, outputs, key=policy_key),
            q=Mlp([seen, sizes.action], sizes.hidden_units, 1, key=q_key),
            v=Mlp([seen], sizes.hidden_units, 1, key=v_key),
        )
        return GmmSacState(networks, networks.v, adam.init(networks))

    def acting_noise(
        self, key: jax.Array, shape: tuple[int, ...], action_size: int
    ) -> gmm_policy.MixtureNoise:
        """See `Agent.acting_noise`."""
        return gmm_policy.draw_noise(key, shape, action_size)

    update_noise = acting_noise

    def act(
        self,
        policy: Mlp,
        observation: jax.Array,
        skill: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> jax.Array:
        """See `Agent.act`."""
        mixture = self._mixture(policy, situation(observation, skill))
        return jnp.tanh(gmm_policy.sample(mixture, noise))

    def act_deterministically(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """See `Agent.act_deterministically`."""
        mixture = self._mixture(policy, situation(observation, skill))
        return jnp.tanh(gmm_policy.mode(mixture))

    def value(
        self,
        state: GmmSacState,
        observation: jax.Array,
        skill: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> jax.Array:
        """V(s, g) of its own network, which needs no action: [...]."""
        del noise
        return state.networks.v(situation(observation, skill))[..., 0]

    def losses(
        self,
        networks: Networks,
        target: Mlp,
        batch: Batch,
        rewards: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> dict[str, jax.Array]:
        """The three losses on one batch, each differentiable in its own network alone."""
        here = situation(batch.observation, batch.skill)
        there = situation(batch.next_observation, batch.skill)
        policy = self._mixture(networks.policy, here)
        draw = self.draw(policy, noise)
        q_of_draw = jax.lax.stop_gradient(networks.q(here, draw.action)[:, 0])
        v = networks.v(here)[:, 0]
        bootstrap = target(there)[:, 0]
        return {
            "q": q_loss(
                networks.q(here, batch.action)[:, 0],
                q_target(rewards, batch.terminated, bootstrap, self.discount),
            ),
            "v": v_loss(v, q_of_draw, draw.scaled_log_policy),
            "policy": policy_loss(draw, q_of_draw, v)
            + policy_regularizer(policy, self.regularization),
        }

    def draw(self, policy: gmm_policy.Mixture, noise: gmm_policy.MixtureNoise) -> Draw:
        """Fresh actions from the policy: the sample itself carries no gradient (score function)."""
        unsquashed = jax.lax.stop_gradient(gmm_policy.sample(policy, noise))
        action = jnp.tanh(unsquashed)
        log_density = gmm_policy.log_density(policy, unsquashed)
        log_policy = log_density - gmm_policy.squash_correction(action)
        return Draw(action, log_density, self.entropy_scale * jax.lax.stop_gradient(log_policy))

    def _mixture(self, network: Mlp, seen: jax.Array) -> gmm_policy.Mixture:
        outputs = network(seen)
        action_size = (network.output_bias.shape[-1] // self.components - 1) // 2
        return gmm_policy.mixture(outputs, self.components, action_size)


def v_loss(v: jax.Array, q_of_draw: jax.Array, scaled_log_policy: jax.Array) -> jax.Array:
    """Half the mean squared error of V(s, g) against Q(s, a', g) - alpha log pi(a' | s, g), a' fresh."""
    return 0.5 * jnp.mean((jax.lax.stop_gradient(q_of_draw - scaled_log_policy) - v) ** 2)


def policy_loss(draw: Draw, q_of_draw: jax.Array, v: jax.Array) -> jax.Array:
    """Score-function loss: mean of log pi(x) times [alpha log pi(a') - Q(s, a', g) + V(s, g)]."""
    return jnp.mean(
        draw.log_density * jax.lax.stop_gradient(draw.scaled_log_policy - q_of_draw + v)
    )


def policy_regularizer(policy: gmm_policy.Mixture, scale: float) -> jax.Array:
    """Half the mean squares of the mixture's means and log standard deviations, times `scale`."""
    return scale * 0.5 * (jnp.mean(policy.log_sigma**2) + jnp.mean(policy.mean**2))
