"""Sets of places to reach: which there are, and what a list of them and its bounds must be."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autotelic.objectives.base import GoalSpace


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


def checked_bounds(bounds: Any) -> tuple[tuple[float, float], ...]:
    """(low, high) of each feature as tuples; refuses bounds that are not numbers in this order."""
    pairs = np.array(bounds, float)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isfinite(pairs).all():
        raise ValueError(f"bounds must be (low, high) of each feature, finite, got {bounds!r}")
    if not (pairs[:, 0] < pairs[:, 1]).all():
        raise ValueError(f"bounds must have low below high, got {pairs.tolist()}")
    return tuple((float(low), float(high)) for low, high in pairs)


def check_within(places: Sequence[Sequence[float]], bounds: Sequence[tuple[float, float]]) -> None:
    """Refuse a goal beyond the bounds; what has other dimensions is refused elsewhere."""
    for number, place in enumerate(places):
        for x, (low, high) in zip(place, bounds, strict=False):
            slack = 1e-6 * (high - low)
            if not low - slack <= x <= high + slack:
                raise ValueError(
                    f"place {number}, {list(place)}, lies outside the bounds "
                    f"{[list(pair) for pair in bounds]}; move it, or widen bounds"
                )


def bounds_of_places(places: Sequence[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """Bounds of places, of some width in every dimension."""
    low, high = np.min(places, axis=0), np.max(places, axis=0)
    half = np.maximum((high - low) / 2, 1e-3 * np.maximum(1.0, np.abs(high)))
    middle = (low + high) / 2
    ends = zip(middle - half, middle + half, strict=True)
    return tuple((float(low), float(high)) for low, high in ends)


def widened(
    bounds: Sequence[tuple[float, float]], places: Sequence[Sequence[float]]
) -> tuple[tuple[float, float], ...]:
    """The bounds, wide enough for all places.

    >>> widened(((0.0, 1.0), (0.0, 1.0)), ((0.5, 0.5), (2.0, -1.0)))
    ((0.0, 2.0), (-1.0, 1.0))
    """
    points = np.asarray(places, float).reshape(len(places), -1)
    return tuple(
        (float(min(low, *own)), float(max(high, *own)))
        for (low, high), own in zip(bounds, points.T, strict=False)
    )


def chosen_places(
    kind: str, space: GoalSpace, features: tuple[int, ...], bounds: Any, num_goals: int
) -> Sequence[Sequence[float]]:
    """As many goals as there are to be, of the kind that `Reach.goals` names."""
    own = features == space.entries
    if kind == "auto":
        kind = "desired" if space.desired is not None and own else "grid"
    if kind == "met":
        assert space.met is not None
        met = _finite(f"places met in {space.name}", space.met(num_goals)[:, list(features)])
        return unique_rows(met).tolist()
    if kind == "grid":
        if bounds is None:
            raise ValueError(
                f"a grid of goals needs bounds, and {space.name} has none"
                + ("" if own else f" of the features {list(features)}")
                + "; give them "
                "(Reach(bounds=((low, high), ...))), or choose goals='met' (--goals met), or "
                "'desired' where it has desired goals"
            )
        return grid(bounds, num_goals).tolist()
    if space.desired is None or not own:
        raise ValueError(
            f"{space.name} has no desired goals"
            + ("" if own else f" of the features {list(features)}")
            + "; choose goals='grid' or 'met' (--goals grid)"
        )
    return unique_rows(
        _finite(f"the desired goals of {space.name}", space.desired(num_goals))
    ).tolist()


def _finite(what: str, points: np.ndarray) -> np.ndarray:
    """The points [n, dimensions]; refuses those that are no places."""
    if not np.isfinite(points).all():
        number = int(np.argmin(np.isfinite(points).all(axis=1)))
        raise ValueError(
            f"{what} must be finite numbers; number {number} is {points[number].tolist()}; mend the "
            "environment, or choose goals='grid' with bounds"
        )
    return points
