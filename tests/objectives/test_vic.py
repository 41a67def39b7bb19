"""VIC's objective with a classifier whose logits are the start plus the state."""

import math
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Diayn, Vic
from autotelic.objectives.pursuit import mean_where

START = np.log([[1, 1, 1], [1, 2, 1], [4, 1, 1], [1, 1, 2]]) + 1.0
STATE = np.log([[2, 1, 1], [3, 1, 1], [1, 3, 5], [2, 1, 2]]) + 1.0
Q = np.array(
    [[1 / 2, 1 / 4, 1 / 4], [1 / 2, 1 / 3, 1 / 6], [1 / 3, 1 / 4, 5 / 12], [2 / 7, 1 / 7, 4 / 7]]
)
GOAL = jnp.array([0, 1, 2, 2])
CERTAINTY = np.array([1 / 2, 1 / 3, 5 / 12, 4 / 7])
PRIOR = np.array([0.5, 0.1, 0.4, 0.4])
CONTEXT = Context(jnp.asarray(START), jnp.zeros((4, 3)), jnp.asarray(STATE))
ENDED = CONTEXT._replace(ended=jnp.array([0.0, 1.0, 0.0, 1.0]))

Network = Callable[[int, int], Mlp]


def test_the_goal_is_judged_by_start_and_state(summing: Network):
    params = summing(2, 3)
    np.testing.assert_allclose(jnp.exp(Vic().log_posteriors(params, CONTEXT)), Q, rtol=1e-5)
    loss = Vic().loss(params, CONTEXT, GOAL)
    assert float(loss) == pytest.approx(-np.log(CERTAINTY).mean(), rel=1e-5)
    rewards = Vic().reward(params, CONTEXT, GOAL, jnp.log(PRIOR))
    np.testing.assert_allclose(rewards, np.log(CERTAINTY / PRIOR), atol=1e-5)


def test_judged_at_the_end_other_steps_count_for_nothing(summing: Network):
    params, objective = summing(2, 3), Vic(judged_at="end")
    loss = objective.loss(params, ENDED, GOAL)
    assert float(loss) == pytest.approx(-(math.log(1 / 3) + math.log(4 / 7)) / 2, rel=1e-5)
    rewards = objective.reward(params, ENDED, GOAL, jnp.log(PRIOR))
    expected = [0, math.log((1 / 3) / 0.1), 0, math.log((4 / 7) / 0.4)]
    np.testing.assert_allclose(rewards, expected, atol=1e-5)


def test_posteriors_are_of_every_step_whenever_it_is_judged(summing: Network):
    found = Vic(judged_at="end").log_posteriors(summing(2, 3), CONTEXT)
    np.testing.assert_allclose(jnp.exp(found), Q, rtol=1e-5)


def test_a_batch_without_an_end_teaches_nothing(summing: Network):
    none = CONTEXT._replace(ended=jnp.zeros(4))
    objective = Vic(judged_at="end")
    loss, gradient = jax.value_and_grad(objective.loss)(summing(2, 3), none, GOAL)
    assert float(loss) == 0.0
    assert all((leaf == 0).all() for leaf in jax.tree.leaves(gradient))


def test_a_classifier_that_ignores_the_start_is_diayns(summing: Network):
    params = summing(2, 3)
    blind = eqx.tree_at(lambda n: n.inputs[0], params, jnp.zeros((3, 3)))
    arguments = CONTEXT, GOAL, jnp.log(PRIOR)
    np.testing.assert_allclose(
        Vic().reward(blind, *arguments), Diayn().reward(summing(1, 3), *arguments), rtol=1e-6
    )
    assert not np.allclose(Vic().reward(params, *arguments), Vic().reward(blind, *arguments))


def test_contexts_hold_what_is_judged():
    assert Vic().needs_start and not Vic().needs_end
    assert Vic(judged_at="end").needs_start and Vic(judged_at="end").needs_end
    assert not Vic().needs_collected_prior
    assert Vic(reward_prior="at_collection").needs_collected_prior


def test_start_and_state_have_a_matrix_of_their_own_and_the_same_features():
    params = Vic(features=(2, 0)).init(jax.random.key(0), 5, 3, hidden_units=4)
    assert [weights.shape for weights in params.inputs] == [(2, 4), (2, 4)]
    start, state = np.random.default_rng(1).normal(size=(2, 6, 5))
    seen = [2, 0]
    np.testing.assert_allclose(
        Vic(features=(2, 0)).log_posteriors(params, Context(start, state, state)),
        jax.nn.log_softmax(params(start[:, seen], state[:, seen])),
        rtol=1e-6,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"judged_at": "ends"}, "judged_at 'ends'.*'end'"),
        ({"reward_prior": "uniformly"}, "reward_prior"),
        ({"prior_floor": 2.0}, "prior_floor"),
        ({"features": ()}, "features"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments: dict, message: str):
    with pytest.raises(ValueError, match=message):
        Vic(**arguments)


def test_features_beyond_the_observation_are_refused():
    with pytest.raises(ValueError, match=r"\[5\].*0 to 4"):
        Vic(features=(0, 5)).check(5, 3)


def test_it_is_found_by_name():
    assert OBJECTIVES["vic"] is Vic


def test_a_mean_is_of_what_counts_and_0_of_nothing():
    values = jnp.array([3.0, 5.0, 100.0])
    assert float(mean_where(values, jnp.array([1.0, 0.0, 0.0]))) == 3.0
    assert float(mean_where(values, jnp.array([1.0, 1.0, 0.0]))) == 4.0
    assert float(mean_where(values, jnp.zeros(3))) == 0.0
