"""Places in goal space: a bounded sample of those reached, their density, and distances."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _streams
from autotelic._documents import Count
from autotelic._types import Array

BLOCK = 512  # points whose neighbours are looked for together: what is in memory grows with their number
REMEMBERED = 8  # answers about sets of goals, which seldom move
NEGLIGIBLE = -50.0  # e^-50 adds nothing to 1; numbers too small for a float would take long


class Reservoir(NamedTuple):
    """A uniform sample of all places seen, [<= capacity, dim], and how many were seen."""

    places: Array
    seen: Count


def nothing_reached() -> Reservoir:
    """An empty reservoir; the first places decide the dimension."""
    return Reservoir(np.empty((0, 0)), 0)


def sampled(reservoir: Reservoir, places: Array, capacity: int) -> Reservoir:
    """The reservoir after more places, [n, dim]: each place ever seen is kept with the same chance
    (Vitter 1985, algorithm R). Its random numbers follow from how many were seen, so that a restored
    state continues as it would have.
    """
    kept, seen = with_dimension(reservoir.places, places), reservoir.seen
    free = max(capacity - seen, 0)
    kept = np.concatenate([kept, places[:free]])
    late = places[free:]
    if len(late):
        order = max(seen, capacity) + np.arange(1, len(late) + 1)  # the how-manieth of all
        generator = _streams.generator("places kept", 0, seen)
        slots = (generator.random(len(late)) * order).astype(np.int64)
        chosen = slots < capacity
        kept[slots[chosen]] = late[chosen]  # of two for one slot the later stays
    return Reservoir(kept, seen + len(places))


def with_dimension(kept: Array, places: Array) -> Array:
    """The places kept so far, [n, dim]; refuses new ones of another dimension."""
    if not kept.size:
        return np.empty((0, places.shape[1]))
    if kept.shape[1] != places.shape[1]:
        raise ValueError(
            f"places must stay in one goal space: they had {kept.shape[1]} entries each so far, "
            f"and now {places.shape[1]}"
        )
    return kept


def squared_distances(a: Array, b: Array) -> Array:
    """|a_i - b_j|^2, [n, dim] and [m, dim] -> [n, m]."""
    squares = -2.0 * (a @ b.T)
    squares += (a * a).sum(axis=1)[:, None]
    squares += (b * b).sum(axis=1)
    return np.maximum(squares, 0.0, out=squares)  # rounding


def log_density(points: Array, samples: Array, bandwidth: float) -> Array:
    """log of the kernel density estimate at points, [n, dim] -> [n], from samples [m, dim].

    (1/m) sum_j N(x; x_j, (bandwidth s)^2), with s the samples' standard deviation along each axis, or
    1 where they do not differ.

    >>> import numpy as np
    >>> np.exp(log_density(np.array([[0.0]]), np.array([[-1.0], [1.0]]), 1.0)).round(3)  # N(1; 0, 1)
    array([0.242])
    """
    width, centre = _kernel_width(samples, bandwidth), samples.mean(axis=0)
    one = log_density_of_one(samples, bandwidth)
    points, samples = (points - centre) / width, (samples - centre) / width
    # -|x - x_j|^2 / 2 without the part of x alone, in place: this is where the time goes.
    exponents = points @ samples.T
    exponents -= 0.5 * (samples * samples).sum(axis=1)
    largest = exponents.max(axis=1)
    exponents -= largest[:, None]
    np.maximum(exponents, NEGLIGIBLE, out=exponents)
    sums = np.exp(exponents, out=exponents).sum(axis=1)
    largest -= 0.5 * (points * points).sum(axis=1)
    return largest + np.log(sums) + one


def log_density_of_one(samples: Array, bandwidth: float) -> float:
    """The same estimate at a place that one of the samples, [m, dim], lies at and the others far from:
    no place that was reached has less.
    """
    width = _kernel_width(samples, bandwidth)
    return -float(np.log(len(samples)) + np.log(width * np.sqrt(2.0 * np.pi)).sum())


def _kernel_width(samples: Array, bandwidth: float) -> Array:
    """In the units of each axis, [dim]."""
    scale = samples.std(axis=0)
    return bandwidth * np.where(scale > 0, scale, 1.0)


def spacing(places: Array) -> float:
    """How far apart goals are: the median distance of a goal to the nearest other one; infinite for
    one goal. [goals, dim] -> a number.

    >>> import numpy as np
    >>> spacing(np.array([[0.0], [1.0], [3.0]]))  # 1, 1, 2
    1.0
    """
    return _spacing(*_frozen(places))


def nearest(points: Array, others: Array, count: int) -> npt.NDArray[np.int64]:
    """Which `count` of the others lie nearest to each point, in any order;
    [n, dim], [m, dim] -> [n, count].

    >>> import numpy as np
    >>> nearest(np.array([[0.0], [9.0]]), np.array([[2.0], [1.0], [8.0]]), 1)
    array([[1],
           [2]])
    """
    return _nearest(*_frozen(points), *_frozen(others), count)


def _frozen(array: Array) -> tuple[bytes, tuple[int, ...]]:
    """The array as something that an answer can be remembered by."""
    return np.asarray(array, dtype=np.float64).tobytes(), array.shape


def _thawed(data: bytes, shape: tuple[int, ...]) -> Array:
    return np.frombuffer(data).reshape(shape)


@lru_cache(REMEMBERED)
def _spacing(data: bytes, shape: tuple[int, ...]) -> float:
    places = _thawed(data, shape)
    found = np.empty(len(places))
    for rows, columns, squares in _near(places, places, min(2, len(places))):
        squares[rows[:, None] == columns] = np.inf
        found[rows] = squares.min(axis=1)
    return float(np.sqrt(np.median(found)))


@lru_cache(REMEMBERED)
def _nearest(
    data: bytes,
    shape: tuple[int, ...],
    other_data: bytes,
    other_shape: tuple[int, ...],
    count: int,
) -> npt.NDArray[np.int64]:
    points, others = _thawed(data, shape), _thawed(other_data, other_shape)
    found = np.empty((len(points), count), dtype=np.int64)
    for rows, columns, squares in _near(points, others, count):
        found[rows] = columns[np.argpartition(squares, count - 1, axis=1)[:, :count]]
    found.flags.writeable = False
    return found


def _near(
    points: Array, others: Array, count: int
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Array]]:
    """Blocks of points, and for each the others that may be among the `count` nearest to any of them, with
    the squared distances between the two.

    Both are sorted along the axis of the largest extent. Whoever lies further away along it than the
    `count`-th of some others does in all cannot be nearer, so only a strip is looked at.
    """
    if len(points) <= BLOCK:
        yield np.arange(len(points)), np.arange(len(others)), squared_distances(points, others)
        return
    axis = int(np.ptp(points, axis=0).argmax())
    order, candidates = np.argsort(points[:, axis]), np.argsort(others[:, axis])
    along = others[candidates, axis]
    for start in range(0, len(points), BLOCK):
        rows = order[start : start + BLOCK]
        low, high = points[rows[0], axis], points[rows[-1], axis]
        first = max(0, int(np.searchsorted(along, low)) - count)
        last = int(np.searchsorted(along, high, side="right")) + count
        some = squared_distances(points[rows], others[candidates[first:last]])
        reach = np.sqrt(np.partition(some, count - 1, axis=1)[:, count - 1].max())
        # No less than those seen, which may lie at the edge but for rounding.
        first = min(first, int(np.searchsorted(along, low - reach)))
        last = max(last, int(np.searchsorted(along, high + reach, side="right")))
        columns = candidates[first:last]
        yield rows, columns, squared_distances(points[rows], others[columns])
