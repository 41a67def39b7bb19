"""Statistics of observations before a run: where random actions lead."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams
from autotelic.environments import HostEnvironment
from autotelic.learner import normalizer
from autotelic.learner.normalizer import Normalizer

EPISODES, STEPS = 100, 50
"""Episodes of random actions, and their steps."""


def observation_statistics(environment: Any) -> Normalizer:
    """Mean and deviation of observations on EPISODES random walks of STEPS steps, always the same.

    METRA's protocol, with fewer walks.
    """
    flat = jnp.asarray(_walks(environment)).reshape(-1, environment.observation_size)
    return normalizer.update(normalizer.init(environment.observation_size), flat)


def states_met(environment: Any, count: int) -> np.ndarray:
    """So many of the states on these walks, [count, observation], drawn at random, always the same."""
    flat = np.asarray(_walks(environment)).reshape(-1, environment.observation_size)
    return flat[_streams.generator("states met", 0).integers(len(flat), size=count)]


def _walks(environment: Any) -> Any:
    """Observations [EPISODES, STEPS, observation] of random actions."""
    if isinstance(environment, HostEnvironment):
        return _host_walks(environment)
    keys = jax.random.split(jax.random.key(0), EPISODES)
    return jax.jit(jax.vmap(lambda key: _jax_walk(environment, key)))(keys)


def _jax_walk(environment: Any, key: jax.Array) -> jax.Array:
    """Observations [STEPS, observation] of one walk."""
    start_key, action_key, step_key = jax.random.split(key, 3)
    state, _ = environment.reset(start_key)
    actions = jax.random.uniform(action_key, (STEPS, environment.action_size), minval=-1.0)

    def one_step(state: Any, given: Any) -> Any:
        state, step = environment.step(state, *given)
        return state, step.next_observation

    return jax.lax.scan(one_step, state, (actions, jax.random.split(step_key, STEPS)))[1]


def _host_walks(environment: HostEnvironment) -> np.ndarray:
    """Observations [EPISODES, STEPS, observation], one walk after the other in one instance."""
    generator = _streams.generator("observation statistics", 0)
    seen = np.zeros((EPISODES, STEPS, environment.observation_size), np.float32)
    with environment.pool(1, [_streams.integer("observation statistics", 0)]) as pool:
        pool.reset()
        for walk in seen:
            pool.begin_episodes()
            for step in range(STEPS):
                actions = generator.uniform(-1.0, 1.0, (1, environment.action_size))
                walk[step] = pool.step(actions).next_observation[0]
    return seen
