# pyright: reportMissingImports=false
"""Selectors choose the goals while the real Stable-Baselines3 learns."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

import autotelic as at

pytest.importorskip("stable_baselines3")

from stable_baselines3 import PPO, SAC, HerReplayBuffer
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from autotelic.bridges.stable_baselines3 import (
    COMPETENCE,
    GOAL,
    ChooseGoals,
    GoalEnvironment,
)

pytestmark = pytest.mark.filterwarnings("ignore")
GOALS = [np.float32([x]) for x in (-1.0, 0.0, 1.0, 30.0)]
"""The last one is out of reach."""


class Reach(gymnasium.Env):
    """A point on a line that moves by its actions; an episode has eight steps."""

    action_space: Any = Box(-1, 1, (1,), np.float32)
    observation_space: Any = Dict(
        {
            name: Box(-np.inf, np.inf, (1,), np.float32)
            for name in ("observation", "achieved_goal", "desired_goal")
        }
    )

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.goal, self.place, self.time = (options or {}).get("goal", GOALS[0]), 0.0, 0
        return self._seen(), {}

    def _seen(self) -> Any:
        place = np.float32([self.place])
        return {"observation": place, "achieved_goal": place, "desired_goal": self.goal}

    def step(self, action: Any) -> Any:
        self.place += 0.5 * float(action[0])
        self.time += 1
        reward = self.compute_reward(np.float32([self.place]), self.goal, {})
        info = {"is_success": bool(reward == 0)}
        return self._seen(), float(reward), False, self.time >= 8, info

    def compute_reward(self, achieved: Any, desired: Any, info: Any) -> Any:
        return -(np.linalg.norm(np.asarray(achieved) - desired, axis=-1) > 0.3).astype(np.float32)


def make() -> GoalEnvironment:
    return GoalEnvironment(Reach(), GOALS)


class Recorded(at.Uniform):
    """Uniform; remembers what it is told."""

    heard: Any = []  # noqa: RUF012

    def update(self, state: Any, outcome: Any) -> Any:
        self.heard.append((outcome.goal, outcome.success))
        return super().update(state, outcome)

    def learn(self, state: Any, results: Any) -> Any:
        for goal, success, visits in zip(
            results.goals, results.success, results.visits, strict=True
        ):
            self.heard.extend([(int(goal), float(success))] * visits)
        return super().learn(state, results)


def test_an_episode_pursues_the_goal_that_was_chosen_for_it():
    env = make()
    env.pursue(2)
    seen, info = env.reset(seed=0)
    assert info[GOAL] == 2 and seen["desired_goal"] == GOALS[2]
    env.pursue(1)  # of the next episode
    *_, info = env.step(np.float32([1.0]))
    assert info[GOAL] == 2 and info[COMPETENCE] == 0.0
    *_, info = env.step(np.float32([1.0]))
    assert info[COMPETENCE] == 1.0
    assert env.reset()[1][GOAL] == 1
    with pytest.raises(ValueError, match="below 4"):
        env.pursue(4)


def test_environments_that_say_no_success_need_a_competence():
    env = GoalEnvironment(gymnasium.make("Pendulum-v1"), [0, 1])
    env.reset(seed=0)
    with pytest.raises(ValueError, match="say by competence="):
        env.step(np.float32([0.0]))
    env = GoalEnvironment(
        gymnasium.make("Pendulum-v1"),
        [0.0, 1.0],
        begin=lambda env, goal, seed, options: env.reset(seed=seed),
        competence=lambda seen, reward, info: float(seen[0] > 0),
    )
    env.reset(seed=0)
    assert env.step(np.float32([0.0]))[4][COMPETENCE] in (0.0, 1.0)


@pytest.mark.parametrize("vector", [DummyVecEnv, SubprocVecEnv])
def test_ppo_in_several_environments_tells_every_episode(vector: Any):
    Recorded.heard.clear()
    env = vector([make] * 2)
    callback = ChooseGoals(Recorded(), len(GOALS), seed=1)
    PPO("MultiInputPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu").learn(
        128, callback=callback
    )
    env.close()
    _ = callback.curriculum.state  # the last results are learned from when they are asked for
    assert callback.episodes == len(Recorded.heard) == 128 // 8 - 2  # but for the first of each
    goals = [goal for goal, _ in Recorded.heard]
    assert set(goals) == set(range(len(GOALS)))
    assert all(success == 0.0 for goal, success in Recorded.heard if goal == 3)


def test_sac_with_hindsight_learns_and_the_hopeless_goal_is_left():
    callback = ChooseGoals(at.Learnability(), len(GOALS), seed=0)
    model = SAC(
        "MultiInputPolicy",
        DummyVecEnv([make]),
        replay_buffer_class=HerReplayBuffer,
        learning_starts=100,
        seed=0,
        policy_kwargs={"net_arch": [32]},
        learning_rate=3e-3,
        device="cpu",
    )
    model.learn(800, callback=callback)
    assert callback.episodes == 99
    chances = callback.curriculum.selection_probabilities
    assert chances[3] == chances.min()  # it was never reached: nothing to learn there
    reached = [int(reaches(model, goal)) for goal in (0, 1, 2)]
    assert sum(reached) >= 2


def reaches(model: Any, goal: int) -> bool:
    env = make()
    env.pursue(goal)
    seen, info = env.reset(seed=0)
    for _ in range(8):
        seen, _, _, _, info = env.step(model.predict(seen, deterministic=True)[0])
    return bool(info[COMPETENCE])


def test_other_numbers_of_goals_are_refused():
    model = PPO("MultiInputPolicy", DummyVecEnv([make]), n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ValueError, match=r"num_goals is 3, and the environments have \[4\]"):
        model.learn(8, callback=ChooseGoals(at.Uniform(), 3))
    with pytest.raises(ValueError, match="at least one goal"):
        GoalEnvironment(Reach(), [])
