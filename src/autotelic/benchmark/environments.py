"""The rate of one environment by itself, under random actions."""

import time
from functools import partial
from typing import Any

import jax

from autotelic.environments.base import EnvironmentStep
from autotelic.environments.making import make_one
from autotelic.environments.navigation2d import Navigation2D, NavigationState


def gymnasium_rates(name: str, steps: int, repeats: int) -> list[float]:
    """Steps a second of one Gymnasium environment, episodes begun anew where they end."""
    environment = make_one(name, {})
    try:
        environment.action_space.seed(0)
        environment.reset(seed=0)
        rates = []
        for _ in range(repeats):
            actions = [environment.action_space.sample() for _ in range(steps)]
            begin = time.perf_counter()
            for action in actions:
                _, _, terminated, truncated, _ = environment.step(action)
                if terminated or truncated:
                    environment.reset()
            rates.append(steps / (time.perf_counter() - begin))
        return rates
    finally:
        environment.close()


def navigation_rates(steps: int, repeats: int) -> list[float]:
    """Steps a second of one 2D navigation environment in a compiled scan, with new actions in each repeat.

    A step is a dozen operations. Nothing is random in it without noise and with a fixed start, so the
    compiler leaves the keys out.
    """
    environment = Navigation2D()
    state, _ = environment.reset(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), steps)
    rates = []
    for seed in range(repeats + 1):
        actions = jax.random.uniform(jax.random.key(2 + seed), (steps, 2), minval=-1.0)
        jax.block_until_ready(actions)
        begin = time.perf_counter()
        jax.block_until_ready(navigate(environment, state, actions, keys))
        rates.append(steps / (time.perf_counter() - begin))
    # The first includes compiling.
    return rates[1:]


@partial(jax.jit, static_argnums=0)
def navigate(
    environment: Navigation2D, state: NavigationState, actions: jax.Array, keys: jax.Array
) -> tuple[NavigationState, EnvironmentStep]:
    """The state after actions [steps, 2] with keys [steps], and what each step returned, [steps, ...].

    Actions are an argument and all is returned, so that no step can be computed ahead or left out.
    """

    def step(state: NavigationState, given: tuple[jax.Array, jax.Array]) -> Any:
        return environment.step(state, *given)

    return jax.lax.scan(step, state, (actions, keys))
