"""The rate of environments by themselves, under random actions."""

import multiprocessing
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import jax

from autotelic.environments.base import EnvironmentStep
from autotelic.environments.making import make_one
from autotelic.environments.navigation2d import Navigation2D, NavigationState


def bare_rates(
    name: str, options: Mapping[str, Any], steps: int, repeats: int, processes: int
) -> list[float]:
    """Steps a second of one Gymnasium environment in each of so many processes, all together.

    What the cores give at best: nothing is shared between processes, not even Python's lock.
    """
    context = multiprocessing.get_context("spawn")  # JAX runs threads here, see backends.Processes
    with context.Pool(processes) as pool:
        each = pool.starmap(gymnasium_rates, [(name, steps, repeats, options)] * processes)
    return [sum(rates) for rates in zip(*each, strict=True)]


def gymnasium_rates(
    name: str, steps: int, repeats: int, options: Mapping[str, Any] | None = None
) -> list[float]:
    """Steps a second of one Gymnasium environment, episodes begun anew where they end."""
    environment = make_one(name, options or {})
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
