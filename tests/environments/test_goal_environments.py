"""Dict observations of goal environments, Gymnasium-Robotics, and target velocities."""

import json
from typing import Any

import gymnasium
import numpy as np
import pytest
from environment_doubles import GoalCorridor
from gymnasium.spaces import Box, Dict

from autotelic.environments import (
    desired_goals_of,
    goal_bounds_of,
    goal_entries_of,
    goal_radius_of,
    has_desired_goals,
    make_environment,
    robotics,
)

ROBOTICS = [("FetchReach-v4", 13, (10, 11, 12), 0.05), ("PointMaze_UMaze-v3", 6, (4, 5), 0.45)]


def test_a_learner_sees_what_was_observed_and_achieved():
    environment: Any = make_environment(GoalCorridor)
    assert (environment.observation_size, environment.action_size) == (3, 1)
    with environment.pool(2, [0, 1]) as pool:
        np.testing.assert_array_equal(pool.reset(), [[0, 0, 0], [0, 0, 0]])
        step = pool.step(np.array([[1.0], [-0.5]]))
        expected = [[1, -0.2, 0.2], [1, 0.1, -0.1]]
        np.testing.assert_allclose(step.next_observation, expected, rtol=1e-6)


def test_its_goals_are_those_it_desires():
    environment = make_environment(GoalCorridor)
    assert goal_entries_of(environment) == (2,)
    assert goal_radius_of(environment) == 0.25
    goals = desired_goals_of(environment, 5)
    np.testing.assert_array_equal(goals, desired_goals_of(environment, 5))  # always the same
    assert len(np.unique(goals)) == 5
    ((low, high),) = goal_bounds_of(environment)
    assert 0 <= low < 0.1 and 0.9 < high <= 1


def test_a_threshold_for_each_dimension_is_no_radius():
    def make() -> gymnasium.Env:
        environment = GoalCorridor()
        environment.distance_threshold = np.array([0.25])  # type: ignore[assignment]
        return environment

    assert goal_radius_of(make_environment(make)) is None


def test_an_id_of_robotics_may_have_its_module_before_it():
    assert robotics.is_robotics("gymnasium_robotics:FetchReach-v4")
    assert not robotics.is_robotics("FetchReaching:Ant-v5")


def with_space(**spaces: gymnasium.Space) -> Any:
    def make() -> gymnasium.Env:
        environment = GoalCorridor()
        environment.observation_space = Dict(spaces)
        return environment

    return make


LINE, PLANE = Box(-1.0, 1.0, (1,)), Box(-1.0, 1.0, (2,))


@pytest.mark.parametrize(
    ("spaces", "message"),
    [
        ({"image": LINE, "state": PLANE}, "with the keys image, state, and a goal environment has"),
        (
            {"observation": LINE, "achieved_goal": LINE},
            "keys .*observation.* has observation, achieved_goal, desired_goal",
        ),
        (
            {"observation": LINE, "achieved_goal": LINE, "desired_goal": PLANE},
            "they must be alike",
        ),
        (
            {"observation": Box(0, 1, (2, 2)), "achieved_goal": LINE, "desired_goal": LINE},
            "as its observation, but a Box of one dimension is needed; pass a function that makes",
        ),
        ({}, r"with the keys \(none\), and a goal environment has"),
    ],
)
def test_a_dict_of_another_layout_is_refused_with_the_keys_it_has(
    spaces: dict[str, gymnasium.Space], message: str
):
    with pytest.raises(ValueError, match=message):
        make_environment(with_space(**spaces))


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(robotics, "register", lambda: False)
    for name in ("FetchReach-v4", "PointMaze_UMaze-v3", "AntMaze_UMaze-v5"):
        with pytest.raises(ImportError, match=r"pip install 'autotelic\[robotics\]'"):
            make_environment(name)


def test_half_cheetah_s_goals_are_velocities():
    for options in ({}, {"exclude_current_positions_from_observation": False}):
        environment = make_environment("HalfCheetah-v5", **options)
        (entry,) = goal_entries_of(environment)
        assert entry == environment.observation_size - 9  # nine velocities, the forward one first
        assert goal_bounds_of(environment) == ((-3.0, 12.0),)
        assert not has_desired_goals(environment)
    assert goal_entries_of(make_environment("CartPole-v1")) == ()


@pytest.mark.parametrize(("name", "size", "entries", "radius"), ROBOTICS)
def test_gymnasium_robotics(name: str, size: int, entries: tuple[int, ...], radius: float):
    pytest.importorskip("gymnasium_robotics")
    environment: Any = make_environment(name)
    assert (environment.observation_size, goal_entries_of(environment)) == (size, entries)
    assert goal_radius_of(environment) == radius
    assert desired_goals_of(environment, 3).shape == (3, len(entries))
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 1, environment.action_size))
    with environment.pool(1, [0]) as pool, environment.pool(1, [5]) as other:
        pool.reset()
        for action in actions[:20]:
            pool.step(action)
        assert pool.why_no_state is None
        state = json.loads(json.dumps(pool.state()))
        other.reset()
        other.restore(state)
        for action in actions[20:]:
            expected = pool.step(action)
            found = other.step(action)
            np.testing.assert_array_equal(found.observation, expected.observation)
        # The next episodes begin alike, too.
        np.testing.assert_array_equal(other.begin_episodes(), pool.begin_episodes())
