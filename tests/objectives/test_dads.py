"""DADS's objective: the model's mean is the state plus the skill."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Dads
from autotelic.objectives.dads import DadsParams, log_density, log_deviation

CODEBOOK = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
GOAL = jnp.array([0, 1])
# The model says z in the first state, and (1, 1) + z in the second.
CONTEXT = Context(
    None,
    jnp.array([[0.0, 0.0], [1.0, 1.0]]),
    jnp.array([[1.0, 0.0], [2.0, 2.0]]),
    skill=jnp.array([[1.0, 0.0], [0.0, 1.0]]),
)
# Steps are (1, 0) and (1, 1); half their squared distances from the three means, and the likelihoods.
HALF_SQUARES = np.array([[0.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
POSTERIOR = np.exp(-HALF_SQUARES) / np.exp(-HALF_SQUARES).sum(axis=1, keepdims=True)
PRIOR = jnp.array([-1.0, -9.0])


@pytest.fixture
def params(summing: Callable[[int, int], Mlp]) -> DadsParams:
    return DadsParams(summing(2, 2), jnp.zeros(2), jnp.array(CODEBOOK))


Sample = Callable[[Dads], tuple[DadsParams, Context, jax.Array]]


@pytest.fixture
def sample(fresh: Callable[..., DadsParams]) -> Sample:
    """Random parameters, 60 transitions and goals of five."""

    def make(objective: Dads) -> tuple[DadsParams, Context, jax.Array]:
        params = fresh(objective, 4, 5)
        params = params._replace(spread=params.spread - 0.3)
        before, step = np.random.default_rng(0).normal(size=(2, 60, 4)).astype(np.float32)
        goal = np.arange(60) % 5
        pursue = jax.jit(jax.vmap(lambda g, key: objective.pursue(g, 5, key)))
        skill = pursue(goal, jax.random.split(jax.random.key(2), 60))
        context = Context(None, jnp.asarray(before), jnp.asarray(before + step), skill=skill)
        return params, context, jnp.asarray(goal)

    return make


def test_the_density_is_a_gaussians():
    found = log_density(jnp.array([1.0, 2.0]), jnp.zeros(2), jnp.array([0.0, math.log(2)]))
    # -1/2 - log(2 pi) / 2 for the first entry, the same less log 2 for the second.
    assert float(found) == pytest.approx(-1 - math.log(2 * math.pi) - math.log(2), rel=1e-6)


def test_deviations_begin_at_1_and_keep_within_bounds():
    found = log_deviation(jnp.array([0.0, -math.inf, math.inf, math.atanh(0.2)]))
    np.testing.assert_allclose(found, [0, -5, 5, 1], rtol=1e-6)


def test_the_reward_is_the_own_skills_likelihood_over_that_of_all(params: DadsParams):
    found = Dads(codebook=CODEBOOK).reward(params, CONTEXT, GOAL, PRIOR)
    expected = [
        -math.log((1 + math.exp(-1) + math.exp(-0.5)) / 3),
        -0.5 - math.log((2 * math.exp(-0.5) + math.exp(-1)) / 3),
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_loss_is_the_negative_log_likelihood_of_the_steps(params: DadsParams):
    found = Dads(codebook=CODEBOOK).loss(params, CONTEXT, GOAL)
    assert float(found) == pytest.approx(math.log(2 * math.pi) + 0.25, rel=1e-5)


def test_posteriors_are_the_softmax_of_log_likelihoods(params: DadsParams):
    objective = Dads(codebook=CODEBOOK)
    found = objective.log_posteriors(params, CONTEXT)
    np.testing.assert_allclose(jnp.exp(found), POSTERIOR, rtol=1e-5)
    one = objective.log_posteriors(params, jax.tree.map(lambda x: x[1], CONTEXT))
    np.testing.assert_allclose(jnp.exp(one), POSTERIOR[1], rtol=1e-5)


def test_all_goals_are_judged_in_one_call(params: DadsParams):
    shapes = []

    def mean(*inputs: jax.Array) -> jax.Array:
        shapes.append([x.shape for x in inputs])
        return params.mean(*inputs)

    Dads(codebook=CODEBOOK).log_posteriors(params._replace(mean=mean), CONTEXT)
    assert shapes == [[(2, 1, 2), (1, 3, 2)]]  # states are not repeated for each goal


def test_without_jitter_the_reward_is_the_log_posterior_less_that_of_chance(sample: Sample):
    objective = Dads()
    params, context, goal = sample(objective)
    posteriors = np.asarray(jax.jit(objective.log_posteriors)(params, context))
    found = jax.jit(objective.reward)(params, context, goal, np.zeros(60))
    expected = np.maximum(posteriors[np.arange(60), goal] + math.log(5), -50.0)
    # Differences of log densities of some hundreds, in single precision.
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("jitter", [0.0, 1.0])
def test_rewards_are_at_most_the_log_of_the_number_of_goals(jitter: float, sample: Sample):
    objective = Dads(jitter=jitter)
    params, context, goal = sample(objective)
    likeliest = params.mean(context.observation, context.skill)
    context = context._replace(next_observation=context.observation + likeliest)
    narrow = params._replace(spread=jnp.full(4, -4.0))
    found = jax.jit(objective.reward)(narrow, context, goal, np.zeros(60))
    assert found.max() <= math.log(5) + 1e-5
    assert found.max() > math.log(5) - 0.1
    assert found.min() > -0.1  # no other skill is likelier


def test_a_step_that_is_ruled_out_costs_no_more_than_the_authors_clip(sample: Sample):
    objective = Dads()
    params, context, goal = sample(objective)
    narrow = params._replace(spread=jnp.full(4, -4.0))
    found = jax.jit(objective.reward)(narrow, context, goal, np.zeros(60))
    assert found.min() == -50.0


def test_features_alone_are_predicted_from_the_whole_observation(sample: Sample):
    objective = Dads(features=(2, 0))
    params, context, _ = sample(objective)
    assert params.mean.inputs[0].shape == (4, 8) and params.mean.output.shape == (8, 2)
    assert params.spread.shape == (2,)
    judge = jax.jit(objective.log_posteriors)
    found = judge(params, context)
    elsewhere = context.next_observation.at[:, 1].add(7.0).at[:, 3].add(-7.0)
    moved = context._replace(next_observation=elsewhere)
    np.testing.assert_array_equal(judge(params, moved), found)
    changed = context._replace(next_observation=context.next_observation.at[:, 2].add(1.0))
    assert not np.allclose(judge(params, changed), found)
    state = jnp.zeros(4).at[1].set(1.0)
    seen = context._replace(
        observation=context.observation + state, next_observation=context.next_observation + state
    )
    assert not np.allclose(judge(params, seen), found)


def test_the_deviation_that_is_learned_is_that_of_the_errors(sample: Sample):
    objective = Dads()
    params, context, goal = sample(objective)
    step = context.next_observation - context.observation
    errors = step - params.mean(context.observation, context.skill)
    right = jnp.arctanh(jnp.log(jnp.sqrt(jnp.mean(errors**2, axis=0))) / 5)
    slope = jax.jit(jax.grad(objective.loss))
    gradient = slope(params._replace(spread=right), context, goal)
    np.testing.assert_allclose(gradient.spread, 0.0, atol=1e-5)
    wide = slope(params._replace(spread=right + 0.1), context, goal)
    assert (wide.spread > 0.1).all()  # descent makes it narrower


@pytest.mark.parametrize(
    ("arguments", "sizes", "message"),
    [
        ({"features": (0, 4)}, (4, 5), r"features \[4\].*0 to 3"),
        ({"codebook": CODEBOOK}, (4, 5), "3 vectors, and num_goals is 5"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict, sizes: tuple[int, int], message: str):
    with pytest.raises(ValueError, match=message):
        Dads(**arguments).check(*sizes)
    Dads(features=(0, 3)).check(4, 5)


def test_features_may_be_a_list():
    given: list = [2, 0]
    assert hash(Dads(features=given)) == hash(Dads(features=(2, 0)))  # type: ignore[arg-type]


def test_it_is_found_by_name():
    assert OBJECTIVES["dads"] is Dads


def test_a_model_takes_the_observation_first_and_the_skill_second():
    objective = Dads(skills="sphere", dimension=2)
    fresh = objective.init(jax.random.key(0), 3, 4, 5)
    context = Context(None, jnp.ones((2, 3)), jnp.zeros((2, 3)), skill=jnp.ones((2, 2)))
    mean = fresh.mean(jnp.ones((2, 3)), jnp.ones((2, 2)))
    expected = -jnp.mean(log_density(-jnp.ones((2, 3)), mean, jnp.zeros(3)))
    found = objective.loss(fresh, context, jnp.array([0, 1]))
    assert float(found) == pytest.approx(float(expected), rel=1e-5)
