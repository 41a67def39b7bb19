"""Diversity without a classifier, at known truths."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.evaluation.distances import energy_distances
from autotelic.evaluation.diversity import (
    cells_visited,
    distinct_skills,
    gaussian_kernel,
    grid_coverage,
    particle_entropy,
    silhouette,
    spread_density,
    trajectory_kernel,
    vendi_score,
)

ORDERS = [0.1, 0.5, 1.0, 2.0, np.inf]


def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def test_spread_density_by_hand():
    # Means 0 and 10: spread 10. Spacing to the nearest: 2 in the first skill, 1 in the second.
    features = np.array([[[-1.0], [1.0]], [[9.5], [10.5]]])
    expected = 10 * (1 / (0.01 + 2) + 1 / (0.01 + 1)) / 2
    assert spread_density(features, neighbours=1) == pytest.approx(expected)
    assert spread_density(100 * features, neighbours=1) == pytest.approx(expected)


def test_spread_is_a_mean_over_pairs_of_skills_and_spacing_over_the_nearest():
    # Means 2, 12 and 22: distances 10, 20 and 10. Nearest neighbours at 1, 1 and 4: spacing 2.
    features = np.array([0.0, 10.0, 20.0])[:, None, None] + np.array([[0.0], [1.0], [5.0]])
    spread = 40 / 3
    assert spread_density(features, neighbours=1) == pytest.approx(spread / (0.001 * spread + 2))


def test_spread_density_has_its_limits():
    points = np.repeat([[[0.0, 0.0]], [[3.0, 4.0]]], 6, axis=1)
    assert spread_density(points) == pytest.approx(1000.0)
    assert spread_density(np.zeros((2, 6, 1))) == 0.0


def test_silhouette_by_hand():
    # Outer points: a = 1, b = 4.5; inner points: a = 1, b = 3.5.
    features = np.array([[[0.0], [1.0]], [[4.0], [5.0]]])
    assert silhouette(features) == pytest.approx((3.5 / 4.5 + 2.5 / 3.5) / 2)
    assert silhouette(features.tolist()) == silhouette(features)


def test_silhouette_of_equal_skills_is_about_zero():
    assert silhouette(generator().standard_normal((3, 40, 2))) == pytest.approx(0.0, abs=0.05)


def test_cells_are_counted_for_each_skill_and_together():
    positions = np.array(
        [
            [[[0.1, 0.1], [0.9, 0.1]], [[1.1, 0.1], [np.nan, np.nan]]],  # cells (0, 0) and (1, 0)
            [[[1.5, 0.5], [-0.1, 0.5]], [[1.2, 0.9], [1.0, 0.0]]],  # cells (1, 0) and (-1, 0)
        ]
    )
    coverage = cells_visited(positions, width=1.0)
    assert coverage.per_skill.tolist() == [2.0, 2.0]
    assert coverage.pooled == 3.0


def test_wider_cells_are_fewer():
    positions = [[[0.5], [1.5], [2.5]]]
    assert cells_visited(positions, width=1.0).pooled == 3.0
    assert cells_visited(positions, width=2.0).pooled == 2.0


def test_a_row_with_any_coordinate_missing_is_beyond_the_end():
    coverage = cells_visited([[[0.5, 0.5], [np.nan, 3.5]], [[0.5, 0.5], [1.5, 3.5]]], width=1.0)
    assert coverage.per_skill.tolist() == [1.0, 2.0]


def test_a_coordinate_that_does_not_exist_is_left_out():
    positions = np.array([[[0.5, np.nan], [2.5, np.nan]], [[3.5, np.nan], [3.6, np.nan]]])
    coverage = cells_visited(positions, width=1.0)
    assert coverage.per_skill.tolist() == [2.0, 1.0]
    assert coverage.pooled == 3.0


def test_grid_coverage_is_exact():
    axis = (np.arange(4) + 0.5) / 4
    everywhere = np.stack(np.meshgrid(axis, axis), axis=-1)
    corner = np.broadcast_to([1.0, 1.0], everywhere.shape)  # the upper bound lies in the last cell
    half = everywhere[:, :2].repeat(2, axis=1)
    coverage = grid_coverage(np.stack([everywhere, corner, half]), 0.0, 1.0, cells=4)
    assert coverage.per_skill.tolist() == [1.0, 1 / 16, 0.5]
    assert coverage.pooled == 1.0


def test_a_grid_may_lie_anywhere_and_holds_its_bounds():
    # Cells of width 1 from 2 to 6: the first, the second and the last are entered.
    assert grid_coverage([[[2.0], [2.5], [3.5], [6.0]]], 2.0, 6.0, cells=4).pooled == 0.75


@pytest.mark.parametrize("size", [1, 2, 3])
def test_particle_entropy_of_a_gaussian_and_of_a_uniform_distribution(size: int):
    states = generator().standard_normal((3000, size))
    entropy = size / 2 * np.log(2 * np.pi * np.e)
    assert particle_entropy(states) == pytest.approx(entropy, abs=0.06)
    assert particle_entropy(states.reshape(30, 100, size)) == particle_entropy(states)
    box = generator().uniform(0, 2, (3000, size))
    # Balls reach over the edge of the box, the more the higher the dimension.
    assert particle_entropy(box) == pytest.approx(size * np.log(2), abs=0.05 * size)


def test_particle_entropy_of_a_resting_agent_is_finite():
    # k-th distance 0 for all: psi(4) - psi(1) + log 2 + log resolution, psi(4) - psi(1) = 11/6.
    resting = particle_entropy(np.zeros((4, 1)), 1, resolution=0.01)
    assert resting == pytest.approx(11 / 6 + np.log(2 * 0.01))


def test_trajectories_of_all_skills_are_rows_of_one_kernel():
    kernel = trajectory_kernel([[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]], scale=1.0)
    assert kernel == pytest.approx(np.array([[1.0, np.exp(-2)], [np.exp(-2), 1.0]]))


@pytest.mark.parametrize("clusters", [1, 3, 5])
def test_vendi_of_clusters_of_equal_things_is_their_number(clusters: int):
    far_apart = 1e3 * np.arange(clusters)[:, None, None]
    features = np.broadcast_to(far_apart, (clusters, 4, 2))
    scores = vendi_score(trajectory_kernel(features, scale=1.0), ORDERS)
    assert scores == pytest.approx(np.full(len(ORDERS), clusters))


def test_vendi_by_hand():
    # Eigenvalues of [[1, k], [k, 1]] / 2 are (1 + k) / 2 and (1 - k) / 2.
    kernel = np.array([[1.0, 0.6], [0.6, 1.0]])
    assert vendi_score(kernel, 1.0) == pytest.approx(0.8**-0.8 * 0.2**-0.2)
    assert vendi_score(kernel, 2.0) == pytest.approx(1 / (0.64 + 0.04))
    assert vendi_score(kernel, np.inf) == pytest.approx(1.25)
    assert vendi_score(kernel, 0.1) == pytest.approx((0.8**0.1 + 0.2**0.1) ** (1 / 0.9))


@settings(max_examples=25)
@given(st.integers(1, 12), st.floats(0.1, 10.0), st.integers(0, 1000))
def test_vendi_lies_between_1_and_n_and_falls_with_its_order(n: int, scale: float, seed: int):
    features = np.random.default_rng(seed).standard_normal((n, 2))
    orders = [0.1, 1 - 1e-5, 1.0, 1 + 1e-5, 50.0, 1e4, np.inf]
    scores = np.asarray(vendi_score(trajectory_kernel(features, scale), orders))
    assert (scores >= 1 - 1e-9).all()
    assert (scores <= n + 1e-9).all()
    assert (np.diff(scores) <= 1e-8).all()
    assert scores[1:4] == pytest.approx(np.full(3, scores[2]), rel=1e-4)  # the limits are limits
    assert scores[5] == pytest.approx(scores[6], rel=1e-3)


def test_vendi_between_skills_counts_the_different_ones():
    places = np.array([0.0, 0.0, 500.0, 1000.0])  # four skills, two of which are one
    states = places[:, None, None, None] + generator().standard_normal((1, 5, 4, 1))
    kernel = gaussian_kernel(energy_distances(states), scale=1.0)
    # Shares 1/2, 1/4, 1/4.
    assert vendi_score(kernel) == pytest.approx(2**1.5)
    assert vendi_score(kernel, np.inf) == pytest.approx(2.0)


def test_skills_are_distinct_where_they_lie_further_apart_than_they_are_wide():
    # Each skill has states at 0 and 1 from its place, so its width is 1; two skills d apart have
    # the similarity a = exp(-d^2 / 2), the eigenvalues (1 + a) / 2 and (1 - a) / 2.
    for distance in (0.0, 1.0, 2.0):
        states = np.array([[[[0.0], [1.0]]], [[[distance], [distance + 1.0]]]])
        shares = (1 + np.array([1, -1]) * np.exp(-(distance**2) / 2)) / 2
        expected = np.exp(-sum(share * np.log(share) for share in shares if share > 0))
        assert distinct_skills(states, [[1.0]]) == pytest.approx(expected)
        assert distinct_skills(7.0 * states, [[1.0]]) == pytest.approx(expected)


def test_a_skills_width_is_the_mean_distance_of_all_its_states():
    # States 0, 1, 0 and 1: of six distances four are 1. Both skills are moved by 1 from each other.
    one = np.array([[[0.0], [1.0]], [[0.0], [1.0]]])
    a = np.exp(-1 / (2 * (4 / 6) ** 2))
    expected = np.exp(-sum(share * np.log(share) for share in ((1 + a) / 2, (1 - a) / 2)))
    assert distinct_skills(np.stack([one, one + 1.0]), [[1.0]]) == pytest.approx(expected)


def test_skills_without_width_are_distinct_unless_they_are_in_one_place():
    places = np.array([0.0, 0.0, 3.0])
    states = np.tile(places[:, None, None, None], (1, 2, 2, 1))
    # Two are alike and one is not: shares 2/3 and 1/3.
    expected = np.exp(-(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3)))
    assert distinct_skills(states, [[1.0]]) == pytest.approx(expected)
    with pytest.raises(ValueError, match="at least 2 states of each goal, got 1"):
        distinct_skills(states[:, :1, :1], [[1.0]])


def test_chance_below_zero_counts_as_no_distance():
    assert np.array_equal(gaussian_kernel([[0.0, -0.1], [-0.1, 0.0]], 1.0), np.ones((2, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spread_density(np.zeros((2, 5, 1)), 5), "fewer than the 5 trajectories"),
        (lambda: spread_density(np.zeros((1, 5, 1)), 2), "at least 2 goals"),
        (lambda: spread_density(np.zeros((2, 5, 1)), 0), "neighbours must be at least 1"),
        (lambda: silhouette(np.zeros((2, 1, 1))), "2 trajectories"),
        (lambda: cells_visited(np.zeros((2, 2, 1)), 0.0), "width must be greater than 0"),
        (lambda: cells_visited([[[0.0]], [[np.nan]]], 1.0), "no state without NaN of goal 1"),
        (lambda: cells_visited(np.zeros((2, 2)), 1.0), r"coordinates\], got \[2, 2\]"),
        (lambda: cells_visited(np.zeros((2, 0, 1)), 1.0), r"coordinates\], got \[2, 0, 1\]"),
        (lambda: grid_coverage([[[0.5], [1.5]]], 0.0, 1.0, 4), r"got \[0.5, 1.5\]"),
        (lambda: grid_coverage([[[-0.5], [0.5]]], 0.0, 1.0, 4), r"got \[-0.5, 0.5\]"),
        (lambda: grid_coverage([[[0.5]]], 1.0, 0.0, 4), "high must be greater than 1"),
        (lambda: grid_coverage([[[1.5]]], 0.0, 1.0, 4), r"lie in \[0, 1\], got \[1.5, 1.5\]"),
        (lambda: grid_coverage([[[0.5]]], 0.0, 1.0, 0), "cells must be at least 1, got 0"),
        (lambda: grid_coverage([[[0.5]]], np.nan, 1.0, 4), "low must be a finite number"),
        (lambda: vendi_score(np.array([[1.0, 0.9], [0.1, 1.0]])), "symmetric"),
        (lambda: particle_entropy(np.zeros((3, 1)), 3), "more than 3 states, got 3"),
        (lambda: particle_entropy([[np.nan]] * 5), "NaN"),
        (lambda: particle_entropy([[np.nan], *[[1.0]] * 5]), "NaN"),
        (lambda: particle_entropy(np.zeros((3, 1)), 0), "neighbours must be at least 1"),
        (lambda: particle_entropy(np.zeros((9, 1)), resolution=0.0), "resolution must be greater"),
        (lambda: gaussian_kernel(np.eye(2), 0.0), "scale must be greater than 0"),
        (lambda: vendi_score(np.zeros((2, 3))), r"\[n, n\], got \[2, 3\]"),
        (lambda: vendi_score(np.eye(2) * 2), "ones on its diagonal"),
        (lambda: vendi_score(np.eye(2), 0.0), "order must be greater than 0"),
        (lambda: vendi_score(np.eye(2), [1.0, -1.0]), "order must be greater than 0"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
