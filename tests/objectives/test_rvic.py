"""RVIC's objective: q_rel has the start plus the state for logits, q_abs the state."""

import math
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Rvic
from autotelic.objectives.rvic import RvicParams

START = np.log([[1, 1, 1], [1, 2, 1], [4, 1, 1], [1, 1, 2]]) + 1.0
STATE = np.log([[2, 1, 1], [3, 1, 1], [1, 3, 5], [2, 1, 2]]) + 1.0
GOAL = jnp.array([0, 1, 2, 2])
RELATIVE = np.array([1 / 2, 1 / 3, 5 / 12, 4 / 7])
ABSOLUTE = np.array([1 / 2, 1 / 5, 5 / 9, 2 / 5])
RATIO = [1, 5 / 3, 3 / 4, 10 / 7]
CONTEXT = Context(jnp.asarray(START), jnp.zeros((4, 3)), jnp.asarray(STATE))
ENDED = CONTEXT._replace(ended=jnp.array([0.0, 1.0, 0.0, 1.0]))
NO_PRIOR = jnp.zeros(4)

Network = Callable[[int, int], Mlp]


@pytest.fixture
def params(summing: Network) -> RvicParams:
    return RvicParams(summing(2, 3), summing(1, 3))


def test_the_reward_is_what_the_start_adds_to_the_state(params: RvicParams):
    found = Rvic().reward(params, CONTEXT, GOAL, NO_PRIOR)
    np.testing.assert_allclose(found, np.log(RATIO), atol=1e-5)


def test_the_loss_is_the_sum_of_both_cross_entropies(params: RvicParams):
    expected = -np.log(RELATIVE).mean() - np.log(ABSOLUTE).mean()
    assert float(Rvic().loss(params, CONTEXT, GOAL)) == pytest.approx(expected, rel=1e-5)


def test_judged_at_the_end_other_steps_count_for_nothing(params: RvicParams):
    objective = Rvic(judged_at="end")
    found = objective.reward(params, ENDED, GOAL, NO_PRIOR)
    np.testing.assert_allclose(found, [0, math.log(5 / 3), 0, math.log(10 / 7)], atol=1e-5)
    expected = -(math.log(1 / 3 / 5) + math.log(4 / 7 * 2 / 5)) / 2
    assert float(objective.loss(params, ENDED, GOAL)) == pytest.approx(expected, rel=1e-5)
    none = CONTEXT._replace(ended=jnp.zeros(4))
    assert float(objective.loss(params, none, GOAL)) == 0.0


def test_selectors_see_the_relative_classifier(params: RvicParams):
    found = jnp.exp(Rvic(judged_at="end").log_posteriors(params, CONTEXT))
    np.testing.assert_allclose(found[jnp.arange(4), GOAL], RELATIVE, rtol=1e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-5)


def test_nothing_is_paid_where_the_start_adds_nothing(params: RvicParams):
    blind = eqx.tree_at(lambda n: n.inputs[0], params.relative, jnp.zeros((3, 3)))
    found = Rvic().reward(params._replace(relative=blind), CONTEXT, GOAL, NO_PRIOR)
    np.testing.assert_array_equal(found, 0.0)


def test_the_prior_is_in_both_classifiers_and_cancels(params: RvicParams):
    some = Rvic().reward(params, CONTEXT, GOAL, jnp.array([-1.0, -2.0, -3.0, -9.0]))
    np.testing.assert_array_equal(some, Rvic().reward(params, CONTEXT, GOAL, NO_PRIOR))
    assert not Rvic().needs_collected_prior


def test_its_classifiers_see_the_features_and_start_apart():
    params = Rvic(features=(1,)).init(jax.random.key(0), 5, 3, hidden_units=4)
    assert [weights.shape for weights in params.relative.inputs] == [(1, 4), (1, 4)]
    assert [weights.shape for weights in params.absolute.inputs] == [(1, 4)]
    assert not np.array_equal(params.relative.inputs[0], params.absolute.inputs[0])


def test_contexts_hold_what_is_judged():
    assert Rvic().needs_start and not Rvic().needs_end
    assert Rvic(judged_at="end").needs_end


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="judged_at 'never'"):
        Rvic(judged_at="never")
    with pytest.raises(ValueError, match="features"):
        Rvic(features=())
    with pytest.raises(ValueError, match=r"\[5\].*0 to 4"):
        Rvic(features=(5,)).check(5, 3)


def test_it_is_found_by_name():
    assert OBJECTIVES["rvic"] is Rvic
