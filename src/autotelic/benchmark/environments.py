"""The rate of one environment by itself, under random actions."""

import time
from typing import Any

import jax

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
    """Steps a second of one 2D navigation environment in a compiled scan."""
    environment = Navigation2D()
    state, _ = environment.reset(jax.random.key(0))
    actions = jax.random.uniform(jax.random.key(1), (steps, 2), minval=-1.0)
    keys = jax.random.split(jax.random.key(2), steps)

    def step(state: NavigationState, noise: tuple[jax.Array, jax.Array]) -> Any:
        return environment.step(state, *noise)

    scan = jax.jit(lambda state: jax.lax.scan(step, state, (actions, keys)))
    jax.block_until_ready(scan(state))
    rates = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(scan(state))
        rates.append(steps / (time.perf_counter() - begin))
    return rates
