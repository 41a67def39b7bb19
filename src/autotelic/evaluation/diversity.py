"""How diverse the skills are without asking a classifier: spread, coverage, entropy, Vendi score.

`features` are [goals, trajectories, size], one vector a trajectory such as `mean_observations`,
scaled alike for all that is compared (`standardised`). Where no null value is stated it depends on
the environment: take that of untrained skills.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from autotelic import _validate
from autotelic._types import Array
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation.distances import sliced_wasserstein

SMALLEST_SPACING = 1e-3
"""Spacing within a skill, as a share of the spread, under which spread density makes no difference."""


def spread_density(features: npt.ArrayLike, neighbours: int = 5) -> float:
    """spread * mean_g 1 / (0.001 spread + spacing_g): high for skills far apart and compact.

    Our definition: the paper's source names spread density and defines it nowhere. The spread is
    the mean distance between the mean features of two skills, spacing_g the mean distance of g's
    trajectories to their nearest of the same skill. Without unit: scaling the features changes
    nothing. Range [0, 1000]; 0 if all skills have the same mean.

    Args:
        features: [goals, trajectories, size], at least 2 goals.
        neighbours: how many of the nearest; at most the other trajectories of a skill.
    """
    features = _features(features, goals=2, trajectories=2)
    _validate.integer("neighbours", neighbours, minimum=1)
    if neighbours >= features.shape[1]:
        raise ValueError(
            f"neighbours must be fewer than the {features.shape[1]} trajectories of a skill, got "
            f"{neighbours}"
        )
    spread = scipy.spatial.distance.pdist(features.mean(axis=1)).mean()
    if spread == 0:
        return 0.0
    # The nearest of all is the trajectory itself.
    nearest = [
        np.sort(scipy.spatial.distance.cdist(own, own), axis=1)[:, 1 : neighbours + 1]
        for own in features
    ]
    spacing = np.mean(nearest, axis=(1, 2))
    return float((spread / (SMALLEST_SPACING * spread + spacing)).mean())


def silhouette(features: npt.ArrayLike) -> float:
    """Mean over trajectories of (b - a) / max(a, b): is each nearer to its own skill than to others?

    a is the mean distance to the skill's other trajectories, b that to the trajectories of the
    nearest other skill. Range [-1, 1]; null about 0, a little under it.

    Args:
        features: [goals, trajectories, size], at least 2 of both.
    """
    features = _features(features, goals=2, trajectories=2)
    goals, trajectories, size = features.shape
    labels = np.repeat(np.arange(goals), trajectories)
    return float(scikit_learn("metrics").silhouette_score(features.reshape(-1, size), labels))


class Coverage(NamedTuple):
    """How much of the space each skill visits, [goals], and all of them together."""

    per_skill: Array
    pooled: float


def cells_visited(positions: npt.ArrayLike, width: float) -> Coverage:
    """The number of different cells floor(position / width) that were entered.

    Counts grow with the number of states, so compare equal numbers. Range [1, states]; 1 for skills
    that stay where they are.

    Args:
        positions: [goals, ..., coordinates], x and y for example. A row with NaN lies beyond the end
            of its trajectory; a coordinate that is NaN throughout is left out.
        width: of a cell, the same for every coordinate.
    """
    _validate.number("width", width, above=0.0)
    return _covered([np.floor(rows / width).astype(np.int64) for rows in _rows(positions)])


def grid_coverage(positions: npt.ArrayLike, low: float, high: float, cells: int) -> Coverage:
    """The share of a grid's cells that was entered, in a space with bounds.

    Grows with the number of states, so compare equal numbers. Range (0, 1]; 1 / number of cells for
    skills that stay where they are.

    Args:
        positions: as for `cells_visited`, within the bounds.
        low, high: the bounds, the same for every coordinate.
        cells: of the grid in each coordinate.
    """
    _validate.integer("cells", cells, minimum=1)
    _validate.number("low", low)
    _validate.number("high", high, above=low)
    visited = []
    for rows in _rows(positions):
        if rows.min() < low or rows.max() > high:
            raise ValueError(
                f"positions must lie in [{low:g}, {high:g}], got [{rows.min():g}, {rows.max():g}]; "
                "widen the bounds, or count cells with cells_visited"
            )
        visited.append(np.floor((rows - low) / (high - low) * cells).astype(np.int64))
    # The upper bound itself belongs to the last cell.
    visited = [np.minimum(indices, cells - 1) for indices in visited]
    per_skill, pooled = _covered(visited)
    number = cells ** visited[0].shape[1]
    return Coverage(per_skill / number, pooled / number)


def particle_entropy(
    states: npt.ArrayLike, neighbours: int = 3, *, resolution: float = 1e-4
) -> float:
    """psi(n) - psi(k) + log V_d + (d/n) sum_i log r_k(i), in nats: Kozachenko & Leonenko (1987).

    An estimate of the differential entropy of the states; r_k(i) is the distance from state i to
    its k-th nearest, V_d the volume of the unit ball. Range (-inf, inf); a uniform distribution has
    the logarithm of its volume.

    Args:
        states: [..., size], n > k of them; 2000 are enough and quick, see `sample_states`.
        neighbours: k.
        resolution: a distance under it counts as it, because the entropy of an agent that comes
            back to the very same state would be -inf.
    """
    states = np.asarray(states, dtype=np.float64)
    states = states.reshape(-1, states.shape[-1])
    count, size = states.shape
    _validate.integer("neighbours", neighbours, minimum=1)
    _validate.number("resolution", resolution, above=0.0)
    if count <= neighbours:
        raise ValueError(
            f"an entropy of {neighbours} neighbours needs more than {neighbours} states, got {count}"
        )
    if not np.isfinite(states).all():
        raise ValueError("states hold NaN or infinity; draw them with sample_states")
    # The nearest of all is the state itself.
    distances = np.asarray(scipy.spatial.KDTree(states).query(states, k=neighbours + 1)[0])[:, -1]
    log_volume = size / 2 * np.log(np.pi) - scipy.special.gammaln(size / 2 + 1)
    log_distance = np.log(np.maximum(distances, resolution)).mean()
    return float(
        scipy.special.digamma(count)
        - scipy.special.digamma(neighbours)
        + log_volume
        + size * log_distance
    )


def gaussian_kernel(squared_distances: npt.ArrayLike, scale: float) -> Array:
    """exp(-D^2 / (2 scale^2)), the similarity of things D apart; [n, n] -> [n, n].

    For trajectories see `trajectory_kernel`. For skills D^2 is the energy distance or squared MMD
    of `autotelic.evaluation.distances` as it is, or the square of the sliced Wasserstein distance;
    what an unbiased estimate has under 0 counts as 0.
    """
    squared = np.asarray(squared_distances, dtype=np.float64)
    _validate.number("scale", scale, above=0.0)
    return np.exp(-np.maximum(squared, 0.0) / (2.0 * scale**2))


def trajectory_kernel(features: npt.ArrayLike, scale: float) -> Array:
    """`gaussian_kernel` between all trajectories of all skills; [..., size] -> [n, n].

    Args:
        features: one vector a trajectory.
        scale: such as the `median_distance` over all methods that are compared.
    """
    features = np.asarray(features, dtype=np.float64)
    rows = features.reshape(-1, features.shape[-1])
    return gaussian_kernel(scipy.spatial.distance.cdist(rows, rows, "sqeuclidean"), scale)


def vendi_score(kernel: npt.ArrayLike, order: npt.ArrayLike = 1.0) -> float | Array:
    """The effective number of different things: (sum l^q)^(1 / (1 - q)), l the eigenvalues of K / n.

    Its limits are exp(-sum l log l) at order q = 1 and 1 / max l at q = inf (Friedman & Dieng, 2023;
    Pasarkar & Dieng, 2024). Small orders heed rare things, large ones only the commonest; it never
    grows with the order. Range [1, n]; 1 if all are alike, and m for m equal groups of equal things
    that have nothing in common, at every order.

    Args:
        kernel: K, [n, n], symmetric with ones on its diagonal, such as `gaussian_kernel`. Its
            eigenvalues take about 0.3 s for n = 1000, and eight times that for twice as many.
        order: q > 0, or several of them.

    Returns:
        A float for one order, an array of the orders' shape for several.

    >>> two_pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> vendi_score(two_pairs, [0.1, 1.0, np.inf]).round(9)
    array([2., 2., 2.])
    """
    kernel, orders = np.asarray(kernel, dtype=np.float64), np.asarray(order, dtype=np.float64)
    if kernel.ndim != 2 or kernel.shape[0] != kernel.shape[1] or len(kernel) == 0:
        raise ValueError(f"kernel must have the shape [n, n], got {list(kernel.shape)}")
    if not (np.allclose(kernel, kernel.T, atol=1e-8) and np.allclose(np.diag(kernel), 1.0)):
        raise ValueError("kernel must be symmetric, with ones on its diagonal")
    if not (orders > 0).all():
        raise ValueError(f"order must be greater than 0, got {order}")
    eigenvalues = np.maximum(np.linalg.eigvalsh(kernel / len(kernel)), 0.0)
    # Rounding leaves some 1e-17 in place of 0, which small orders would count.
    eigenvalues = eigenvalues[eigenvalues > 1e-12]
    eigenvalues /= eigenvalues.sum()
    scores = [_hill_number(eigenvalues, float(q)) for q in orders.flat]
    return scores[0] if orders.ndim == 0 else np.array(scores).reshape(orders.shape)


def distinct_skills(states: npt.ArrayLike, directions: npt.ArrayLike) -> float:
    """The Vendi score, order 1, of skills with the similarity exp(-W^2 / (2 w^2)).

    Our definition: W is the sliced Wasserstein distance of two skills' states, w the mean distance of
    two states of one skill. So skills count as different where they lie further apart than they are
    wide, and scaling all states changes nothing: it compares a learner with itself at other times,
    and with learners that were never looked at together. Range [1, |G|]; 1 if all skills are the
    same, above it by chance (1.5 to 1.8 for 20 untrained skills in 2D navigation).

    Args:
        states: [goals, trajectories, steps, size], at least 2 of each goal, see `sample_states`.
        directions: [directions, size], see `random_directions`.
    """
    apart = sliced_wasserstein(states, directions)
    rows = np.asarray(states, dtype=np.float64).reshape(len(apart), -1, np.shape(states)[-1])
    if rows.shape[1] < 2:
        raise ValueError("a skill's width needs at least 2 states of each goal, got 1")
    width = float(np.mean([scipy.spatial.distance.pdist(own).mean() for own in rows]))
    # Skills without any width, each a single state, differ wherever they are not in one place.
    return float(vendi_score(gaussian_kernel(apart**2, max(width, 1e-9))))


def _hill_number(shares: Array, order: float) -> float:
    """The effective number of shares, all positive with sum 1: exp of their Renyi entropy."""
    if order == np.inf:
        return float(1.0 / shares.max())
    if abs(order - 1.0) < 1e-6:  # nearer to its limit than rounding lets the formula come
        return float(np.exp(-(shares * np.log(shares)).sum()))
    # The sum in units of its largest term, which a large order would let underflow.
    largest = shares.max()
    log_sum = order * np.log(largest) + np.log(((shares / largest) ** order).sum())
    return float(np.exp(log_sum / (1.0 - order)))


def _features(features: npt.ArrayLike, *, goals: int, trajectories: int) -> Array:
    features = np.asarray(features, dtype=np.float64)
    shape = features.shape
    if len(shape) != 3 or shape[0] < goals or shape[1] < trajectories:
        raise ValueError(
            f"features must have the shape [goals, trajectories, size] with at least {goals} goals "
            f"and {trajectories} trajectories, got {list(shape)}"
        )
    return features


def _rows(positions: npt.ArrayLike) -> list[Array]:
    """The positions of each goal, [states, coordinates], without those beyond a trajectory's end."""
    positions = np.asarray(positions, dtype=np.float64)
    if positions.ndim < 3 or positions.size == 0:
        raise ValueError(
            f"positions must have the shape [goals, ..., coordinates], got {list(positions.shape)}"
        )
    positions = positions.reshape(len(positions), -1, positions.shape[-1])
    positions = positions[..., ~np.isnan(positions).all(axis=(0, 1))]
    rows = [own[~np.isnan(own).any(axis=1)] for own in positions]
    empty = [goal for goal, own in enumerate(rows) if own.size == 0]
    if empty:
        raise ValueError(f"positions have no state without NaN of goal {empty[0]}")
    return rows


def _covered(indices: list[npt.NDArray[np.int64]]) -> Coverage:
    """The number of different rows [states, coordinates] of each goal, and of all."""
    lowest = np.min([own.min(axis=0) for own in indices], axis=0)
    extent = np.max([own.max(axis=0) for own in indices], axis=0) - lowest + 1
    # One number for each cell: rows of several would take ten times as long to compare.
    cells = [np.unique(np.ravel_multi_index(tuple((own - lowest).T), extent)) for own in indices]
    per_skill = np.array([len(own) for own in cells], np.float64)
    return Coverage(per_skill, float(len(np.unique(np.concatenate(cells)))))
