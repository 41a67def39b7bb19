"""How far apart the states of different skills lie: pure functions of states, all pairs of skills.

`states` are [goals, trajectories, steps, size] without gaps, the same number of every goal; draw
them with `sample_states` and scale them alike for everything that is compared (`standardised`).
A distance says little alone. `separation` puts it beside the noise floor, the distance between two
halves of the same skill's trajectories.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist, pdist

from autotelic import _validate

Array = npt.NDArray[np.float64]

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
    distances = pdist(points)
    distances = distances[distances > 0]
    if len(distances) == 0:
        raise ValueError(f"all {len(points)} points are the same: there is no scale to be found")
    return float(np.median(distances))


def energy_distances(states: npt.ArrayLike) -> Array:
    """2 E|X - Y| - E|X - X'| - E|Y - Y'| for the states X, Y of each pair of goals; [goals, goals].

    Means over all pairs of states, each with itself included, so that equal samples have distance
    exactly 0. Range [0, inf), in the states' unit, 0 if and only if the distributions are equal.
    Null: two samples of n states from one distribution have 2 E|X - X'| / n on average.

    >>> energy_distances([[[[0.0]]], [[[3.0]]]])
    array([[0., 6.], [6., 0.]])
    """
    states = _flat(states)
    means = _pair_means(states, lambda distances: distances)
    own = np.diag(means)
    return np.maximum(2 * means - own[:, None] - own, 0.0)


def squared_mmd(states: npt.ArrayLike, scale: float) -> Array:
    """E k(X, X') + E k(Y, Y') - 2 E k(X, Y), k = exp(-|x - y|^2 / (2 scale^2)); [goals, goals].

    The unbiased estimate of the squared maximum mean discrepancy: a state is not compared with
    itself. Range (-inf, 2], a little under 0 by chance; null 0 on average.

    Args:
        states: [goals, trajectories, steps, size], at least 2 of each goal.
        scale: of the kernel, such as the `median_distance` of all that is compared.
    """
    states = _flat(states)
    _validate.number("scale", scale, above=0.0)
    count = states.shape[1]
    if count < 2:
        raise ValueError("an unbiased estimate needs at least 2 states of each goal, got 1")
    means = _pair_means(states, lambda distances: np.exp(-0.5 * (distances / scale) ** 2))
    own = (np.diag(means) * count - 1.0) / (count - 1)
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
    Range [0, inf), in the states' unit. Null: above 0 by chance, so compare with the noise floor.

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
        squared += cdist(*[np.sort(states @ direction, axis=1)] * 2, metric="sqeuclidean")
    return np.sqrt(states.shape[2] * squared / (len(directions) * states.shape[1]))


class Separation(NamedTuple):
    """Distances between skills, [goals, goals], and what they come to.

    mean, minimum: over pairs of skills; a minimum near the floor means two skills that are one.
    floor: what two skills that are one would have, from the distances between two halves of each
    skill's own trajectories.
    """

    distances: Array
    mean: float
    minimum: float
    floor: float


def separation(
    states: npt.ArrayLike,
    distance: Callable[[Array], Array],
    generator: np.random.Generator,
    decay: float = 0.0,
) -> Separation:
    """A distance between all skills, its mean and minimum over pairs, and its noise floor.

    Halves hold whole trajectories, whose states are alike. They have half as many, so the floor is
    brought to the size of the whole sample by `decay`.

    Args:
        states: [goals, trajectories, steps, size], at least 2 goals with 2 trajectories.
        distance: from states to [goals, goals], such as `energy_distances` or
            `functools.partial(squared_mmd, scale=scale)`.
        generator: draws the halves.
        decay: how the distance of two samples of n trajectories from one distribution falls with n,
            as n ** -decay: 1 for energy distances, 1/2 for Wasserstein distances, 0 for `squared_mmd`,
            whose mean is 0 at any size.
    """
    states = np.asarray(states, dtype=np.float64)
    if states.ndim != 4 or states.shape[0] < 2 or states.shape[1] < 2:
        raise ValueError(
            "states must have the shape [goals, trajectories, steps, size] with at least 2 goals "
            f"and 2 trajectories, got {list(states.shape)}"
        )
    distances = distance(states)
    pairs = distances[np.triu_indices(len(states), 1)]
    half = states.shape[1] // 2
    floors = []
    for own in states:
        order = generator.permutation(len(own))
        floors.append(distance(np.stack([own[order[:half]], own[order[half : 2 * half]]]))[0, 1])
    floor = float(np.mean(floors)) * (half / states.shape[1]) ** decay
    return Separation(distances, float(pairs.mean()), float(pairs.min()), floor)


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
            means[goal, other] = function(cdist(states[goal], states[other])).mean()
    return np.triu(means) + np.triu(means, 1).T
