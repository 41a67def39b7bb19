"""Cells of 1 m by METRA's protocol: what is counted, and which trajectories are."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from walkers import MEMBER, Field, Line, Place, setting, skills

from autotelic.environments import make_environment
from autotelic.evaluation.coverage import (
    STEPS,
    TRAJECTORIES,
    GroundTraces,
    cells_covered,
    cover_ground,
    coverage_trajectories,
    covered_ground,
    round_of_goals,
)
from autotelic.evaluation.trajectories import Trajectories
from autotelic.runs.run import Runs

NAN = np.nan


def test_cells_by_hand():
    # Cells (0, 0), (1, 0), (1, -1) and (-1, -1): floor, not rounding towards 0.
    positions = [
        [[0.0, 0.0], [0.9, 0.9], [1.0, 0.5]],
        [[1.5, -0.1], [-0.1, -0.9], [NAN, NAN]],
    ]
    assert cells_covered(positions) == 4
    assert cells_covered(positions[0]) == 2


def test_x_alone_is_counted_along_a_line():
    assert cells_covered([[0.2, NAN], [0.9, NAN], [-0.1, NAN], [7.0, NAN]]) == 3
    assert cells_covered([[0.2], [0.9], [-0.1]]) == 2


def test_goals_come_in_turn_until_there_are_48_trajectories():
    goals = round_of_goals(20)
    assert len(goals) == 48
    assert np.bincount(goals).tolist() == [3] * 8 + [2] * 12
    assert round_of_goals(50).tolist() == list(range(48))


def test_four_walkers_cover_a_cross():
    found = cover_ground(setting(Field()), skills(), MEMBER)
    assert found.positions.shape == (1, TRAJECTORIES, STEPS + 1, 2)
    assert found.goals[:5].tolist() == [0, 1, 2, 3, 0]
    np.testing.assert_allclose(found.skills[2], [-1, 0], atol=1e-6)
    np.testing.assert_allclose(found.positions[0, 5, -1], [0.5, 200.5], atol=1e-3)  # goal 1: up
    assert cells_covered(found.positions[0]) == 4 * 200 + 1


def test_an_early_end_is_where_counting_ends():
    found = cover_ground(setting(Field(falls_after=3)), skills(), MEMBER)
    assert np.isnan(found.positions[0, :, 4:]).all()
    assert cells_covered(found.positions[0]) == 4 * 3 + 1


def test_a_line_of_gymnasium_is_covered_to_both_sides():
    found = cover_ground(setting(Line, dimension=1, num_goals=2), skills(1), MEMBER)
    assert np.isnan(found.positions[..., 1]).all()
    assert cells_covered(found.positions[0]) == 2 * 200 + 1


def test_without_positions_there_is_no_ground(runs: Runs):
    with pytest.raises(ValueError, match="the environment gives no positions"):
        cover_ground(setting("Pendulum-v1", dimension=1, num_goals=2), skills(1), MEMBER)
    with pytest.raises(ValueError, match="with 1 members and 2 trajectories, got"):
        GroundTraces((("a", 0),), np.zeros(2), np.zeros((2, 2)), np.zeros((1, 3, 4, 2)))


def test_metrics_ask_only_where_there_is_open_ground():
    observations = np.zeros((1, 4, 1, 2, 2), np.float32)
    lengths = np.ones((1, 4, 1), np.int32)
    known = Trajectories((("walker", 0),), observations, lengths, observations)
    unknown = Trajectories((("walker", 0),), observations, lengths, None)
    field = setting(Field())
    (found,) = covered_ground(field, skills(), known, environment=Field())
    assert found is not None and cells_covered(found) == 801
    assert covered_ground(field, skills(), unknown, environment=Field()) == [None]
    box = make_environment("navigation2d")
    assert covered_ground(field, skills(), known, environment=box) == [None]


def test_members_of_a_run_have_the_same_starts_and_act_without_noise(runs: Runs):
    found = coverage_trajectories(runs)
    assert found.members == (("DIAYN", 0), ("DIAYN", 1))
    # 2D navigation starts in the centre, and 3 goals take turns: 0 and 3 are the same trajectory.
    np.testing.assert_array_equal(found.positions[:, 0], found.positions[:, 3])
    assert not np.array_equal(found.positions[:, 0, 1], found.positions[:, 1, 1])
    alone = coverage_trajectories(runs, members=[("DIAYN", 1)], untrained=True)
    np.testing.assert_array_equal(alone.positions[0], found.positions[1])  # never trained
    with pytest.raises(ValueError, match=r"unknown member .*9"):
        coverage_trajectories(runs, members=[("DIAYN", 9)])


class Anywhere(Field):
    """Open ground where walkers begin anywhere."""

    def reset(self, key: jax.Array) -> Any:
        place = Place(jax.random.uniform(key, (2,)), jnp.zeros((), jnp.int32))
        return place, self._seen(place)


def test_metrics_and_tables_are_of_the_same_trajectories_where_no_seed_is_given():
    observations = np.zeros((1, 4, 1, 2, 2), np.float32)
    known = Trajectories(tuple(MEMBER), observations, np.ones((1, 4, 1), np.int32), observations)
    field = setting(Anywhere())
    (found,) = covered_ground(field, skills(), known, environment=Anywhere())
    table, other = (cover_ground(field, skills(), MEMBER, *seed) for seed in ((), (1,)))
    assert found is not None
    np.testing.assert_array_equal(found, table.positions[0])
    assert not np.isclose(found[:, 0], other.positions[0, :, 0]).any()
