"""Success of fresh trajectories, by hand."""

import numpy as np
import pytest

from autotelic.evaluation.success import counted_goals, mean_success, successes
from autotelic.objectives import Diayn, Reach

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
