"""Maps of mazes as text, square and walled all around: `#` is a wall, `S` the start."""

from collections import deque
from collections.abc import Mapping

import numpy as np

WALL, START = "#", "S"

LAYOUTS: Mapping[str, tuple[str, ...]] = {
    "corridors": (
        "#############",
        "#S......#...#",
        "#######.#...#",
        "#.......#...#",
        "#.###########",
        "#.......#...#",
        "#######.#...#",
        "#.......#...#",
        "#.###########",
        "#.......#...#",
        "#########...#",
        "#.......#...#",
        "#############",
    ),
    "rooms": (
        "#############",
        "#...#...#...#",
        "#.S.....#...#",
        "#...#...#...#",
        "##.#######.##",
        "#...#...#...#",
        "#...#.......#",
        "#...#...#...#",
        "##.###.######",
        "#...#...#...#",
        "#.......#...#",
        "#...#...#...#",
        "#############",
    ),
    "open": (
        "#############",
        "#.......#...#",
        "#.......#...#",
        "#.......#...#",
        "#.......#####",
        "#.......#...#",
        "#...S...#...#",
        "#.......#...#",
        "#.......#####",
        "#.......#...#",
        "#.......#...#",
        "#.......#...#",
        "#############",
    ),
}
"""By their names."""


def flood(walls: np.ndarray, start: tuple[int, int]) -> np.ndarray:
    """How many cells the shortest way from the start to every cell has, int [x, y]; -1 where there is none.

    >>> flood(np.array([[False, True, False], [False, False, False]]), (0, 0)).tolist()
    [[0, -1, 4], [1, 2, 3]]
    """
    away = np.full(walls.shape, -1)
    away[start] = 0
    waiting = deque([start])
    while waiting:
        x, y = waiting.popleft()
        for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            inside = 0 <= near[0] < walls.shape[0] and 0 <= near[1] < walls.shape[1]
            if inside and not walls[near] and away[near] < 0:
                away[near] = away[x, y] + 1
                waiting.append(near)
    return away
