"""Mixtures of Gaussians by expectation maximisation, their number by Akaike's criterion."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from autotelic._types import Array

ITERATIONS = 100
TOLERANCE = 1e-3  # of the mean log-likelihood, between iterations
FLOOR = 1e-4  # added to variances: of points that coincide, no Gaussian collapses


class Mixture(NamedTuple):
    """Weights [k], means [k, dim] and covariances [k, dim, dim]."""

    weights: Array
    means: Array
    covariances: Array


def no_mixture() -> Mixture:
    """Before the first fit."""
    return Mixture(np.empty(0), np.empty((0, 0)), np.empty((0, 0, 0)))


def log_gaussians(points: Array, means: Array, covariances: Array) -> Array:
    """log N(x_i; mean_j, covariance_j); [n, dim], [k, dim], [k, dim, dim] -> [n, k]."""
    roots = np.linalg.cholesky(covariances)
    centred = points[None] - means[:, None]  # [k, n, dim]
    whitened = np.linalg.solve(roots, centred.transpose(0, 2, 1))
    logdets = 2.0 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    constant = points.shape[1] * np.log(2.0 * np.pi) + logdets
    return -0.5 * ((whitened**2).sum(axis=1) + constant[:, None]).T


def expectation(points: Array, mixture: Mixture) -> tuple[Array, float]:
    """How much of each point each Gaussian accounts for, [n, k], and the log-likelihood of all points."""
    joint = log_gaussians(points, mixture.means, mixture.covariances) + np.log(mixture.weights)
    largest = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - largest)
    totals = shares.sum(axis=1, keepdims=True)
    return shares / totals, float((largest + np.log(totals)).sum())


def maximisation(points: Array, shares: Array) -> Mixture:
    """Weighted means and covariances, with the floor; [n, dim], [n, k]."""
    masses = shares.sum(axis=0) + 10.0 * np.finfo(np.float64).eps
    means = (shares.T @ points) / masses[:, None]
    centred = points[None] - means[:, None]
    covariances = (centred * shares.T[:, :, None]).transpose(0, 2, 1) @ centred
    covariances = covariances / masses[:, None, None] + FLOOR * np.eye(points.shape[1])
    return Mixture(masses / masses.sum(), means, covariances)


def spread_centres(points: Array, k: int, generator: np.random.Generator) -> Array:
    """k of the points, each drawn in proportion to its squared distance to those drawn before
    (k-means++); [k, dim].
    """
    centres = [points[generator.integers(len(points))]]
    squares = ((points - centres[0]) ** 2).sum(axis=1)
    for _ in range(k - 1):
        total = squares.sum()
        weights = squares / total if total > 0 else None
        centres.append(points[generator.choice(len(points), p=weights)])
        squares = np.minimum(squares, ((points - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


def fit(points: Array, k: int, generator: np.random.Generator) -> tuple[Mixture, float]:
    """A mixture of k Gaussians for the points, [n, dim], and its log-likelihood."""
    centres = spread_centres(points, k, generator)
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    mixture = maximisation(points, np.eye(k)[nearest])
    previous = likelihood = -np.inf
    for _ in range(ITERATIONS):
        shares, likelihood = expectation(points, mixture)
        if likelihood - previous < TOLERANCE * len(points):
            break
        mixture, previous = maximisation(points, shares), likelihood
    return mixture, likelihood


def akaike(likelihood: float, k: int, dim: int) -> float:
    """2 x the number of free parameters - 2 log-likelihood; lower is better.

    >>> akaike(-10.0, 2, 1)  # 1 weight, 2 means, 2 variances
    30.0
    """
    parameters = (k - 1) + k * dim + k * dim * (dim + 1) // 2
    return 2.0 * parameters - 2.0 * likelihood


def best_fit(points: Array, numbers: Iterable[int], generator: np.random.Generator) -> Mixture:
    """The mixture of the lowest Akaike criterion; `numbers` are the k to try."""
    fits = [(k, *fit(points, k, generator)) for k in numbers if k <= len(points)]
    return min(fits, key=lambda tried: akaike(tried[2], tried[0], points.shape[1]))[1]
