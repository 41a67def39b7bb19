"""Multinomial logistic regression: p(g | x) = softmax_g(W x + b), fitted by minimising `objective`.

Written here because a run is measured while it trains: with few parameters Newton's method, whose
Hessian takes one matrix product, is three times as fast as scikit-learn's.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from autotelic._types import Array

LARGEST_HESSIAN = 500
"""Parameters up to which Newton's method is quicker than L-BFGS."""
MOST_STEPS, MOST_BFGS_STEPS = 50, 300
PRECISION = 1e-6
"""A fit has converged when a step lowers the objective by less, in nats."""


class Problem(NamedTuple):
    """What a fit is of: `objective` as a function of the weights [goals, size + 1], bias last.

    inputs: [rows, size + 1], the last entry 1; targets: [rows, goals] one-hot; shares: [rows], the
    weight of each row, with sum 1; penalty: of the squared weights; the bias has none.
    """

    inputs: Array
    targets: Array
    shares: Array
    penalty: float


def make_problem(rows: Array, labels: npt.NDArray[np.intp], goals: int, penalty: float) -> Problem:
    """Rows [rows, size] with their goals; each goal counts the same, however many rows it has."""
    inputs = np.concatenate([rows, np.ones((len(rows), 1))], axis=1)
    shares = 1.0 / (goals * np.bincount(labels, minlength=goals))[labels]
    return Problem(inputs, np.eye(goals)[labels], shares, penalty)


def log_softmax(scores: Array) -> Array:
    """log p over the last axis; [..., goals] -> [..., goals]."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def objective(weights: Array, problem: Problem) -> tuple[float, Array]:
    """-(1/|G|) sum_g mean log p(g | x) over g's rows + penalty/2 |W|^2, and p [rows, goals]."""
    log_probabilities = log_softmax(problem.inputs @ weights.T)
    likelihood = problem.shares @ (log_probabilities * problem.targets).sum(axis=1)
    penalised = 0.5 * problem.penalty * (weights[:, :-1] ** 2).sum()
    return float(penalised - likelihood), np.exp(log_probabilities)


def gradient(weights: Array, probabilities: Array, problem: Problem) -> Array:
    """Of the objective: sum over rows of share (p - target) x, and penalty W; [goals, size + 1]."""
    residual = problem.shares[:, None] * (probabilities - problem.targets)
    return residual.T @ problem.inputs + _ridge(problem) * weights


def hessian(probabilities: Array, problem: Problem) -> Array:
    """Of the objective: sum over rows of share (diag(p) - p p') (x) x x', and the penalty.

    Returns:
        [goals (size + 1), goals (size + 1)], the weights row by row.
    """
    inputs, shares = problem.inputs, problem.shares
    goals, size = probabilities.shape[1], inputs.shape[1]
    roots = np.sqrt(shares)[:, None] * probabilities
    mixed = (roots[:, :, None] * inputs[:, None, :]).reshape(len(inputs), -1)
    found = -(mixed.T @ mixed)
    squares = (inputs[:, :, None] * inputs[:, None, :]).reshape(len(inputs), -1)
    own = ((shares[:, None] * probabilities).T @ squares).reshape(goals, size, size)
    blocks = found.reshape(goals, size, goals, size)
    index = np.arange(goals)
    blocks[index, :, index, :] += own + np.diag(_ridge(problem))
    return found


def fit(problem: Problem) -> Array:
    """The weights [goals, size + 1] of the lowest objective; one answer, as it is convex."""
    if problem.targets.shape[1] * problem.inputs.shape[1] <= LARGEST_HESSIAN:
        return _newton(problem)
    return _bfgs(problem)


def _newton(problem: Problem) -> Array:
    weights = np.zeros((problem.targets.shape[1], problem.inputs.shape[1]))
    value, probabilities = objective(weights, problem)
    for _ in range(MOST_STEPS):
        slope = gradient(weights, probabilities, problem)
        curvature = hessian(probabilities, problem)
        step = -np.linalg.solve(curvature, slope.ravel()).reshape(weights.shape)
        promised = -0.5 * float((slope * step).sum())  # the decrease, if this were a quadratic
        length = 1.0
        while True:  # shorter steps until one keeps a fifth of the promise
            tried, probabilities = objective(weights + length * step, problem)
            if tried <= value - 0.2 * length * promised or length < 1e-6:
                break
            length /= 2
        weights, gain, value = weights + length * step, value - tried, tried
        if gain < PRECISION:
            break
    return weights


def _bfgs(problem: Problem) -> Array:
    shape = (problem.targets.shape[1], problem.inputs.shape[1])

    def value_and_gradient(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(shape)
        value, probabilities = objective(weights, problem)
        return value, gradient(weights, probabilities, problem).ravel()

    # A fit stopped early is still a classifier, and judged as such on held-out data.
    found = scipy.optimize.minimize(
        value_and_gradient,
        np.zeros(shape[0] * shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_BFGS_STEPS, "ftol": PRECISION * 1e-2, "gtol": 1e-6},
    )
    return found.x.reshape(shape)


def _ridge(problem: Problem) -> Array:
    """The penalty of each column of the weights: none of the bias but what keeps it unique."""
    ridge = np.full(problem.inputs.shape[1], problem.penalty)
    ridge[-1] = 1e-9
    return ridge
