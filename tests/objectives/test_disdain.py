"""DISDAIN's objective: one member's logits are its inputs, the other's are all the same."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Diayn, Disdain
from autotelic.objectives.disdain import disagreement, log_mean

OBSERVATION = np.log([[1, 1, 2], [5, 3, 2]]) + 1.0
NEXT_OBSERVATION = np.log([[4, 1, 1], [1, 1, 1]]) + 1.0
NEXT_Q = np.array([[1 / 2, 1 / 4, 1 / 4], [1 / 3, 1 / 3, 1 / 3]])
"""The mean of (2/3, 1/6, 1/6) and of (1/3, 1/3, 1/3); that of two which agree."""
GOAL = jnp.array([0, 2])
CONTEXT = Context(None, jnp.asarray(OBSERVATION), jnp.asarray(NEXT_OBSERVATION))
UNIFORM = jnp.full(2, math.log(1 / 3))


@pytest.fixture
def params(summing: Callable[[int, int], Mlp]) -> Mlp:
    knows = summing(1, 3)
    return jax.tree.map(lambda leaf: jnp.stack([leaf, jnp.zeros_like(leaf)]), knows)


def test_disagreement_is_the_entropy_of_the_mean_less_the_mean_entropy():
    # H(.7, .3) = .6109; H(.5, .5) = .6931, H(.9, .1) = .3251.
    found = disagreement(jnp.log(jnp.array([[0.5, 0.5], [0.9, 0.1]])))
    assert float(found) == pytest.approx(0.6108643 - (0.6931472 + 0.3250830) / 2, abs=1e-6)
    np.testing.assert_allclose(
        jnp.exp(log_mean(jnp.log(jnp.array([[0.5, 0.5], [0.9, 0.1]])))), [0.7, 0.3], rtol=1e-6
    )


def test_the_reward_is_the_means_certainty_and_the_bonus(params: Mlp):
    found = Disdain(bonus=2.0).reward(params, CONTEXT, GOAL, UNIFORM)
    # H(1/2, 1/4, 1/4) = 1.0397; H(2/3, 1/6, 1/6) = .8676, H(1/3, 1/3, 1/3) = 1.0986.
    gain = 1.0397208 - (0.8675632 + 1.0986123) / 2
    np.testing.assert_allclose(found, [math.log(1.5) + 2 * gain, 0.0], atol=1e-5)


def test_a_goal_less_certain_than_by_chance_costs_nothing(params: Mlp):
    found = Disdain(bonus=0.0).reward(params, CONTEXT, jnp.array([1, 1]), UNIFORM)
    np.testing.assert_allclose(found, [0.0, 0.0], atol=1e-6)
    raised = Disdain(bonus=0.0).reward(params, CONTEXT, GOAL, jnp.log(jnp.array([0.9, 0.1])))
    np.testing.assert_allclose(raised, [0.0, math.log(10 / 3)], atol=1e-6)


def test_the_loss_is_the_mean_of_the_members_cross_entropies(params: Mlp):
    expected = -(math.log(2 / 3) + 3 * math.log(1 / 3)) / 4
    assert float(Disdain().loss(params, CONTEXT, GOAL)) == pytest.approx(expected, rel=1e-5)
    of_state_acted_in = -(math.log(2 / 4) + math.log(2 / 10) + 2 * math.log(1 / 3)) / 4
    found = Disdain(reward_state="obs").loss(params, CONTEXT, jnp.array([2, 2]))
    assert float(found) == pytest.approx(of_state_acted_in, rel=1e-5)


@pytest.mark.parametrize("reward_state", ["obs", "next_obs"])
def test_posteriors_are_the_mean_of_the_members_in_the_next_state(params: Mlp, reward_state: str):
    found = Disdain(reward_state=reward_state).log_posteriors(params, CONTEXT)
    np.testing.assert_allclose(jnp.exp(found), NEXT_Q, rtol=1e-5)


@pytest.mark.parametrize(("members", "goals"), [(2, 7), (5, 3), (1, 4)])
def test_disagreement_lies_between_0_and_what_members_or_goals_allow(members: int, goals: int):
    scales = np.logspace(-2, 3, 50)[:, None]
    logits = scales * np.random.default_rng(0).normal(size=(members, 50, goals))
    found = disagreement(jax.nn.log_softmax(logits))
    most = math.log(min(members, goals))
    assert found.min() >= 0.0 and found.max() <= most + 1e-5
    certain = jax.nn.log_softmax(1e3 * jnp.eye(goals)[jnp.arange(members) % goals])
    share = (
        np.bincount(np.arange(members) % goals) / members
    )  # of members, each sure of another goal
    assert float(disagreement(certain)) == pytest.approx(-np.sum(share * np.log(share)), abs=1e-5)


def test_members_that_agree_have_no_bonus():
    one = jax.nn.log_softmax(3 * np.random.default_rng(1).normal(size=(20, 6)))
    np.testing.assert_allclose(disagreement(jnp.stack([one] * 4)), 0.0, atol=1e-6)


def test_one_member_is_diayn_but_for_the_cut(fresh: Callable[..., Mlp]):
    objective = Disdain(members=1)
    params = fresh(objective, 5, 3)
    alone = jax.tree.map(lambda leaf: leaf[0], params)
    observation = 3 * np.random.default_rng(1).normal(size=(2, 30, 5))
    arguments = Context(None, *observation), jnp.arange(30) % 3, jnp.full(30, -math.log(3))
    theirs = Diayn().reward(alone, *arguments)
    assert theirs.min() < 0 < theirs.max()
    found = objective.reward(params, *arguments)
    np.testing.assert_allclose(found, jnp.maximum(theirs, 0), atol=1e-5)
    np.testing.assert_allclose(
        objective.loss(params, *arguments[:2]), Diayn().loss(alone, *arguments[:2]), rtol=1e-5
    )


def test_members_begin_with_weights_of_their_own():
    params = Disdain(members=3, features=(0,)).init(jax.random.key(0), 5, 4, 8)
    assert params.inputs[0].shape == (3, 1, 8)
    assert not np.array_equal(params.hidden[0], params.hidden[1])
    assert not np.array_equal(params.hidden[1], params.hidden[2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"members": 0}, "members must be at least 1"),
        ({"bonus": -1.0}, "bonus"),
        ({"reward_state": "next"}, "reward_state"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments: dict, message: str):
    with pytest.raises(ValueError, match=message):
        Disdain(**arguments)


def test_it_is_found_by_name():
    assert OBJECTIVES["disdain"] is Disdain


def test_members_take_observations_and_tell_goals():
    fresh = Disdain(members=2).init(jax.random.key(0), 3, 4, 5)
    assert fresh.inputs[0].shape == (2, 3, 5)
    assert fresh.output.shape == (2, 5, 4)
