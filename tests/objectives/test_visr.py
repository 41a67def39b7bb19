"""VISR's objective: phi is the observation's direction."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Visr
from autotelic.objectives.visr import VisrParams

NEXT_OBSERVATION = jnp.array([[3.0, 4.0], [5.0, 0.0]])
PHI = np.array([[0.6, 0.8], [1.0, 0.0]])
GOAL = jnp.array([1, 2])
SKILL = jnp.array([[0.0, 1.0], [-1.0, 0.0]])
CONTEXT = Context(None, jnp.ones((2, 2)), NEXT_OBSERVATION, skill=SKILL)


@pytest.fixture
def params(summing: Callable[[int, int], Mlp]) -> VisrParams:
    codebook = jnp.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    return VisrParams(summing(1, 2), codebook)


def test_the_reward_is_the_cosine_of_state_and_skill(params: VisrParams):
    found = Visr().reward(params, CONTEXT, GOAL, jnp.array([-1.0, -9.0]))
    np.testing.assert_allclose(found, [0.8, -1.0], rtol=1e-6)
    assert float(Visr().loss(params, CONTEXT, GOAL)) == pytest.approx(0.1, rel=1e-5)


def test_posteriors_are_a_softmax_of_cosines(params: VisrParams):
    # e^(concentration x) = 2^(5 x): of (.6, .8, -.6, -.8) it is 8, 16, 1/8 and 1/16.
    found = Visr(concentration=5 * math.log(2)).log_posteriors(params, CONTEXT)
    weights = np.array([[8, 16, 1 / 8, 1 / 16], [32, 1, 1 / 32, 1]])
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(jnp.exp(found), expected, rtol=1e-5)


def test_a_representation_has_length_1(params: VisrParams):
    np.testing.assert_allclose(Visr().represent(params, NEXT_OBSERVATION), PHI, rtol=1e-6)
    assert Visr().has_representation
    one = Visr().represent(params, NEXT_OBSERVATION[0])
    np.testing.assert_allclose(one, PHI[0], rtol=1e-6)


def test_the_skill_towards_a_state_is_its_own_representation(params: VisrParams):
    anywhere = jnp.array([[3.0, 4.0], [-9.0, 2.0]])
    found = Visr().skill_towards(params, anywhere, NEXT_OBSERVATION)
    np.testing.assert_allclose(found, PHI, rtol=1e-6)


@pytest.mark.parametrize(
    "objective",
    [
        Visr(dimension=3, jitter=0.5),
        Visr(skills="one_hot"),
        Visr(codebook=((10.0, 0.0), (0.0, 0.0), (-1.0, 2.0), (0.1, 0.1), (7.0, -7.0))),
    ],
    ids=["sphere", "one-hot", "own"],
)
def test_rewards_lie_between_minus_1_and_1_whatever_the_length_of_a_skill(
    objective: Visr, fresh: Callable[..., VisrParams]
):
    params = fresh(objective, 4, 5)
    observation = np.logspace(-6, 6, 200)[:, None] * np.random.default_rng(1).normal(size=(200, 4))
    goal = np.arange(200) % 5
    keys = jax.random.split(jax.random.key(2), 200)
    skill = jax.jit(jax.vmap(lambda g, key: objective.pursue(g, 5, key)))(goal, keys)
    context = Context(None, observation, observation, skill=skill)
    found = np.abs(jax.jit(objective.reward)(params, context, goal, np.zeros(200)))
    assert 0.9 < found.max() <= 1 + 1e-6


def test_learning_turns_phi_towards_the_skill(params: VisrParams):
    gradient = jax.grad(Visr().loss)(params, CONTEXT, GOAL)
    # Of phi = x / |x| at x = (3, 4) for z = (0, 1): -(z - phi phi^T z) / |x| = -(-.48, .36) / 5; half of
    # the batch. At x = (5, 0) for z = (-1, 0) phi points away, and no turn is the shorter one.
    np.testing.assert_allclose(gradient.phi.output_bias, [0.048, -0.036], atol=1e-6)


def test_a_state_without_a_direction_does_no_harm(params: VisrParams):
    nowhere = CONTEXT._replace(next_observation=jnp.zeros((2, 2)))
    loss, gradient = jax.value_and_grad(Visr().loss)(params, nowhere, GOAL)
    assert float(loss) == 0.0
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_phi_is_as_wide_as_a_skill(fresh: Callable[..., VisrParams]):
    assert fresh(Visr(dimension=3), 4, 5).phi.output.shape == (8, 3)
    assert fresh(Visr(skills="one_hot"), 4, 5).phi.output.shape == (8, 5)


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="concentration must be greater than 0"):
        Visr(concentration=0.0)
    with pytest.raises(ValueError, match="dimension"):
        Visr(dimension=0)


def test_it_is_found_by_name():
    assert OBJECTIVES["visr"] is Visr
