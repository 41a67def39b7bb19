"""A point in a maze: corridors, rooms, and closed rooms that nothing leads into, so that goals differ."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic.environments.base import EnvironmentStep
from autotelic.environments.maze_layouts import LAYOUTS, START, WALL, flood

EDGE = 1e-4
"""How near to a wall a point comes, as a share of a cell."""
GOAL_RADIUS = 0.5
"""How near a goal is reached, in cells: walls are a cell thick, so none is reached through one."""
PIXELS = 8
"""Of a picture, for each cell."""


class MazeState(NamedTuple):
    """Where the point is, and for how many steps the episode has lasted."""

    position: jax.Array
    time: jax.Array


@dataclass(frozen=True)
class Maze2D:
    """A point in [-1, 1]^2 that walls stop, as pure functions, for one learner.

    It starts at the same place, observes its position x, y and moves by up to `action_range` cells along
    each axis: first along x, then along y, each until a wall. A step is shorter than a wall is thick, so
    none is passed. Goals are places in the maze; those in closed rooms cannot be reached.

    Args:
        layout: `corridors`, five of them one after the other; `rooms`, nine with doors; `open`, one room;
            each with closed rooms beside it.
        share_impossible: which share of `desired_goals` lies in closed rooms.
        action_range: the largest displacement along an axis in one step, in cells.
        episode_length: steps after which an episode is cut and the point starts anew.

    Examples:
        >>> maze = Maze2D()
        >>> state, observation = maze.reset(jax.random.key(0))
        >>> goals = maze.desired_goals(8)
        >>> maze.reachable(goals).tolist()
        [True, True, True, True, False, False, False, False]
    """

    layout: str = "corridors"
    share_impossible: float = 0.5
    action_range: float = 0.8
    episode_length: int = 100

    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    goal_entries: ClassVar[tuple[int, ...]] = (0, 1)

    def __post_init__(self) -> None:
        _validate.choice("layout", self.layout, LAYOUTS)
        _validate.number("share_impossible", self.share_impossible, minimum=0.0, maximum=1.0)
        _validate.number("action_range", self.action_range, above=0.0, maximum=0.9)
        _validate.integer("episode_length", self.episode_length, minimum=1)

    @property
    def observation_size(self) -> int:
        """The two coordinates."""
        return 2

    @property
    def action_size(self) -> int:
        """A displacement along each axis."""
        return 2

    @property
    def rows(self) -> tuple[str, ...]:
        """The map, from the top row down."""
        return LAYOUTS[self.layout]

    @property
    def size(self) -> int:
        """Cells along a side."""
        return len(self.rows)

    @property
    def goal_radius(self) -> float:
        """How near a goal is reached, in units of a position."""
        return GOAL_RADIUS * 2.0 / self.size

    @cached_property
    def walls(self) -> np.ndarray:
        """Which cells are walls, bool [x, y]; y from the bottom up."""
        return self._cells == WALL

    @cached_property
    def start(self) -> tuple[int, int]:
        """The cell that episodes begin in."""
        x, y = np.argwhere(self._cells == START)[0]
        return int(x), int(y)

    @cached_property
    def steps_away(self) -> np.ndarray:
        """How many cells the way from the start to each has, int [x, y]; -1 where there is none."""
        return flood(self.walls, self.start)

    @property
    def _cells(self) -> np.ndarray:
        return np.array([list(row) for row in self.rows])[::-1].T

    def cell_of(self, positions: Any) -> np.ndarray:
        """Which cell positions [..., 2] are in, int [..., 2]."""
        cells = np.floor((np.asarray(positions, float) + 1.0) / 2.0 * self.size).astype(int)
        return cells.clip(0, self.size - 1)

    def centre_of(self, cells: Any) -> np.ndarray:
        """The middle of cells [..., 2] as positions [..., 2]; parts of a cell count."""
        return (np.asarray(cells, float) + 0.5) * 2.0 / self.size - 1.0

    def reachable(self, places: Any) -> np.ndarray:
        """Which places [n, 2] lie where a way leads, bool [n]."""
        x, y = np.moveaxis(self.cell_of(places), -1, 0)
        return self.steps_away[x, y] >= 0

    def desired_goals(self, count: int) -> np.ndarray:
        """So many goals [count, 2]: first those at rising distance from the start, then impossible ones.

        They are the middles of cells, evenly spread over their distances; of parts of cells, if there are
        more goals than cells.
        """
        impossible = round(self.share_impossible * count)
        away = self.steps_away
        order = np.argsort(away, axis=None, kind="stable")
        cells = np.stack(np.unravel_index(order, away.shape), axis=-1)
        found = away[cells[:, 0], cells[:, 1]]
        closed = (found < 0) & ~self.walls[cells[:, 0], cells[:, 1]]
        return np.concatenate(
            [
                self._spread(cells[found > 0], count - impossible),
                self._spread(cells[closed], impossible),
            ]
        )

    def _spread(self, cells: np.ndarray, count: int) -> np.ndarray:
        """Places [count, 2] in cells [n, 2], those of the first cells first."""
        parts = next(k for k in range(1, count + 2) if k * k * len(cells) >= count)
        offsets = (np.arange(parts) + 0.5) / parts - 0.5
        within = np.stack(np.meshgrid(offsets, offsets, indexing="ij"), axis=-1).reshape(-1, 2)
        places = (cells[:, None] + within[None]).reshape(-1, 2)
        return self.centre_of(places[np.arange(count) * len(places) // max(count, 1)])

    def positions(self, observations: Any) -> Any:
        """x and y [..., 2]: the observations themselves."""
        return observations

    def render(self, observation: Any) -> np.ndarray:
        """The maze and the point in it as a picture, uint8 [height, width, 3]."""
        picture = np.repeat(np.repeat(~self.walls.T[::-1], PIXELS, axis=0), PIXELS, axis=1)
        picture = np.repeat(np.where(picture, 255, 90)[..., None], 3, axis=-1).astype(np.uint8)
        x, y = (np.asarray(observation, float) + 1.0) / 2.0 * self.size * PIXELS
        across = np.arange(self.size * PIXELS) + 0.5
        near = np.hypot(across[None] - x, across[::-1, None] - y) <= 0.4 * PIXELS
        picture[near] = (0, 0, 0)
        return picture

    def reset(self, key: jax.Array) -> tuple[MazeState, jax.Array]:
        """The start of an episode, and its observation [2]."""
        del key
        position = jnp.asarray(self.centre_of(self.start), jnp.float32)
        return MazeState(position, jnp.zeros((), jnp.int32)), position

    def step(
        self, state: MazeState, action: jax.Array, key: jax.Array
    ) -> tuple[MazeState, EnvironmentStep]:
        """The step that `action` [2] in [-1, 1] leads to; a new episode begins where one ends."""
        position = self.moved(state.position, action)
        moved = MazeState(position, state.time + 1)
        truncated = moved.time >= self.episode_length
        start, _ = self.reset(key)
        following = jax.tree.map(lambda new, old: jnp.where(truncated, new, old), start, moved)
        return following, EnvironmentStep(
            position, jnp.zeros((), bool), truncated, following.position
        )

    def moved(self, position: jax.Array, action: jax.Array) -> jax.Array:
        """Where a step leads from a position, [2] each."""
        place = (position + 1.0) / 2.0 * self.size  # in cells
        way = self.action_range * jnp.clip(action, -1.0, 1.0)
        walls = jnp.asarray(self.walls)
        x = _along(place[0], way[0], walls[:, _cell(place[1], self.size)])
        y = _along(place[1], way[1], walls[_cell(x, self.size)])
        return jnp.stack([x, y]) * 2.0 / self.size - 1.0


def _cell(x: jax.Array, size: int) -> jax.Array:
    return jnp.clip(jnp.floor(x).astype(jnp.int32), 0, size - 1)


def _along(x: jax.Array, way: jax.Array, walls: jax.Array) -> jax.Array:
    """A coordinate in cells after a way of less than a cell, [] each; walls: [cells] of this line."""
    cell = _cell(x, len(walls))
    low = jnp.where(walls[jnp.maximum(cell - 1, 0)], cell + EDGE, cell - 1.0)
    high = jnp.where(walls[jnp.minimum(cell + 1, len(walls) - 1)], cell + 1 - EDGE, cell + 2.0)
    return jnp.clip(x + way, low, high)
