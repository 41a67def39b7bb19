"""The paper's policy (Eq. 11): a mixture of K diagonal Gaussians, squashed into (-1, 1) by tanh."""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

LOG_SIGMA_RANGE = (-5.0, 2.0)
LOWEST_LOG_WEIGHT = -10.0
SQUASH_EPSILON = 1e-6


class Mixture(NamedTuple):
    """Parameters of a mixture: log_weight [..., K] (unnormalised), mean and log_sigma [..., K, action]."""

    log_weight: jax.Array
    mean: jax.Array
    log_sigma: jax.Array


class MixtureNoise(NamedTuple):
    """The randomness of a sample: which component (uniform [...]) and where (normal [..., action])."""

    uniform: jax.Array
    normal: jax.Array


def output_size(components: int, action_size: int) -> int:
    """How many outputs a network needs for a mixture."""
    return components * (1 + 2 * action_size)


def mixture(outputs: jax.Array, components: int, action_size: int) -> Mixture:
    """Network outputs [..., K (1 + 2 action)] as a mixture, clipped to the ranges of the DIAYN code."""
    log_weight, mean, log_sigma = jnp.split(
        outputs, [components, components * (1 + action_size)], axis=-1
    )
    shape = (*outputs.shape[:-1], components, action_size)
    return Mixture(
        jnp.maximum(log_weight, LOWEST_LOG_WEIGHT),
        mean.reshape(shape),
        jnp.clip(log_sigma.reshape(shape), *LOG_SIGMA_RANGE),
    )


def draw_noise(key: jax.Array, shape: tuple[int, ...], action_size: int) -> MixtureNoise:
    """Noise for a sample at every entry of `shape`."""
    uniform_key, normal_key = jax.random.split(key)
    return MixtureNoise(
        jax.random.uniform(uniform_key, shape),
        jax.random.normal(normal_key, (*shape, action_size)),
    )


def sample(policy: Mixture, noise: MixtureNoise) -> jax.Array:
    """An action before squashing, [..., action]: choose a component by its weight, then its Gaussian."""
    cumulative = jnp.cumsum(jax.nn.softmax(policy.log_weight), axis=-1)
    components = policy.log_weight.shape[-1]
    # Rounding can leave the last cumulative weight a hair below 1: the last component takes the rest.
    index = jnp.minimum(jnp.sum(noise.uniform[..., None] > cumulative, axis=-1), components - 1)
    chosen = jax.nn.one_hot(index, components)[..., None]
    mean = jnp.sum(policy.mean * chosen, axis=-2)
    log_sigma = jnp.sum(policy.log_sigma * chosen, axis=-2)
    return mean + jnp.exp(log_sigma) * noise.normal


def mode(policy: Mixture) -> jax.Array:
    """The mean of the heaviest component before squashing, [..., action]."""
    index = jnp.argmax(policy.log_weight, axis=-1)[..., None, None]
    return jnp.take_along_axis(policy.mean, index, axis=-2)[..., 0, :]


def log_density(policy: Mixture, unsquashed: jax.Array) -> jax.Array:
    """log pi(x | s, g) of the mixture at x [..., action] before squashing: [...]. Eq. 11.

    The paper writes diag(sigma) where sigma holds standard deviations: the variance is sigma ** 2.
    """
    standardised = (unsquashed[..., None, :] - policy.mean) * jnp.exp(-policy.log_sigma)
    log_normal = -0.5 * jnp.sum(
        standardised**2 + 2.0 * policy.log_sigma + math.log(2.0 * math.pi), axis=-1
    )
    return jax.nn.logsumexp(log_normal + policy.log_weight, axis=-1) - jax.nn.logsumexp(
        policy.log_weight, axis=-1
    )


def squash_correction(action: jax.Array) -> jax.Array:
    """log |d tanh(x) / dx| summed over the action, [..., action] -> [...]: subtract it from log pi(x)."""
    return jnp.sum(jnp.log(1.0 - action**2 + SQUASH_EPSILON), axis=-1)
