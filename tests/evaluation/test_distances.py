"""Distances between skills' states: exact on small samples, right on shifts, at the floor on nothing."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from autotelic.evaluation.distances import (
    energy_distances,
    median_distance,
    random_directions,
    sample_states,
    separation,
    sliced_wasserstein,
    squared_mmd,
)


def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def gaussians(*means: Any, count: int = 400) -> np.ndarray:
    """One skill at each mean, of 20 trajectories."""
    mean = np.asarray(means, dtype=float)
    noise = generator().standard_normal((len(mean), 20, count // 20, mean.shape[1]))
    return mean[:, None, None] + noise


def test_energy_distance_in_one_dimension_is_the_square_of_scipys():
    x, y = generator().normal(size=(2, 5, 3, 1))
    expected = stats.energy_distance(x.ravel(), y.ravel()) ** 2
    distances = energy_distances([x, y])
    assert distances[0, 1] == pytest.approx(expected, rel=1e-9)
    assert np.array_equal(distances, distances.T)
    assert np.array_equal(np.diag(distances), [0.0, 0.0])


def test_energy_distance_by_hand():
    # X = {0, 2}, Y = {1}: E|X-Y| = 1, E|X-X'| = 1, E|Y-Y'| = 0 (Y holds its state twice).
    assert energy_distances([[[[0.0], [2.0]]], [[[1.0], [1.0]]]])[0, 1] == pytest.approx(1.0)


def test_mmd_by_hand():
    # Kernel of distance d with scale 1: k(0) = 1, k(1), k(2). Within X only the pair (0, 2) counts.
    near, far = np.exp(-0.5), np.exp(-2.0)
    squared = squared_mmd([[[[0.0], [2.0]]], [[[1.0], [1.0]]]], scale=1.0)
    assert squared[0, 1] == pytest.approx(far + 1.0 - 2 * near)


def test_mmd_is_unbiased_where_skills_are_equal():
    states = generator().standard_normal((60, 1, 20, 2))
    squared = squared_mmd(states, scale=1.5)[np.triu_indices(60, 1)]
    # 30 disjoint pairs are independent; all pairs can only be closer to 0.
    assert abs(squared.mean()) < 3 * squared.std() / np.sqrt(30)
    assert squared.min() < 0 < squared.max()


def test_mmd_of_shifted_gaussians_has_its_closed_form():
    shift, scale = 1.5, 1.0
    # x - y is normal with variance 2: E k = sqrt(s^2 / (s^2 + 2)) exp(-shift^2 / (2 (s^2 + 2))).
    spread = scale**2 + 2
    expected = 2 * np.sqrt(scale**2 / spread) * (1 - np.exp(-(shift**2) / (2 * spread)))
    squared = squared_mmd(gaussians([0.0], [shift], count=2000), scale)
    assert squared[0, 1] == pytest.approx(expected, abs=0.03)


def test_wasserstein_of_a_shift_is_its_length_in_any_dimension():
    states = generator().standard_normal((1, 4, 5, 3))
    shift = np.array([1.0, -2.0, 2.0])
    directions = random_directions(3, 10, generator())
    assert len(directions) == 12  # whole bases
    distances = sliced_wasserstein(np.concatenate([states, states + shift]), directions)
    assert distances[0, 1] == pytest.approx(3.0)
    assert distances[0, 0] == 0.0


def test_wasserstein_of_gaussians_of_other_widths():
    # W2 of N(0, 1) and N(0, 9) is |1 - 3| in each dimension; isotropic, so sqrt(2) * 2 in two.
    noise = generator().standard_normal((2, 20, 500, 2))
    noise[1] *= 3.0
    distances = sliced_wasserstein(noise, random_directions(2, 50, generator()))
    assert distances[0, 1] == pytest.approx(np.sqrt(8.0), rel=0.03)


WASSERSTEIN = partial(
    sliced_wasserstein, directions=random_directions(2, 10, np.random.default_rng(3))
)
DISTANCES = [(energy_distances, 1.0), (partial(squared_mmd, scale=1.0), 0.0), (WASSERSTEIN, 0.5)]


@pytest.mark.parametrize(("distance", "decay"), [(energy_distances, 1.0), (WASSERSTEIN, 0.5)])
def test_the_noise_floor_is_what_skills_that_are_one_have(distance: Any, decay: float):
    states = generator().standard_normal((20, 20, 5, 2))
    equal = separation(states, distance, generator(), decay)
    assert equal.mean == pytest.approx(equal.floor, rel=0.15)


@pytest.mark.parametrize(("distance", "decay"), DISTANCES)
def test_equal_skills_are_at_the_noise_floor_and_different_ones_far_above(
    distance: Any, decay: float
):
    equal = separation(gaussians(*[[0.0, 0.0]] * 6), distance, generator(), decay)
    assert equal.mean <= 1.2 * abs(equal.floor) + 0.005
    apart = separation(gaussians([0, 0], [4, 0], [0, 4], [0, 4]), distance, generator(), decay)
    assert apart.minimum == apart.distances[2, 3]  # the two skills that are one
    assert apart.minimum < 2 * abs(apart.floor) + 0.01
    assert apart.mean > 10 * apart.floor
    off_diagonal = apart.distances[~np.eye(4, dtype=bool)]
    assert apart.mean == pytest.approx(off_diagonal.mean())


def test_the_noise_floor_splits_by_trajectory():
    # Each trajectory stays at its own place: halves of states would be equal, halves of
    # trajectories are not.
    places = generator().standard_normal((2, 4, 1, 1))
    states = np.repeat(places, 50, axis=2)
    result = separation(states, energy_distances, generator())
    assert result.floor > 0.1


def test_sampled_states_are_steps_made_and_never_the_start():
    steps = np.arange(8.0)
    observations = np.tile(steps, (2, 3, 1))[..., None]
    lengths = np.array([[7, 7, 2], [1, 7, 7]])
    drawn = sample_states(observations, lengths, 12, generator())
    assert drawn.shape == (2, 3, 4, 1)
    assert drawn.min() == 1.0
    assert (drawn <= lengths[..., None, None]).all()
    assert set(drawn[0, 2].ravel()) == {1.0, 2.0}
    everything = sample_states(observations, lengths, 1000, generator())
    assert np.array_equal(everything[0, 0].ravel(), steps[1:])


def test_the_median_distance_leaves_out_equal_points():
    points = [[0.0], [0.0], [1.0], [3.0]]  # distances 1, 1, 3, 3, 2 and one 0
    assert median_distance(points, generator()) == 2.0
    with pytest.raises(ValueError, match="all 3 points are the same"):
        median_distance(np.ones((3, 2)), generator())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: energy_distances(np.zeros((2, 3, 4))), r"states must have the shape .* \[2, 3, 4"),
        (lambda: energy_distances([[[[np.nan]]]]), "draw them with sample_states"),
        (lambda: squared_mmd(np.zeros((2, 1, 1, 1)), 1.0), "at least 2 states"),
        (lambda: squared_mmd(np.zeros((2, 1, 2, 1)), 0.0), "scale must be greater than 0"),
        (
            lambda: sliced_wasserstein(np.zeros((2, 1, 2, 3)), np.ones((4, 2))),
            r"\[directions, 3\], got \[4, 2\]",
        ),
        (
            lambda: separation(np.zeros((2, 1, 5, 1)), energy_distances, generator()),
            "2 trajectories",
        ),
        (
            lambda: sample_states(np.zeros((2, 4, 6, 1)), np.full((2, 4), 5), 3, generator()),
            "count must be at least 4, got 3",
        ),
        (
            lambda: sample_states(np.zeros((2, 4, 6, 1)), np.full((2, 4), 6), 8, generator()),
            "between 1 and 5",
        ),
    ],
)
def test_bad_states_are_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
