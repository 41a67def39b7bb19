"""How far apart the states of different skills lie: pure functions of states, all pairs of skills.

`states` are [goals, trajectories, steps, size] without gaps, the same number of every goal; draw
them with `sample_states` and scale them alike for everything that is compared (`standardised`).
A distance says little alone. `separation` puts it beside the noise floor, what two skills that are
one would have. States of one trajectory are alike, so whole trajectories are what counts as a sample.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import scipy

from autotelic import _validate
from autotelic._types import Array

Null = Literal["zero", "inverse", "halves"]
"""How `separation` finds what equal skills have."""

LARGEST_MEDIAN = 1000
"""Points among which the median distance is looked for."""


def sample_states(
    observations: npt.ArrayLike,
    lengths: npt.ArrayLike,
    count: int,
    generator: np.random.Generator,
) -> Array:
    """About `count` states of each goal, the same number from each trajectory, however long it is.

    A trajectory is cut into equal parts and one step drawn from each; where `count` allows all of
    its steps, each comes once. The start is left out: no skill has had a say in it.

    Args:
        observations: [goals, trajectories, steps + 1, size], the start first.
        lengths: [goals, trajectories] steps made, at least 1.
        count: states of each goal, at least the number of its trajectories. The distances below
            take about a second for 20 goals with 500 states (energy, MMD) or 10000 (Wasserstein).
        generator: draws the steps.

    Returns:
        [goals, trajectories, min(count // trajectories, longest), size].
    """
    observations, lengths = np.asarray(observations), np.asarray(lengths)
    if observations.ndim != 4 or lengths.shape != observations.shape[:2]:
        raise ValueError(
            "observations must have the shape [goals, trajectories, steps + 1, size] and lengths "
            f"[goals, trajectories], got {list(observations.shape)} and {list(lengths.shape)}"
        )
    if lengths.size == 0 or lengths.min() < 1 or lengths.max() >= observations.shape[2]:
        raise ValueError(f"lengths must lie between 1 and {observations.shape[2] - 1} steps")
    _validate.integer("count", count, minimum=lengths.shape[1])
    per_trajectory = min(count // lengths.shape[1], int(lengths.max()))
    parts = np.arange(per_trajectory) + generator.random((*lengths.shape, per_trajectory))
    steps = 1 + np.floor(parts / per_trajectory * lengths[..., None]).astype(np.intp)
    # Rounding must not carry the last part over the end.
    steps = np.minimum(steps, lengths[..., None])
    return np.take_along_axis(observations, steps[..., None], axis=2).astype(np.float64)


def median_distance(points: npt.ArrayLike, generator: np.random.Generator) -> float:
    """The median distance between two different points, the usual scale of a Gaussian kernel.

    Pass the points of all methods that are compared, so that one scale serves them all; of more
    than 1000, so many are drawn.

    Args:
        points: [..., size].
        generator: draws the points looked at.
    """
    points = np.asarray(points, dtype=np.float64)
    points = points.reshape(-1, points.shape[-1])
    if len(points) > LARGEST_MEDIAN:
        points = generator.choice(points, LARGEST_MEDIAN, replace=False)
    distances = scipy.spatial.distance.pdist(points)
    distances = distances[distances > 0]
    if len(distances) == 0:
        raise ValueError(f"all {len(points)} points are the same: there is no scale to be found")
    return float(np.median(distances))


def energy_distances(states: npt.ArrayLike) -> Array:
    """2 E|X - Y| - E|X - X'| - E|Y - Y'| for the states X, Y of each pair of goals; [goals, goals].

    Means over all pairs of states, each with itself included, so that equal samples have distance
    exactly 0. Range [0, inf), in the states' unit, 0 if and only if the distributions are equal.
    Null: equal skills of n trajectories have 2 (E|X - X'| - E|X - X''|) / n on average, where X' is
    of another trajectory than X, and X'' of the same.

    >>> energy_distances([[[[0.0]]], [[[3.0]]]])
    array([[0., 6.], [6., 0.]])
    """
    states = _flat(states)
    means = _pair_means(states, lambda distances: distances)
    own = np.diag(means)
    return np.maximum(2 * means - own[:, None] - own, 0.0)


def squared_mmd(states: npt.ArrayLike, scale: float) -> Array:
    """E k(X, X') + E k(Y, Y') - 2 E k(X, Y), k = exp(-|x - y|^2 / (2 scale^2)); [goals, goals].

    The unbiased estimate of the squared maximum mean discrepancy for independent trajectories: X' is
    of another trajectory than X, because states of one are alike however alike the skills are.
    Range [-2, 2], a little under 0 by chance; null 0 on average.

    Args:
        states: [goals, trajectories, steps, size], at least 2 trajectories of each goal.
        scale: of the kernel, such as the `median_distance` of all that is compared.

    >>> squared_mmd([[[[0.0]], [[0.0]]], [[[9.0]], [[9.0]]]], scale=1.0).round(6)
    array([[0., 2.], [2., 0.]])
    """
    states = np.asarray(states, dtype=np.float64)
    flat = _flat(states)
    _validate.number("scale", scale, above=0.0)
    trajectories = states.shape[1]
    if trajectories < 2:
        raise ValueError(
            "states must hold at least 2 trajectories of each goal, got 1: squared_mmd compares "
            "different trajectories of a skill; sample more of them"
        )

    def kernel(distances: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * (distances / scale) ** 2)

    means = _pair_means(flat, kernel)
    same = np.array(
        [[kernel(scipy.spatial.distance.cdist(one, one)).mean() for one in own] for own in states]
    )
    # A mean over all pairs less the share 1 / trajectories of those within a trajectory.
    own = (trajectories * np.diag(means) - same.mean(axis=1)) / (trajectories - 1)
    squared = own[:, None] + own - 2 * means
    np.fill_diagonal(squared, 0.0)
    return squared


def random_directions(size: int, count: int, generator: np.random.Generator) -> Array:
    """About `count` directions in random orthonormal bases: [directions, size], a multiple of `size`."""
    _validate.integer("size", size, minimum=1)
    _validate.integer("count", count, minimum=1)
    bases = generator.standard_normal((-(-count // size), size, size))
    return np.linalg.qr(bases)[0].reshape(-1, size)


def sliced_wasserstein(states: npt.ArrayLike, directions: npt.ArrayLike) -> Array:
    """sqrt(size * mean over directions of W2(X . direction, Y . direction)^2); [goals, goals].

    The 2-Wasserstein distance in one dimension compares sorted samples. With `random_directions`
    the factor `size`, which the usual definition lacks, makes this a lower bound of W2 that a mere
    shift attains: skills moved by v are |v| apart in any number of dimensions.
    Range [0, inf), in the states' unit. Null: above 0 by chance. It falls with the
    number of trajectories by no fixed law, so compare with the noise floor.

    >>> sliced_wasserstein([[[[0.0], [1.0]]], [[[4.0], [3.0]]]], [[1.0]])
    array([[0., 3.], [3., 0.]])
    """
    states = _flat(states)
    directions = np.asarray(directions, dtype=np.float64)
    if directions.ndim != 2 or directions.shape[1] != states.shape[2]:
        raise ValueError(
            f"directions must have the shape [directions, {states.shape[2]}], got "
            f"{list(directions.shape)}"
        )
    squared = np.zeros((len(states), len(states)))
    for direction in directions:
        squared += scipy.spatial.distance.cdist(
            *[np.sort(states @ direction, axis=1)] * 2, metric="sqeuclidean"
        )
    return np.sqrt(states.shape[2] * squared / (len(directions) * states.shape[1]))


class Separation(NamedTuple):
    """Distances between skills, [goals, goals], and what they come to.

    distances: of all trajectories.
    mean, minimum: over pairs of skills; a minimum near the floor means two skills that are one.
    floor: what two skills that are one have on average, at the size of sample that mean and minimum
    are of.
    """

    distances: Array
    mean: float
    minimum: float
    floor: float


def separation(
    states: npt.ArrayLike,
    distance: Callable[[Array], Array],
    generator: np.random.Generator,
    null: Null = "halves",
) -> Separation:
    """A distance between all skills, its mean and minimum over pairs, and its noise floor.

    The floor is the mean distance between two halves of each skill's own trajectories, unless it is
    known to be 0. Halves hold whole trajectories, whose states are alike. They are smaller than the
    samples that are compared, and most distances depend on that; `null` says what is done about it.

    Args:
        states: [goals, trajectories, steps, size], at least 2 goals with 2 trajectories.
        distance: from states to [goals, goals], such as `energy_distances` or
            `functools.partial(squared_mmd, scale=scale)`.
        generator: draws the halves.
        null: what two equal skills of n trajectories have on average. "zero": 0 at any n, as with
            `squared_mmd`, so no halves are needed. "inverse": exactly c / n, as with
            `energy_distances`; the floor is brought to the size of the whole sample. "halves": no
            law is known, as with `sliced_wasserstein`; mean and minimum are of halves as well. This
            is right for any distance.
    """
    states = np.asarray(states, dtype=np.float64)
    if states.ndim != 4 or states.shape[0] < 2 or states.shape[1] < 2:
        raise ValueError(
            "states must have the shape [goals, trajectories, steps, size] with at least 2 goals "
            f"and 2 trajectories, got {list(states.shape)}"
        )
    _validate.choice("null", null, get_args(Null))
    distances = compared = distance(states)
    floor = 0.0
    if null != "zero":
        halves = _halves(states, generator)
        floor = float(np.mean([distance(own)[0, 1] for own in halves]))
        if null == "inverse":
            floor *= halves.shape[2] / states.shape[1]
        else:
            compared = _compared_by_halves(halves, distance)
    pairs = compared[np.triu_indices(len(states), 1)]
    return Separation(distances, float(pairs.mean()), float(pairs.min()), floor)


def _halves(states: Array, generator: np.random.Generator) -> Array:
    """Each goal's trajectories in two random halves: [goals, 2, trajectories // 2, steps, size]."""
    goals, trajectories = states.shape[:2]
    half = trajectories // 2
    drawn = [own[generator.permutation(trajectories)[: 2 * half]] for own in states]
    return np.stack(drawn).reshape(goals, 2, half, *states.shape[2:])


def _compared_by_halves(halves: Array, distance: Callable[[Array], Array]) -> Array:
    """The mean distance of a half of one goal from a half of another; [goals, goals]."""
    goals = len(halves)
    apart = distance(halves.reshape(2 * goals, *halves.shape[2:]))
    return apart.reshape(goals, 2, goals, 2).mean(axis=(1, 3))


def _flat(states: npt.ArrayLike) -> Array:
    """States as [goals, states of a goal, size]; refuses other shapes, and gaps."""
    states = np.asarray(states, dtype=np.float64)
    if states.ndim != 4 or states.size == 0:
        raise ValueError(
            "states must have the shape [goals, trajectories, steps, size] with none of them 0, "
            f"got {list(states.shape)}"
        )
    if not np.isfinite(states).all():
        raise ValueError(
            "states hold NaN or infinity, as trajectories do after an early end; draw them with "
            "sample_states"
        )
    return states.reshape(len(states), -1, states.shape[-1])


def _pair_means(states: Array, function: Callable[[np.ndarray], np.ndarray]) -> Array:
    """The mean of a function of |x - y| over the states of each pair of goals; [goals, goals]."""
    goals = len(states)
    means = np.zeros((goals, goals))
    for goal in range(goals):
        for other in range(goal, goals):
            means[goal, other] = function(
                scipy.spatial.distance.cdist(states[goal], states[other])
            ).mean()
    return np.triu(means) + np.triu(means, 1).T
