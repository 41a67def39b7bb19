"""A saved environment continues to the same bits, as if it had never stopped."""

import json
from typing import Any

import gymnasium
import numpy as np
import pytest
from environment_doubles import Counter, Saveable
from gymnasium import wrappers

from autotelic.environments.pool import GymnasiumPool


def continued(pool: GymnasiumPool, actions: np.ndarray) -> list[Any]:
    """All that the steps yield, information included."""

    def as_json(value: Any) -> Any:
        return np.asarray(value).tolist()

    return [
        (*pool.step(given), json.dumps(pool.informations, default=as_json)) for given in actions
    ]


def same(left: list[Any], right: list[Any]) -> None:
    for one, other in zip(left, right, strict=True):
        for value, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("backend", ["serial", "thread", "process"])
@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Ant-v5"])
def test_mujoco_continues_to_the_same_bits(name: str, backend: str):
    """Across a time limit, so that the generator, the physics and the elapsed steps all count."""
    made: dict[str, Any] = {"max_episode_steps": 40}
    with GymnasiumPool(name, 2, [3, 4], backend, **made) as pool:
        shape = (70, 2, pool.action_size)
        actions = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
        pool.reset()
        before = continued(pool, actions[:25])[-1]
        saved = json.loads(json.dumps(pool.state()))
        expected = continued(pool, actions[25:])
    with GymnasiumPool(name, 2, [98, 99], backend, **made) as pool:
        np.testing.assert_array_equal(pool.restore(saved), before[3])
        same(continued(pool, actions[25:]), expected)
    truncations = [row[2] for row in expected]
    assert np.any(truncations)


@pytest.mark.parametrize(
    "name",
    ["Hopper-v5", "Humanoid-v5", "InvertedDoublePendulum-v5", "Pusher-v5", "Reacher-v5"],
)
def test_other_mujoco_tasks_continue_to_the_same_bits(name: str):
    with GymnasiumPool(name, 1, [3], "serial") as pool:
        actions = np.random.default_rng(0).uniform(-1, 1, (40, 1, pool.action_size))
        pool.reset()
        continued(pool, actions[:12])
        saved = json.loads(json.dumps(pool.state()))
        expected = continued(pool, actions[12:])
        continued(pool, actions)
        pool.restore(saved)
        same(continued(pool, actions[12:]), expected)


@pytest.mark.parametrize("before", [0, 12])
@pytest.mark.parametrize(
    "name",
    ["CartPole-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1"],
)
def test_classic_control_continues_to_the_same_bits(name: str, before: int):
    """From an episode's start too, where some states are of another type than later."""
    made: dict[str, Any] = {"max_episode_steps": 30}
    with GymnasiumPool(name, 2, [3, 4], **made) as pool:
        actions = np.random.default_rng(0).uniform(-1, 1, (50, 2, pool.action_size))
        pool.reset()
        continued(pool, actions[:before])
        assert pool.why_no_state is None
        saved = json.loads(json.dumps(pool.state()))
        expected = continued(pool, actions[before:])
    with GymnasiumPool(name, 2, [98, 99], **made) as pool:
        pool.restore(saved)
        same(continued(pool, actions[before:]), expected)


def test_navigation_continues_to_the_same_bits():
    options = {"noise": 0.02, "random_start": True, "max_episode_steps": 7}
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 2, 2)).astype(np.float32)
    name = "autotelic/Navigation2D-v0"
    with GymnasiumPool(name, 2, [3, 4], **options) as pool:
        pool.reset()
        continued(pool, actions[:10])
        saved = json.loads(json.dumps(pool.state()))
        expected = continued(pool, actions[10:])
    with GymnasiumPool(name, 2, [0, 0], **options) as pool:
        pool.restore(saved)
        same(continued(pool, actions[10:]), expected)


def test_an_environment_of_one_s_own_offers_its_state_by_two_methods():
    with GymnasiumPool(Saveable, 1, [0]) as pool:
        pool.reset()
        for _ in range(3):
            pool.step(np.zeros((1, 1)))
        saved = pool.state()
    assert saved is not None
    with GymnasiumPool(Saveable, 1, [7]) as pool:
        np.testing.assert_array_equal(pool.restore(saved), [[3, 1]])
        np.testing.assert_array_equal(pool.step(np.zeros((1, 1))).observation, [[4, 1]])
        with pytest.raises(ValueError, match="holds 2 members, the pool 1"):
            pool.restore(saved * 2)


def test_an_environment_that_cannot_give_its_state_says_why():
    with GymnasiumPool(Counter, 1, [0]) as pool:
        pool.reset()
        assert pool.state() is None
        assert pool.why_no_state == (
            "Counter has no methods state_dict() and load_state_dict(state)"
        )

    def remembers():
        return wrappers.NormalizeObservation(gymnasium.make("HalfCheetah-v5"))

    with GymnasiumPool(remembers, 1, [0]) as pool:
        assert pool.state() is None
        assert pool.why_no_state == ("its wrapper NormalizeObservation may keep a state of its own")

    class Derived(type(gymnasium.make("Reacher-v5").unwrapped)):
        """May keep more than MuJoCo's state."""

    with GymnasiumPool(Derived, 1, [0]) as pool:
        assert pool.state() is None

    class Pole(type(gymnasium.make("CartPole-v1").unwrapped)):
        """The same of one in classic control."""

    with GymnasiumPool(Pole, 1, [0]) as pool:
        assert pool.state() is None
