"""Goals of Gymnasium's vector environments, which it resets and steps by itself."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import autotelic as at

vector = pytest.importorskip("gymnasium.vector")

from autotelic.bridges.gymnasium_vector import ChooseGoals  # noqa: E402
from autotelic.bridges.stable_baselines3 import GOAL, GoalEnvironment  # noqa: E402


class Walk(gymnasium.Env[Any, Any]):
    """Four steps up to a goal, or two to the last one; the goal is reached if the actions are its number."""

    action_space = gymnasium.spaces.Discrete(4)
    observation_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.goal, self.time = (options or {})["goal"], 0
        return self.goal, {}

    def step(self, action: Any) -> Any:
        self.time += 1
        over = self.time == (2 if self.goal == 3 else 4)
        return self.goal, 0.0, over, False, {"is_success": action == self.goal}


def make() -> GoalEnvironment:
    return GoalEnvironment(Walk(), [0, 1, 2, 3])


@pytest.mark.filterwarnings("ignore:os.fork")  # JAX may be loaded, and is not used here
@pytest.mark.parametrize("kind", [vector.SyncVectorEnv, vector.AsyncVectorEnv])
def test_every_environment_pursues_a_goal_of_its_own_and_all_episodes_are_told_of(kind: Any):
    envs = ChooseGoals(kind([make] * 6), at.RoundRobin(), 4, seed=0)
    seen, info = envs.reset(seed=0)
    np.testing.assert_array_equal(info[GOAL], seen)
    assert envs.curriculum.in_flight.tolist() == sorted(seen)
    assert np.bincount(seen, minlength=4).max() == 2  # a round of four, and two of the next
    episodes = 0
    for _ in range(60):
        seen, _, over, _, _ = envs.step(np.where(seen == 1, 1, 0))
        episodes += int(over.sum())
        assert len(envs.curriculum.in_flight) == 6
    found = envs.curriculum.metrics()
    assert found["told"] == episodes > 60
    counts = envs.curriculum.state.counts
    assert counts.sum() == episodes and np.ptp(counts) <= 6
    # Goals 0 and 1 are reached at the last step, 2 and 3 never.
    np.testing.assert_array_equal(envs.curriculum._now.seen.rates, [1.0, 1.0, 0.0, 0.0])
    envs.reset(seed=1)
    assert len(envs.curriculum.in_flight) == 6
    envs.close()


def test_vectors_that_cannot_take_goals_are_refused():
    with pytest.raises(ValueError, match="num_goals is 3, and the environments have"):
        ChooseGoals(vector.SyncVectorEnv([make]), at.Uniform(), 3)
    mode = vector.AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="must reset at the next step"):
        ChooseGoals(vector.SyncVectorEnv([make], autoreset_mode=mode), at.Uniform(), 4)
