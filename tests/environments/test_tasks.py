"""Tasks: rewards worked out by hand, observations, states, and Gymnasium's own check."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.making import make_one
from autotelic.environments.pool import GymnasiumPool
from autotelic.environments.tasks import TASKS, appended_entries
from autotelic.environments.tasks.ant_direction import direction_reward
from autotelic.environments.tasks.ant_multi_goal import at_place
from autotelic.environments.tasks.half_cheetah import run_reward
from autotelic.environments.tasks.hurdles import hurdle_places, hurdles_passed, next_hurdle
from autotelic.environments.tasks.navigation2d_goal import place_reward

NAVIGATION, RUN, BACKWARD, HURDLES, DIRECTION, MULTI_GOAL = TASKS
VELOCITY = "autotelic/HalfCheetahVelocity-v0"
ANT = {"include_cfrc_ext_in_observation": False}


def stepped(task: str, options: dict[str, Any], actions: np.ndarray) -> list[Any]:
    """What each action gave, in the task without its time limit."""
    environment = make_one(task, options).unwrapped
    environment.reset(seed=0)
    return [environment.step(action) for action in actions]


def random_actions(environment: gymnasium.Env, steps: int) -> np.ndarray:
    environment.action_space.seed(0)
    return np.array([environment.action_space.sample() for _ in range(steps)])


def test_any_trainer_makes_one_as_the_page_says():
    page = (Path(__file__).parents[2] / "docs" / "downstream.md").read_text()
    (name,) = re.findall(r'gymnasium\.make\("([^"]+)"\)', page)
    words = f"import gymnasium; print(gymnasium.make({name!r}).spec.id)"
    said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert said.stdout.split()[-1:] == [MULTI_GOAL], said.stderr


@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_check_passes(task: str):
    environment = make_one(task, {})
    assert environment.spec is not None and environment.spec.id == task
    assert GymnasiumEnvironment(task).episode_length == TASKS[task].steps
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*A Box observation space (maximum|minimum) value is")
        warnings.filterwarnings("ignore", ".*not having a spec")
        check_env(environment.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    ("task", "base", "options"),
    [
        (RUN, "HalfCheetah-v5", {"exclude_current_positions_from_observation": False}),
        (BACKWARD, "HalfCheetah-v5", {}),
        (HURDLES, "HalfCheetah-v5", {}),
        (DIRECTION, "Ant-v5", ANT),
        (MULTI_GOAL, "Ant-v5", {**ANT, "exclude_current_positions_from_observation": False}),
    ],
)
def test_observations_are_those_of_the_skills_and_the_tasks_own_behind(
    task: str, base: str, options: dict[str, Any]
):
    assert TASKS[task].base == base
    one, other = make_one(task, options), make_one(base, options)
    seen, expected = one.reset(seed=3)[0], other.reset(seed=3)[0]
    own = appended_entries(one)
    assert own == {HURDLES: 1, MULTI_GOAL: 2}.get(task, 0)
    np.testing.assert_array_equal(seen[: len(seen) - own], expected)
    assert one.observation_space.shape == (len(expected) + own,)
    for action in random_actions(other, 5):  # no hurdle is near enough to be touched
        seen, expected = one.step(action)[0], other.step(action)[0]
        np.testing.assert_array_equal(seen[: len(seen) - own], expected)


def test_the_velocity_of_the_last_second_is_seen_and_is_what_goals_are():
    environment = make_one(VELOCITY, {})
    assert environment.spec is not None and environment.spec.max_episode_steps == 200
    body: Any = environment.unwrapped
    seen = [environment.reset(seed=0)[0]]
    at_steps = [float(body.data.qpos[0])]
    for action in random_actions(environment, 30):
        seen.append(environment.step(action)[0])
        at_steps.append(float(body.data.qpos[0]))
    # A second is 20 steps of 0.05 s. Before that the way is from the start.
    for step in (0, 1, 19, 20, 21, 30):
        way = at_steps[step] - at_steps[max(step - 20, 0)]
        assert seen[step][-1] == pytest.approx(way / (20 * 0.05), abs=1e-12)
    assert environment.reset(seed=1)[0][-1] == 0.0  # of the episode before nothing is left
    assert GymnasiumEnvironment(VELOCITY).goal_entries == (17,)


def test_rewards_by_hand():
    assert run_reward(2.0, [1.0, 3.0], 1.0, control_cost=0.5) == 2.0 - 0.5 * 10
    assert run_reward(2.0, [0.0], -1.0) == -2.0
    assert direction_reward((1.0, 2.0), (0.0, -1.0), healthy=1.0, costs=0.5) == -2.0 + 1.0 - 0.5
    assert place_reward([0.0, 0.0], [0.3, 0.4]) == pytest.approx(-0.25)
    assert at_place((0.0, 0.0), (1.8, 2.4)) == 1.0 and at_place((0.0, 0.0), (1.9, 2.4)) == 0.0
    np.testing.assert_array_equal(hurdle_places(3), [-1.0, 2.0, 5.0, 8.0])
    assert hurdles_passed(8.0, hurdle_places(3)) == 3
    assert next_hurdle(8.5, hurdle_places(3)) == 100.0


@pytest.mark.parametrize(("task", "direction"), [(RUN, 1.0), (BACKWARD, -1.0)])
def test_half_cheetah_runs_both_ways(task: str, direction: float):
    actions = random_actions(make_one("HalfCheetah-v5", {}), 4)
    for action, (_, reward, *_, info) in zip(actions, stepped(task, {}, actions), strict=True):
        squares = float(np.sum(action.astype(np.float64) ** 2))
        assert reward == pytest.approx(direction * info["x_velocity"] - 0.1 * squares)
    own = stepped("HalfCheetah-v5", {}, actions)
    if direction > 0:  # Gymnasium's own reward
        for step, expected in zip(stepped(task, {}, actions), own, strict=True):
            assert step[1] == pytest.approx(expected[1], rel=1e-5)


@pytest.mark.parametrize(("direction", "sign"), [("east", 1), ("west", -1), ("north", 1)])
def test_ant_is_paid_along_its_direction(direction: str, sign: int):
    actions = random_actions(make_one("Ant-v5", ANT), 4)
    velocity = "y_velocity" if direction == "north" else "x_velocity"
    for step in stepped(DIRECTION, {**ANT, "direction": direction}, actions):
        info = step[4]
        rest = info["reward_survive"] + info["reward_ctrl"] + info["reward_contact"]
        assert step[1] == pytest.approx(sign * info[velocity] + rest)
    if direction == "east":
        for step, own in zip(
            stepped(DIRECTION, ANT, actions), stepped("Ant-v5", ANT, actions), strict=True
        ):
            assert step[1] == pytest.approx(own[1])


def test_a_hurdle_is_paid_once_and_stands_in_the_way():
    environment: Any = make_one(HURDLES, {"hurdles": 2, "reset_noise_scale": 0.0}).unwrapped
    plain: Any = make_one("HalfCheetah-v5", {}).unwrapped
    np.testing.assert_allclose(environment.model.body_mass, plain.model.body_mass)
    seen, _ = environment.reset(seed=0)
    assert seen[-1] == 2.0  # to the next hurdle

    def put(x: float) -> Any:
        state = environment.data.qpos.copy()
        state[0], state[1] = x, 1.0  # in the air, above the hurdles
        environment.set_state(state, 0 * environment.data.qvel)
        return environment.step(np.zeros(6, np.float32))

    assert [put(x)[1] for x in (1.0, 2.5, 1.0, 2.5)] == [0.0, 1.0, 0.0, 0.0]
    _, reward, _, _, info = put(6.0)
    assert (reward, info["hurdles"], info["success"]) == (1.0, 2, True)

    state = environment.init_qpos.copy()
    state[:2] = 2.0, -0.5  # the torso 0.2 m above the ground, in the hurdle of 0.25 m
    environment.set_state(state, 0 * environment.data.qvel)
    touched = {
        environment.data.contact[i].geom[j] for i in range(environment.data.ncon) for j in (0, 1)
    }
    assert environment.model.geom("hurdle1").id in touched


def test_hurdles_may_be_unseen():
    environment = make_one(HURDLES, {"see_hurdles": False})
    assert environment.observation_space.shape == (17,) and appended_entries(environment) == 0
    assert environment.reset(seed=0)[0].shape == (17,)


def test_multi_goal_draws_a_place_every_50_steps_around_the_body():
    environment: Any = make_one(MULTI_GOAL, ANT).unwrapped
    seen, _ = environment.reset(seed=0)
    places, drawn_at, paid = [environment.place.copy()], [environment.data.qpos[:2].copy()], 0.0
    for time in range(1, 201):
        seen, reward, terminated, _, info = environment.step(np.zeros(8, np.float32))
        np.testing.assert_allclose(seen[-2:], environment.place - environment.data.qpos[:2])
        assert info["goal"] == (time - 1) // 50 and not terminated
        near = np.hypot(*(places[info["goal"]] - environment.data.qpos[:2])) <= 3.0
        assert reward == float(near)
        assert info["reached"][info["goal"]] >= near
        paid += reward
        if not np.array_equal(environment.place, places[-1]):
            assert time in (50, 100, 150)
            places.append(environment.place.copy())
            drawn_at.append(environment.data.qpos[:2].copy())
    assert len(places) == 4
    assert (np.abs(np.array(places) - drawn_at) <= 7.5).all()
    environment.reset()  # another episode has other places
    assert not np.array_equal(environment.place, places[0])
    assert environment.reached == [False] * 4


def test_a_place_in_2d_is_paid_by_its_distance():
    environment = gymnasium.make(NAVIGATION, goal=(0.5, 0.58))
    environment.reset(seed=0)
    seen, reward, _, _, info = environment.step(np.array([0.0, 1.0], np.float32))
    np.testing.assert_allclose(seen, [0.5, 0.55])
    assert reward == pytest.approx(-(0.03**2), rel=1e-4) and info["success"]
    assert not environment.step(np.array([1.0, 1.0], np.float32))[4]["success"]
    drawn = gymnasium.make(NAVIGATION, goal="random")
    first, second = drawn.reset(seed=0)[0], drawn.reset()[0]
    assert first.shape == (4,) and not np.array_equal(first[2:], second[2:])


@pytest.mark.parametrize(
    ("task", "options"),
    [
        (NAVIGATION, {"goal": "random", "noise": 0.1}),
        (BACKWARD, {}),
        (HURDLES, {}),
        (DIRECTION, ANT),
        (MULTI_GOAL, ANT),
        (VELOCITY, {}),
    ],
)
def test_a_task_continues_from_its_state_exactly(task: str, options: dict[str, Any]):
    with GymnasiumPool(task, 1, [0], **options) as pool:
        pool.reset()
        actions = np.random.default_rng(0).uniform(-1, 1, (70, 1, pool.action_size))
        for action in actions[:45]:
            pool.step(action)
        state = json.loads(json.dumps(pool.state()))
        expected = [(pool.step(a).next_observation, pool.paid()) for a in actions[45:]]
    with GymnasiumPool(task, 1, [0], **options) as pool:
        pool.restore(state)
        for action, (seen, paid) in zip(actions[45:], expected, strict=True):
            np.testing.assert_array_equal(pool.step(action).next_observation, seen)
            np.testing.assert_array_equal(pool.paid(), paid)


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        (NAVIGATION, {"goal": (0.5, 1.5)}, r"goal must lie in \[0, 1\]"),
        (NAVIGATION, {"goal": (0.5,)}, "goal must be x and y"),
        (NAVIGATION, {"goal": "rand"}, "unknown goal 'rand'"),
        (HURDLES, {"hurdles": 0}, "hurdles must be at least 1"),
        (HURDLES, {"hurdle": 3}, "Did you mean 'hurdles'"),
        (DIRECTION, {"direction": "up"}, "unknown direction 'up'"),
    ],
)
def test_bad_options_are_refused(task: str, options: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        make_one(task, options)


def test_a_payment_that_is_no_number_is_named():
    class Payer(gymnasium.Env):
        observation_space: Any = gymnasium.spaces.Box(0, 1, (1,))
        action_space: Any = gymnasium.spaces.Discrete(2)

        def reset(self, **_: Any) -> Any:
            return np.zeros(1), {}

        def step(self, action: int) -> Any:
            return np.zeros(1), [0.5, "much"][action], False, False, {}

    with GymnasiumPool(Payer, 2, [0, 1]) as pool:
        pool.reset()
        pool.step(np.array([[1.0, 0.0], [1.0, 0.0]]))
        np.testing.assert_array_equal(pool.paid(), [0.5, 0.5])
        pool.step(np.array([[1.0, 0.0], [0.0, 1.0]]))  # whoever does not ask is not bothered
        with pytest.raises(RuntimeError, match="member 1 failed: it paid 'much'"):
            pool.paid()
