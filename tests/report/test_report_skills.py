"""The map of the skills and their paths."""

import dataclasses

import numpy as np
import pytest

from autotelic.environments import bounds_of, walls_of
from autotelic.evaluation import Trajectories
from autotelic.report.skills import (
    how_many,
    paths,
    principal_components,
    sample,
    skill_map,
    skills_data,
)
from autotelic.runs.run import Runs


def trajectories(observations: np.ndarray, positions: np.ndarray | None) -> Trajectories:
    """One member, two goals, one trajectory each."""
    lengths = np.full((1, 2, 1), observations.shape[3] - 1)
    return Trajectories((("A", 0),), observations, lengths, positions)


def test_principal_components_of_a_line_have_one_direction():
    line = np.array([[0.0, 0.0, 5.0], [1.0, -2.0, 5.0], [2.0, -4.0, 5.0]])
    (found,), shares = principal_components([line])
    # Standardised, the points are -s, 0, s with s = sqrt(3/2) in two of the three directions.
    np.testing.assert_allclose(np.abs(found[:, 0]), [np.sqrt(3), 0, np.sqrt(3)], atol=1e-12)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(shares, [1.0, 0.0], atol=1e-12)


def test_principal_components_keep_distances_of_the_parts_they_share():
    generator = np.random.default_rng(0)
    one, other = generator.normal(size=(4, 2, 2)), generator.normal(size=(3, 2, 2))
    (first, second), shares = principal_components([one, other])
    assert first.shape == one.shape and second.shape == other.shape
    assert shares.sum() == pytest.approx(1.0)
    rows = np.concatenate([one.reshape(-1, 2), other.reshape(-1, 2)])
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    found = np.concatenate([first.reshape(-1, 2), second.reshape(-1, 2)])
    np.testing.assert_allclose(
        np.linalg.norm(found[:, None] - found, axis=-1),
        np.linalg.norm(scaled[:, None] - scaled, axis=-1),
        atol=1e-9,
    )


def test_two_observations_are_their_own_map():
    observations = np.zeros((1, 2, 1, 3, 2), np.float32)
    observations[0, 0, 0] = [[9, 9], [1, 2], [3, 4]]  # the start is not part of the mean
    words, (points,) = skill_map((trajectories(observations, observations),))
    assert points == [[[[2.0, 3.0]], [[0.0, 0.0]]]]
    assert words["labels"] == ["mean x", "mean y"]
    assert words["domain"] == [[0.0, 2.0], [0.0, 3.0]]


def test_positions_in_the_plane_are_paths():
    positions = np.array([[0, 0], [1, 2], [3, 5]], np.float32) * np.ones((1, 2, 1, 1, 1))
    words, (lines,) = paths((trajectories(positions, positions),))
    assert words == {"kind": "plane", "domain": [[0.0, 3.0], [0.0, 5.0]]}
    assert lines[0][1] == [[[0.0, 1.0, 3.0], [0.0, 2.0, 5.0]]]


def test_x_alone_is_a_trace_that_stops_where_the_episode_did():
    positions = np.full((1, 2, 1, 3, 2), np.nan)
    positions[0, :, 0, :2, 0] = [0.5, 0.75]
    words, (lines,) = paths((trajectories(np.zeros((1, 2, 1, 3, 4)), positions),))
    assert words == {"kind": "trace", "steps": [0, 1, 2]}
    assert lines[0] == [[[0.5, 0.75, None]], [[0.5, 0.75, None]]]


def test_episodes_that_all_end_early_fill_the_picture():
    steps = np.where(np.arange(1001) <= 20, np.arange(1001.0), np.nan)
    positions = np.broadcast_to(np.stack([steps, -steps], axis=-1), (1, 2, 1, 1001, 2))
    ended = dataclasses.replace(
        trajectories(positions, positions), lengths=np.array([[[10], [20]]], np.int32)
    )
    _, (lines,) = paths((ended,))
    assert lines[0][1][0][0] == list(range(21))


def test_without_positions_there_are_no_paths():
    words, lines = paths((trajectories(np.zeros((1, 2, 1, 3, 4)), None),))
    assert words is None and lines == [[None]]


def test_long_trajectories_are_thinned_from_start_to_end():
    steps = np.arange(1001.0)
    positions = np.broadcast_to(np.stack([steps, -steps], axis=-1), (1, 2, 1, 1001, 2))
    _, (lines,) = paths((trajectories(positions, positions),))
    xs, ys = lines[0][0][0]
    assert len(xs) == 51 and (xs[0], xs[-1], ys[-1]) == (0.0, 1000.0, -1000.0)


@pytest.mark.parametrize("methods", [1, 4, 30])
@pytest.mark.parametrize("round_steps", [100, 20_000, 10**7])
def test_samples_stay_within_the_budget_but_for_the_least(methods: int, round_steps: int):
    seeds, per_goal = how_many(methods, 10, round_steps, budget=400_000)
    assert 1 <= seeds <= 10 and 2 <= per_goal <= 20
    assert (methods + 1) * seeds * per_goal * round_steps <= 400_000 or (seeds, per_goal) == (1, 2)


def test_in_a_maze_there_are_walls_and_which_goals_are_reached(maze: Runs):
    found = skills_data(maze, sample(maze), "uniform")
    (one,) = found["members"]
    assert (found["noun"], len(one["success"]), len(one["places"])) == ("goal", 24, 24)
    assert all(0.0 <= share <= 1.0 for share in one["success"])
    assert 0 < sum(one["reachable"]) < 24  # half of the goals are in closed rooms
    closed = [share for share, can in zip(one["success"], one["reachable"], strict=True) if not can]
    assert set(closed) == {0.0}
    low, high = bounds_of(maze.environment) or (0.0, 0.0)
    assert found["paths"]["domain"] == [[low, high]] * 2
    walls = np.array(found["paths"]["walls"])
    assert len(walls) == np.count_nonzero(np.asarray(walls_of(maze.environment)))
    inside = [  # no goal lies in a wall
        ((walls[:, :2] < place) & (place < walls[:, 2:])).all(axis=1).any()
        for place in np.array(one["places"])
    ]
    assert not any(inside)
    assert "Grey ones cannot be reached" in found["note"]


def test_skills_that_are_no_places_have_no_success_to_show(runs: Runs):
    found = skills_data(runs, sample(runs), "DIAYN")
    assert found["noun"] == "skill"
    assert "success" not in found["members"][0] and "walls" not in found["paths"]
