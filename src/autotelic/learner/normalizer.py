"""Observations on a common scale: (s - mean) / deviation, by fixed statistics or running ones."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

SMALLEST_DEVIATION = 1e-6
"""An entry that varies less is only centred: it tells nothing, and rounding would be blown up."""


class Normalizer(NamedTuple):
    """How many observations were seen [], their mean and the sum of squares around it, [observation]."""

    number: jax.Array
    mean: jax.Array
    squares: jax.Array


def init(observation_size: int) -> Normalizer:
    """Nothing seen: observations stay as they are."""
    return Normalizer(jnp.zeros(()), jnp.zeros(observation_size), jnp.zeros(observation_size))


def update(normalizer: Normalizer, observations: jax.Array) -> Normalizer:
    """With further observations [n, observation]; equal to having seen all at once (Chan et al. 1979)."""
    new = observations.shape[0]
    count = normalizer.number + new
    mean = jnp.mean(observations, axis=0)
    away = mean - normalizer.mean
    return Normalizer(
        count,
        normalizer.mean + away * (new / count),
        normalizer.squares
        + jnp.sum((observations - mean) ** 2, axis=0)
        + away**2 * (normalizer.number * new / count),
    )


def normalize(normalizer: Normalizer, observations: jax.Array) -> jax.Array:
    """(s - mean) / deviation, [..., observation]; unchanged as long as nothing was seen."""
    return (observations - normalizer.mean) / deviation(normalizer)


def deviation(normalizer: Normalizer) -> jax.Array:
    """What observations are divided by, [observation]; 1 for entries that are only centred."""
    found = jnp.sqrt(normalizer.squares / jnp.maximum(normalizer.number, 1.0))
    return jnp.where(found > SMALLEST_DEVIATION, found, 1.0)
