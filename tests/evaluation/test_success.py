"""Success of fresh trajectories, by hand."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.evaluation.success import counted_goals, mean_success, successes
from autotelic.objectives import Context, Diayn, Reach

NAN = np.nan
REACH = Reach(
    places=((0.0,), (5.0,)),
    features=(1,),
    radius=1.0,
    bounds=((0.0, 10.0),),
    reachable=(True, False),
)


def test_a_trajectory_succeeds_that_comes_near_its_own_goal_after_its_start():
    places = [
        [
            [0.0, 3.0, 3.0],
            [9.0, 0.5, 9.0],
            [9.0, 9.0, NAN],
        ],  # goal 0: at the start alone, once, never
        [[9.0, 4.0, NAN], [0.0, 0.0, 0.0], [9.0, 9.0, 5.9]],  # goal 1
    ]
    observations = np.stack([np.zeros((2, 3, 3)), np.array(places)], axis=-1).astype(np.float32)
    found = successes(REACH, REACH.init(None, 2, 2, 8), observations)
    np.testing.assert_array_equal(found, [[0, 1, 0], [1, 0, 1]])
    assert mean_success(REACH, found) == pytest.approx(1 / 3)  # the other cannot be reached


def test_all_goals_count_where_nothing_is_known_of_them():
    assert counted_goals(Diayn(), 3).tolist() == [True, True, True]
    assert counted_goals(REACH, 2).tolist() == [True, False]


class Rising(Diayn):
    """A step counts that rises by more than the number of its goal, which is also its skill's."""

    gives_success = True

    def competence(self, params: Any, context: Context, goal: Any) -> Any:
        rise = context.next_observation[..., 0] - context.observation[..., 0]
        return (rise > goal) & (jnp.argmax(context.skill, axis=-1) == goal)

    def success(self, reached: np.ndarray, ended: np.ndarray) -> float:
        assert ended.tolist() == [[0.0, 0.0, 1.0]]  # the trajectory is one episode
        return float(reached.sum())


def test_objectives_judge_whole_steps_of_one_episode_with_the_skill_of_their_goal():
    heights = np.array([[[0.0, 1.0, 3.0, 2.0]], [[0.0, 1.0, 3.0, 3.5]]], np.float32)
    found = successes(Rising(), None, heights[..., None])
    np.testing.assert_array_equal(found, [[2.0], [1.0]])
