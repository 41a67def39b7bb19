"""Which number was the first that was none."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from autotelic.training.divergence import Fault, first_fault


def record(**losses: Any) -> Any:
    """Two learners, five steps, three goals, and nothing wrong but what is given."""
    return SimpleNamespace(posterior=np.full((2, 5, 3), 1 / 3), losses=losses)


def test_without_a_fault_there_is_none():
    assert first_fault(1, record(q=np.zeros((2, 5))), {"w": np.zeros((2, 4))}) is None


def test_a_posterior_of_one_goal_is_enough_and_the_others_learners_do_not_count():
    wrong = record()
    wrong.posterior[1, 3, 0] = np.nan
    assert first_fault(1, wrong, {}) == Fault("the posteriors", 3)
    assert first_fault(0, wrong, {}) is None


def test_the_first_step_counts_and_of_one_step_the_action():
    losses = np.zeros((2, 5))
    losses[0, 2:] = np.inf
    wrong = record(q=losses)
    wrong.posterior[0, 4] = np.nan
    assert first_fault(0, wrong, {}) == Fault("the q loss", 2)
    assert first_fault(0, wrong, {}, nan_actions=2) == Fault("the actions", 2)
    assert first_fault(0, wrong, {}, nan_actions=3) == Fault("the q loss", 2)


def test_parameters_are_looked_at_last_and_belong_to_the_last_step():
    parameters = {"a": np.zeros((2, 2)), "b": np.array([[0.0, 1.0], [np.nan, 1.0]])}
    assert first_fault(1, record(), parameters) == Fault("the parameters b", 4)
    assert first_fault(0, record(), parameters) is None


def test_a_step_acts_before_it_judges():
    wrong = record()
    wrong.posterior[0, 2] = np.nan
    assert first_fault(0, wrong, {}, nan_actions=2) == Fault("the actions", 2)
