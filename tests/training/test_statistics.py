"""Statistics of random walks, in an environment whose observations are the actions."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.environments.base import EnvironmentStep
from autotelic.training.statistics import EPISODES, STEPS, observation_statistics, states_met


class Echo:
    """Observes the step's number in its walk, and the action."""

    observation_size, action_size = 3, 2

    def reset(self, key: jax.Array) -> tuple[Any, jax.Array]:
        return jnp.float32(0.0), jnp.zeros(3)

    def step(self, state: Any, action: jax.Array, key: jax.Array) -> tuple[Any, EnvironmentStep]:
        seen = jnp.concatenate([state[None] + 1.0, action])
        never = jnp.zeros((), bool)
        return state + 1.0, EnvironmentStep(seen, never, never, seen)


def test_statistics_are_those_of_walks_by_uniform_actions():
    found = observation_statistics(Echo())
    assert found.number == EPISODES * STEPS == 5000
    # Steps 1 to 50 have the mean 25.5 and the variance (50^2 - 1) / 12; actions in [-1, 1] 0 and 1/3.
    assert np.isclose(found.mean[0], 25.5)
    assert np.isclose(found.squares[0] / 5000, 2499 / 12, rtol=1e-4)
    # The mean of 5000 such actions has the deviation 0.0082, that of their squares 0.0042.
    np.testing.assert_allclose(found.mean[1:], 0.0, atol=0.035)
    np.testing.assert_allclose(found.squares[1:] / 5000, 1 / 3, atol=0.02)


def test_states_met_are_some_of_all_walks_and_always_the_same():
    found = states_met(Echo(), 40)
    assert found.shape == (40, 3)
    assert set(found[:, 0]) <= set(range(1, 51)) and len(set(found[:, 0])) > 10
    assert (np.abs(found[:, 1:]) <= 1.0).all() and len(np.unique(found[:, 1:])) > 60
    np.testing.assert_array_equal(states_met(Echo(), 40), found)


class Host:
    """A host environment that observes the step's number in its walk, and the action."""

    observation_size, action_size, episode_length = 3, 2, None

    def __init__(self) -> None:
        self.time, self.walks = -1, 0

    def pool(self, num_members: int, seeds: Any) -> "Host":
        assert num_members == len(seeds) == 1
        return self

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        self.time = -1

    def reset(self) -> None:
        self.time = 0

    def begin_episodes(self) -> None:
        assert self.time >= 0  # after a reset
        self.time, self.walks = 0, self.walks + 1

    def step(self, actions: np.ndarray) -> EnvironmentStep:
        self.time += 1
        seen = np.concatenate([np.full((1, 1), self.time), actions], axis=1)
        return EnvironmentStep(seen, np.zeros(1, bool), np.zeros(1, bool), seen)


def test_walks_of_a_host_environment_are_as_long_and_as_many():
    environment = Host()
    found = observation_statistics(environment)
    assert (environment.walks, environment.time) == (EPISODES, -1)  # and it was closed
    assert found.number == EPISODES * STEPS and np.isclose(found.mean[0], 25.5)
    np.testing.assert_allclose(found.mean[1:], 0.0, atol=0.035)
    np.testing.assert_allclose(found.squares[1:] / 5000, 1 / 3, atol=0.02)
