"""The paper's agent: soft actor-critic as in the DIAYN code, with a squashed Gaussian-mixture policy.

One Q, a value network V with a slowly moving target, and a score-function policy gradient with V as
its baseline. All gradients of a step are taken at the same parameters, then applied together.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.agents import adam, gmm_policy
from autotelic.agents.adam import AdamState
from autotelic.agents.base import Agent, Batch, Sizes, check_common
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
class GmmSac(Agent):
    """SAC of the DIAYN code: one Q, V with target, score-function gradient, mixture of K Gaussians.

    Defaults are the paper's (Table 1) and, where it is silent, the DIAYN code's.
    """

    loss_names: ClassVar[tuple[str, ...]] = ("policy", "q", "v")
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
        situation = sizes.observation + sizes.skill
        outputs = gmm_policy.output_size(self.components, sizes.action)
        networks = Networks(
            policy=Mlp([situation], sizes.hidden_units, outputs, key=policy_key),
            q=Mlp([situation, sizes.action], sizes.hidden_units, 1, key=q_key),
            v=Mlp([situation], sizes.hidden_units, 1, key=v_key),
        )
        return GmmSacState(networks, networks.v, adam.init(networks))

    def acting_noise(
        self, key: jax.Array, shape: tuple[int, ...], action_size: int
    ) -> gmm_policy.MixtureNoise:
        """See `Agent.acting_noise`."""
        return gmm_policy.draw_noise(key, shape, action_size)

    update_noise = acting_noise

    def policy(self, state: GmmSacState) -> Mlp:
        """See `Agent.policy`."""
        return state.networks.policy

    def with_policy(self, state: GmmSacState, policy: Mlp) -> GmmSacState:
        """See `Agent.with_policy`."""
        return state._replace(networks=state.networks._replace(policy=policy))

    def act(
        self,
        policy: Mlp,
        observation: jax.Array,
        skill: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> jax.Array:
        """See `Agent.act`."""
        mixture = self._mixture(policy, _situation(observation, skill))
        return jnp.tanh(gmm_policy.sample(mixture, noise))

    def act_deterministically(
        self, policy: Mlp, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """See `Agent.act_deterministically`."""
        mixture = self._mixture(policy, _situation(observation, skill))
        return jnp.tanh(gmm_policy.mode(mixture))

    def update(
        self,
        state: GmmSacState,
        batch: Batch,
        rewards: jax.Array,
        noise: gmm_policy.MixtureNoise,
        learning_rate: float,
        ready: jax.Array | bool = True,
    ) -> tuple[GmmSacState, dict[str, jax.Array]]:
        """See `Agent.update`."""

        def total(networks: Networks) -> tuple[jax.Array, dict[str, jax.Array]]:
            losses = self.losses(networks, state.target_v, batch, rewards, noise)
            # The networks share no parameter, so one gradient of the sum is all their gradients.
            return losses["policy"] + losses["q"] + losses["v"], losses

        gradients, losses = jax.grad(total, has_aux=True)(state.networks)
        networks, optimizer = adam.step(
            state.networks, gradients, state.optimizer, learning_rate, ready
        )
        target_v = polyak(state.target_v, networks.v, self.target_rate)
        return GmmSacState(networks, target_v, optimizer), losses

    def value(
        self,
        state: GmmSacState,
        observation: jax.Array,
        skill: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> jax.Array:
        """V(s, g) of its own network, which needs no action: [...]."""
        del noise
        return state.networks.v(_situation(observation, skill))[..., 0]

    def losses(
        self,
        networks: Networks,
        target_v: Mlp,
        batch: Batch,
        rewards: jax.Array,
        noise: gmm_policy.MixtureNoise,
    ) -> dict[str, jax.Array]:
        """The three losses on one batch, each differentiable in its own network alone."""
        situation = _situation(batch.observation, batch.skill)
        next_situation = _situation(batch.next_observation, batch.skill)
        policy = self._mixture(networks.policy, situation)
        draw = self.draw(policy, noise)
        q_of_draw = jax.lax.stop_gradient(networks.q(situation, draw.action)[:, 0])
        v = networks.v(situation)[:, 0]
        bootstrap = target_v(next_situation)[:, 0]
        return {
            "q": q_loss(
                networks.q(situation, batch.action)[:, 0],
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

    def _mixture(self, network: Mlp, situation: jax.Array) -> gmm_policy.Mixture:
        outputs = network(situation)
        action_size = (network.output_bias.shape[-1] // self.components - 1) // 2
        return gmm_policy.mixture(outputs, self.components, action_size)


def q_target(
    rewards: jax.Array, terminated: jax.Array, bootstrap: jax.Array, discount: float
) -> jax.Array:
    """y = r + gamma (1 - terminated) V_target(s', g): all [batch]."""
    return rewards + discount * (1.0 - terminated) * bootstrap


def q_loss(q: jax.Array, target: jax.Array) -> jax.Array:
    """Half the mean squared error of Q(s, a, g) [batch] against its target [batch]."""
    return 0.5 * jnp.mean((jax.lax.stop_gradient(target) - q) ** 2)


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


def polyak(target: Any, source: Any, rate: float) -> Any:
    """Move every array of the target the fraction `rate` towards the source."""
    return jax.tree.map(lambda t, s: t + rate * (s - t), target, source)


def _situation(observation: jax.Array, skill: jax.Array) -> jax.Array:
    """What a goal-conditioned network sees: [..., observation + skill]."""
    return jnp.concatenate([observation, skill], axis=-1)
