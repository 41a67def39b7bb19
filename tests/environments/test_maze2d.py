"""The maze: walls by hand and by law, ways and closed rooms, and its goals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.environments import make_environment, reachable_of
from autotelic.environments.maze2d import Maze2D, MazeState
from autotelic.environments.maze_layouts import LAYOUTS, flood

KEY = jax.random.key(0)
MAZE = Maze2D()
CELL = 2.0 / 13
MOVED = jax.jit(MAZE.moved)
"""One program for all steps."""


def at(x: float, y: float) -> np.ndarray:
    """The middle of a cell, in cells from the lower left corner."""
    return MAZE.centre_of((x, y)).astype(np.float32)


def test_it_starts_in_the_upper_left_and_moves_by_shares_of_a_cell():
    _, observation = MAZE.reset(KEY)
    np.testing.assert_allclose(observation, at(1, 11), rtol=1e-6)
    found = MOVED(observation, jnp.array([1.0, 0.5]))
    # 0.8 cells to the right; above is a wall, half a cell away.
    np.testing.assert_allclose(found, at(1.8, 11.4), atol=1e-6)


def test_walls_stop_each_axis_by_itself():
    found = MOVED(at(1, 11), jnp.array([-1.0, -1.0]))
    # Walls left and below are half a cell away.
    np.testing.assert_allclose(found, at(0.5, 10.5), atol=2e-4 * CELL)
    along = MOVED(found, jnp.array([1.0, -1.0]))
    np.testing.assert_allclose(along, at(1.3, 10.5), atol=2e-4 * CELL)


def test_a_door_is_passed_and_the_wall_beside_it_is_not():
    # Below the cell (7, 11) the way leads down, below (6, 11) it does not.
    np.testing.assert_allclose(MOVED(at(7, 11), jnp.array([0.0, -1.0])), at(7, 10.2), atol=1e-6)
    stopped = MOVED(at(6, 10.7), jnp.array([0.0, -1.0]))
    np.testing.assert_allclose(stopped, at(6, 10.5), atol=2e-4 * CELL)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_way_leads_through_a_wall(seed: int):
    """Whatever is done, the point stays in cells that a way leads to, one cell at a time."""
    generator = np.random.default_rng(seed)
    free = np.argwhere(MAZE.steps_away >= 0)
    place = at(*free[generator.integers(len(free))]) + generator.uniform(-0.49, 0.49, 2) * CELL
    place = place.astype(np.float32)
    for action in generator.uniform(-1.5, 1.5, (40, 2)).round(generator.integers(0, 3)):
        before = MAZE.steps_away[tuple(MAZE.cell_of(place))]
        place = np.asarray(MOVED(place, jnp.asarray(action, jnp.float32)))
        after = MAZE.steps_away[tuple(MAZE.cell_of(place))]
        assert after >= 0
        assert abs(after - before) <= 2  # around a corner at most


def test_an_episode_is_cut_after_its_length():
    state = MazeState(jnp.asarray(at(5, 11)), jnp.array(99))
    following, step = jax.jit(MAZE.step)(state, jnp.zeros(2), KEY)
    assert step.truncated and not step.terminated
    np.testing.assert_allclose(step.next_observation, at(5, 11), atol=1e-6)
    np.testing.assert_allclose(step.observation, at(1, 11), atol=1e-6)
    assert following.time == 0


def test_ways_are_counted_in_cells():
    # Through five corridors of 7 cells and four doors, each corridor two rows below the last.
    assert MAZE.steps_away.max() == 5 * 6 + 4 * 2
    assert MAZE.steps_away[7, 3] == 38
    assert MAZE.steps_away[10, 10] == -1
    walls = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 0]], bool)
    assert flood(walls, (0, 0)).tolist() == [[0, 1, 2], [-1, -1, 3], [6, 5, 4]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75])
def test_goals_differ_and_as_many_as_said_are_impossible(layout: str, share: float):
    maze = Maze2D(layout, share_impossible=share)
    assert all(len(row) == maze.size for row in maze.rows)
    for count in (4, 50, 200):
        goals = maze.desired_goals(count)
        assert len(np.unique(goals.round(6), axis=0)) == count
        known = reachable_of(maze, goals)
        assert known is not None and (~known).sum() == round(share * count)
        x, y = maze.cell_of(goals).T
        assert not maze.walls[x, y].any()
        away = maze.steps_away[x, y][known]
        assert (np.diff(away) >= 0).all() and away[0] >= 1


def test_no_goal_is_reached_through_a_wall():
    """Every place within the radius of an impossible goal is as impossible."""
    goals = MAZE.desired_goals(200)
    closed = goals[~MAZE.reachable(goals)]
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    around = 0.999 * MAZE.goal_radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    assert not MAZE.reachable((closed[:, None] + around).reshape(-1, 2)).any()


def test_a_picture_shows_walls_and_the_point():
    picture = MAZE.render(at(1, 11))
    assert picture.shape == (104, 104, 3) and picture.dtype == np.uint8
    assert (picture[4, 4] == 90).all()  # a wall
    assert (picture[12, 12] == 0).all()  # the point, one cell in from the upper left
    assert (picture[12, 20] == 255).all()


def test_it_is_made_by_its_name():
    maze = make_environment("maze2d", layout="rooms", episode_length=30)
    assert maze == Maze2D("rooms", episode_length=30)
    with pytest.raises(ValueError, match=r"unknown option of maze2d 'lay'.*'layout'"):
        make_environment("maze2d", lay="rooms")
    with pytest.raises(ValueError, match="unknown layout"):
        make_environment("maze2d", layout="spiral")
