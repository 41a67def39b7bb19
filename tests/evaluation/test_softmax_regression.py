"""Softmax regression: derivatives, both solvers against scikit-learn, and closed forms."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from autotelic.evaluation.softmax_regression import (
    fit,
    gradient,
    hessian,
    log_softmax,
    make_problem,
    objective,
)


def data(rows: int = 60, size: int = 2, goals: int = 3, seed: int = 0):
    generator = np.random.default_rng(seed)
    labels = np.sort(generator.integers(goals, size=rows))
    return generator.normal(size=(rows, size)) + labels[:, None], labels


def test_derivatives_are_those_of_the_objective():
    problem = make_problem(*data(rows=12), goals=3, penalty=0.3)
    weights = np.random.default_rng(1).normal(size=(3, 3))

    def value(flat: Any) -> Any:
        return objective(flat.reshape(3, 3), problem)[0]

    def slope(flat: Any) -> Any:
        found = flat.reshape(3, 3)
        return gradient(found, objective(found, problem)[1], problem).ravel()

    flat = weights.ravel()
    expected: Any = approx_fprime(flat, value, 1e-6)
    np.testing.assert_allclose(slope(flat), expected, atol=1e-5)
    curvature = hessian(objective(weights, problem)[1], problem)
    rows: Any = [approx_fprime(flat, lambda w, i=i: slope(w)[i], 1e-6) for i in range(9)]
    expected = np.stack(rows)
    np.testing.assert_allclose(curvature, expected, atol=1e-5)


@pytest.mark.parametrize("size", [2, 4])  # as many weights a goal as goals, and more
@pytest.mark.parametrize("largest_hessian", [500, 0])
def test_both_solvers_find_what_scikit_learn_finds(
    largest_hessian: int, size: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("autotelic.evaluation.softmax_regression.LARGEST_HESSIAN", largest_hessian)
    rows, labels = data(size=size)
    weights = fit(make_problem(rows, labels, goals=3, penalty=1 / (10.0 * len(rows))))
    theirs = LogisticRegression(C=10.0, class_weight="balanced", tol=1e-8).fit(rows, labels)
    ours = log_softmax(rows @ weights[:, :-1].T + weights[:, -1])
    np.testing.assert_allclose(ours, theirs.predict_log_proba(rows), atol=0.02)


def test_goals_weigh_the_same_however_many_rows_they_have():
    # Rows say nothing of the goal, so that 9 of one and 1 of the other leave both as probable.
    problem = make_problem(np.zeros((10, 1)), np.array([0] * 9 + [1]), goals=2, penalty=0.1)
    np.testing.assert_allclose(log_softmax(fit(problem)[:, -1]), np.log([0.5, 0.5]), atol=1e-6)


def test_separable_goals_have_a_fit():
    rows = np.array([[-1.0], [1.0]])
    problem = make_problem(rows, np.array([0, 1]), goals=2, penalty=1e-6)
    weights = fit(problem)
    # With weights (-w, w): minimum of log(1 + exp(-2 w)) + 1e-6 w^2, so w solves 2 s(-2 w) = 2e-6 w.
    found = weights[1, 0]
    assert weights[0, 0] == pytest.approx(-found)
    assert 2 / (1 + np.exp(2 * found)) == pytest.approx(2e-6 * found, rel=0.2)


def test_scores_of_any_size_have_a_softmax():
    found = log_softmax(np.array([[0.0, 2000.0], [-3000.0, -3000.0]]))
    np.testing.assert_allclose(found, [[-2000.0, 0.0], [-np.log(2)] * 2])
