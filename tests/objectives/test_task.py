"""A task: the environment's reward, and one goal."""

import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.objectives import OBJECTIVES, Context, Task, check_objective


def test_the_reward_is_the_environments():
    seen = jnp.zeros((3, 2))
    context = Context(None, seen, seen, reward=jnp.array([1.0, -2.0, 0.5]))
    goal = jnp.zeros(3, int)
    for scale in (1.0, 3.0):
        found = Task(scale).reward(jnp.zeros(()), context, goal, jnp.zeros(3))
        np.testing.assert_allclose(found, scale * np.array([1.0, -2.0, 0.5]))


def test_it_keeps_the_contract_of_an_objective():
    check_objective(Task(), num_goals=1)
    assert OBJECTIVES["task"] is Task


def test_more_goals_are_refused():
    with pytest.raises(ValueError, match=r"a task is one goal, and num_goals is 2; make it 1"):
        check_objective(Task(), num_goals=2)
    with pytest.raises(ValueError, match="reward_scale must be greater than 0"):
        Task(reward_scale=0.0)
