"""Sets of places to reach: a grid, and what a list of them must be."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np


def grid(bounds: Sequence[tuple[float, float]], count: int) -> np.ndarray:
    """So many points [count, dimensions] spread evenly over a box: the centres of equal cells.

    Dimensions are cut so that cells are as near to cubes as can be, into at least as many cells as there
    are to be points; of more cells, evenly spread ones are taken.

    >>> grid([(0.0, 4.0), (0.0, 2.0)], 2).tolist()
    [[1.0, 1.0], [3.0, 1.0]]
    """
    sides = np.array([high - low for low, high in bounds])
    cuts = np.ones(len(sides), int)
    while np.prod(cuts) < count:
        cuts[np.argmax(sides / cuts)] += 1
    axes = [
        low + (np.arange(cut) + 0.5) / cut * (high - low)
        for (low, high), cut in zip(bounds, cuts, strict=True)
    ]
    points = np.array(list(itertools.product(*axes)))
    return points[evenly(len(points), count)]


def evenly(available: int, count: int) -> np.ndarray:
    """Indices [count] of so many things among those available, spread evenly.

    >>> evenly(6, 3).tolist()
    [0, 2, 4]
    """
    return np.arange(count) * available // count


def checked_places(places: Any) -> tuple[tuple[float, ...], ...]:
    """A list of points as tuples; refuses none, other shapes, what is no number, and the same twice."""
    try:
        points = np.array(places, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"places must be points of one dimension each, got {error}") from error
    if points.ndim != 2 or not points.size:
        raise ValueError(
            "places must hold at least one goal, each a list of coordinates ((x, y), ...), got the "
            f"shape {list(points.shape)}"
        )
    if not np.isfinite(points).all():
        number = int(np.argmin(np.isfinite(points).all(axis=1)))
        raise ValueError(
            f"places must be finite numbers; goal {number} is {points[number].tolist()}"
        )
    _, first = np.unique(points, axis=0, return_index=True)
    if len(first) < len(points):
        number = min(set(range(len(points))) - set(first.tolist()))
        raise ValueError(
            f"places must differ; goal {number}, {points[number].tolist()}, is there twice"
        )
    return tuple(tuple(float(x) for x in point) for point in points)


def unique_rows(points: np.ndarray) -> np.ndarray:
    """The points [n, dimensions], one that is there before moved by a hair: goals must differ."""
    points = np.array(points, np.float64)
    seen: set[bytes] = set()
    for point in points:
        while point.astype(np.float32).tobytes() in seen:
            point += 1e-6 * np.maximum(1.0, np.abs(point))
        seen.add(point.astype(np.float32).tobytes())
    return points
