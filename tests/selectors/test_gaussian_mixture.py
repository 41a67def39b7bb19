"""Mixtures of Gaussians: by hand, by law, and on clusters that anyone would see."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.selectors import gaussian_mixture as gm


def clusters(seed: int = 0):
    """Sixty points around (0, 0) and thirty around (5, 2)."""
    generator = np.random.default_rng(seed)
    return np.concatenate(
        [generator.normal(0, 0.3, (60, 2)), generator.normal([5.0, 2.0], 0.5, (30, 2))]
    )


def test_the_density_of_a_gaussian_by_hand():
    """At (1, 1) from the origin under diag(1, 4): 1 / (2 pi 2) exp(-(1 + 1/4) / 2)."""
    found = gm.log_gaussians(
        np.array([[1.0, 1.0]]), np.zeros((1, 2)), np.array([[[1.0, 0.0], [0.0, 4.0]]])
    )
    assert np.exp(found) == pytest.approx(np.exp(-0.625) / (4 * np.pi))


def test_a_step_by_hand():
    """Points 0, 2 and 10, halved between two Gaussians but for the last, which is the second's."""
    points, shares = np.array([[0.0], [2.0], [10.0]]), np.array([[0.5, 0.5], [0.5, 0.5], [0, 1.0]])
    mixture = gm.maximisation(points, shares)
    assert mixture.weights == pytest.approx([1 / 3, 2 / 3])
    assert mixture.means.ravel() == pytest.approx([1.0, 5.5])
    # Variances: 1, and (0.5 30.25 + 0.5 12.25 + 20.25) / 2 = 20.75; the floor is on top.
    assert mixture.covariances.ravel() == pytest.approx([1.0 + gm.FLOOR, 20.75 + gm.FLOOR])


@given(st.integers(0, 10_000), st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_the_likelihood_never_falls(seed: int, k: int):
    points = np.random.default_rng(seed).normal(size=(40, 2)) * 10  # the floor plays no part
    centres = gm.spread_centres(points, k, np.random.default_rng(seed))
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    mixture, likelihoods = gm.maximisation(points, np.eye(k)[nearest]), []
    for _ in range(8):
        shares, likelihood = gm.expectation(points, mixture)
        assert shares.sum(axis=1) == pytest.approx(1.0)
        likelihoods.append(likelihood)
        mixture = gm.maximisation(points, shares)
    assert np.all(np.diff(likelihoods) > -1e-3)


def test_clusters_are_found_and_counted():
    mixture = gm.best_fit(clusters(), range(2, 6), np.random.default_rng(0))
    assert len(mixture.weights) == 2
    order = np.argsort(mixture.weights)[::-1]
    assert mixture.weights[order] == pytest.approx([2 / 3, 1 / 3], abs=1e-3)
    assert mixture.means[order] == pytest.approx(np.array([[0, 0], [5, 2]]), abs=0.25)
    deviations = np.sqrt(np.diagonal(mixture.covariances[order], axis1=1, axis2=2))
    assert deviations == pytest.approx(np.array([[0.3, 0.3], [0.5, 0.5]]), rel=0.3)


def test_the_same_generator_gives_the_same_mixture():
    first, second = (
        gm.best_fit(clusters(), range(2, 6), np.random.default_rng(3)) for _ in range(2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_points_that_coincide_and_fewer_points_than_gaussians():
    same = gm.best_fit(np.zeros((6, 3)), range(2, 4), np.random.default_rng(0))
    assert np.isfinite(same.means).all() and same.means == pytest.approx(0.0)
    few = gm.best_fit(np.array([[0.0], [1.0]]), range(2, 11), np.random.default_rng(0))
    assert len(few.weights) == 2


def test_centres_are_spread():
    """With two tight groups far apart, the second centre is in the other group."""
    points = np.array([[0.0], [0.01], [9.0], [9.01]])
    for seed in range(20):
        centres = gm.spread_centres(points, 2, np.random.default_rng(seed))
        assert abs(centres[0, 0] - centres[1, 0]) > 8


class Told:
    """In place of a generator: takes the points it is told, and notes the chances they had."""

    def __init__(self, *chosen: int):
        self.chosen, self.chances = list(chosen), []

    def integers(self, number: int) -> int:
        return self.chosen.pop(0)

    def choice(self, number: int, p: Any) -> int:
        self.chances.append(p)
        return self.chosen.pop(0)


def test_chances_of_centres_by_hand():
    """From (0, 0) the others are at the squared distances 25, 18 and 1; (3, 4) takes the second's to 1,
    and (3, 3) leaves the third's.
    """
    points, told = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 3.0], [0.0, 1.0]]), Told(0, 1, 2, 3)
    centres = gm.spread_centres(points, 4, cast(Any, told))
    assert centres.tolist() == points.tolist()
    expected = [[0, 25 / 44, 18 / 44, 1 / 44], [0, 0, 1 / 2, 1 / 2], [0, 0, 0, 1]]
    np.testing.assert_allclose(told.chances, expected)


def test_the_likelihood_is_that_of_all_points():
    """Two points at the mean of one Gaussian of variance 1: 1 / (2 pi) together."""
    mixture = gm.Mixture(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)))
    shares, likelihood = gm.expectation(np.zeros((2, 1)), mixture)
    assert shares.tolist() == [[1.0], [1.0]]
    assert np.exp(likelihood) == pytest.approx(1 / (2 * np.pi))


def overlapping():
    """Three clusters in the plane that expectation maximisation parts only slowly."""
    generator = np.random.default_rng(0)
    return np.concatenate([generator.normal([3.0 * i, 0.0], 1.0, (40, 2)) for i in range(3)])


def test_a_fit_ends_with_the_first_step_that_gains_less_than_a_thousandth_a_point():
    points = overlapping()
    centres = gm.spread_centres(points, 3, np.random.default_rng(4))
    nearest = [int(np.linalg.norm(centres - point, axis=1).argmin()) for point in points]
    mixture, likelihoods = gm.maximisation(points, np.eye(3)[nearest]), []
    for _ in range(60):
        shares, likelihood = gm.expectation(points, mixture)
        likelihoods.append(likelihood)
        mixture = gm.maximisation(points, shares)
    gains = np.diff(likelihoods) / len(points)
    last = int(np.argmax(gains < 1e-3)) + 1
    assert 3 < last < 50  # neither at once nor never
    found, likelihood = gm.fit(points, 3, np.random.default_rng(4))
    assert likelihood == pytest.approx(likelihoods[last], rel=1e-12)
    assert gm.expectation(points, found)[1] == pytest.approx(likelihood, rel=1e-12)


def test_the_number_of_gaussians_is_that_of_the_lowest_criterion(monkeypatch: pytest.MonkeyPatch):
    """In three dimensions k Gaussians have 10 k - 1 parameters: with the likelihoods 0, 10.5 and 20 the
    criteria of 2, 3 and 4 are 38, 58 - 21 = 37 and 78 - 40 = 38.
    """
    likelihoods = {2: 0.0, 3: 10.5, 4: 20.0}
    monkeypatch.setattr(gm, "fit", lambda points, k, generator: (k, likelihoods[k]))
    assert gm.best_fit(np.zeros((10, 3)), range(2, 5), np.random.default_rng(0)) == 3


def test_before_the_first_fit_there_are_no_gaussians():
    assert [part.shape for part in gm.no_mixture()] == [(0,), (0, 0), (0, 0, 0)]
