"""CIC's objective: its two terms by hand, and together with networks that add their inputs."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Cic, Context
from autotelic.objectives.cic import CLIP, WIDTH, CicParams, contrast, particle_entropy
from autotelic.objectives.codebook import unit

LIKENESS = jnp.log(jnp.array([[2.0, 3.0, 9.0], [1.0, 4.0, 2.0], [9.0, 5.0, 5.0]]))
CODEBOOK = ((1.0, 0.0), (0.0, 1.0), (3.0, 4.0))
# Transitions are s + s': (3, 4) and (4, 0); skills are those of the goals 0 and 2.
CONTEXT = Context(
    None,
    jnp.array([[1.0, 1.0], [1.0, 0.0]]),
    jnp.array([[2.0, 3.0], [3.0, 0.0]]),
    skill=jnp.array([[1.0, 0.0], [3.0, 4.0]]),
)
GOAL = jnp.array([0, 2])
PRIOR = jnp.array([-1.0, -9.0])


@pytest.fixture
def params(summing: Callable[[int, int], Mlp]) -> CicParams:
    return CicParams(summing(1, 2), summing(2, 2), summing(1, 2), jnp.array(CODEBOOK))


def test_an_item_is_contrasted_with_those_of_other_goals():
    found = contrast(LIKENESS, jnp.array([0, 1, 0]))
    # 2 against the mean of 2 and 3; 4 against that of 1, 4 and 2; 5 against that of 5 and 5.
    np.testing.assert_allclose(found, np.log([2 / 2.5, 4 / (7 / 3), 1]), atol=1e-6)


def test_items_of_the_same_goal_are_no_examples_against_it():
    goal = jnp.array([0, 1, 0])
    other = LIKENESS.at[0, 2].set(50.0).at[2, 0].set(-50.0)
    np.testing.assert_array_equal(contrast(other, goal), contrast(LIKENESS, goal))
    np.testing.assert_allclose(contrast(LIKENESS, jnp.zeros(3, int)), 0.0, atol=1e-6)


def test_the_contrast_is_at_most_the_log_of_the_batch():
    certain = 100 * jnp.eye(8)
    np.testing.assert_allclose(contrast(certain, jnp.arange(8)), math.log(8), rtol=1e-6)
    some = np.random.default_rng(0).normal(size=(8, 8))
    assert contrast(10 * some, jnp.arange(8)).max() <= math.log(8)
    shifted = contrast(some + 3.0, jnp.arange(8))  # only ratios count
    np.testing.assert_allclose(shifted, contrast(some, jnp.arange(8)), atol=1e-5)


def test_particle_entropy_is_the_log_of_distances_over_their_mean():
    # Of 0, 1 and 3 the distances are (1, 3), (1, 2) and (3, 2), their mean is 2.
    found = particle_entropy(jnp.array([[0.0], [1.0], [3.0]]))
    np.testing.assert_allclose(found, np.log1p(np.array([1, 0.75, 1.25]) - CLIP), rtol=1e-6)


def test_sixteen_neighbours_count():
    states = jnp.zeros((18, 1)).at[0].set(1.0)
    # 17 in one place are each other's neighbours; the one apart has all the distances there are.
    expected = [math.log1p(18 - CLIP)] + [0.0] * 17
    np.testing.assert_allclose(particle_entropy(states), expected, atol=1e-6)
    # With one less there, the sixteenth neighbour of each is the one apart: 32 distances of 1 in 17 x 16.
    share = 17 * 16 / 32 - CLIP
    expected = [math.log1p(share)] + [math.log1p(share / 16)] * 16
    np.testing.assert_allclose(particle_entropy(states[:-1]), expected, rtol=1e-6)


def test_particle_entropy_does_not_depend_on_place_scale_and_order():
    states = np.random.default_rng(0).normal(size=(40, 5))
    found = particle_entropy(states)
    np.testing.assert_allclose(particle_entropy(1e3 * states), found, rtol=1e-5)
    np.testing.assert_allclose(particle_entropy(states + 2.0), found, rtol=1e-4)
    np.testing.assert_allclose(particle_entropy(states[::-1]), found[::-1], rtol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_states_in_one_place_have_no_particle_entropy(count: int):
    np.testing.assert_array_equal(particle_entropy(jnp.ones((count, 3))), np.zeros(count))


def test_the_reward_is_the_sum_of_both_or_particle_entropy_alone(params: CicParams):
    # The cosines of each skill and the two transitions are (.6, 1) and (1, .6), over .5.
    term = 1.2 - math.log((math.exp(1.2) + math.exp(2.0)) / 2)
    entropy = math.log(2 - CLIP)  # two states, and one distance
    full = Cic(codebook=CODEBOOK).reward(params, CONTEXT, GOAL, PRIOR)
    np.testing.assert_allclose(full, [term + entropy] * 2, atol=1e-5)
    particle = Cic(codebook=CODEBOOK, reward_kind="particle").reward(params, CONTEXT, GOAL, PRIOR)
    np.testing.assert_allclose(particle, [entropy] * 2, atol=1e-5)
    loss = Cic(codebook=CODEBOOK).loss(params, CONTEXT, GOAL)
    assert float(loss) == pytest.approx(-term, rel=1e-4)


def test_posteriors_are_a_softmax_of_cosines_over_the_temperature(params: CicParams):
    found = Cic(codebook=CODEBOOK, temperature=0.4).log_posteriors(params, CONTEXT)
    cosines = np.array([[0.6, 0.8, 1.0], [1.0, 0.0, 0.6]])
    weights = np.exp(cosines / 0.4)
    np.testing.assert_allclose(
        jnp.exp(found), weights / weights.sum(axis=1, keepdims=True), rtol=1e-5
    )


def test_without_other_goals_there_is_nothing_to_learn(fresh: Callable[..., CicParams]):
    objective = Cic()
    params = fresh(objective, 4, 5)
    observation = np.random.default_rng(1).normal(size=(2, 6, 4))
    goal = jnp.full(6, 3)
    context = Context(None, *observation, skill=objective.embed(goal, 5))
    loss, gradient = jax.jit(jax.value_and_grad(objective.loss))(params, context, goal)
    assert float(loss) == pytest.approx(0.0, abs=1e-6)
    assert all(jnp.abs(leaf).max() < 1e-6 for leaf in jax.tree.leaves(gradient))


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="temperature must be greater than 0"):
        Cic(temperature=0.0)
    with pytest.raises(ValueError, match=r"reward_kind 'particles'.*'particle'"):
        Cic(reward_kind="particles")


def test_it_is_found_by_name():
    assert OBJECTIVES["cic"] is Cic


def test_each_network_takes_what_it_is_for():
    fresh = Cic(skills="sphere", dimension=2).init(jax.random.key(0), 3, 4, 5)
    sizes = [tuple(weight.shape for weight in own.inputs) for own in fresh[:3]]
    assert sizes == [((3, 5),), ((WIDTH, 5), (WIDTH, 5)), ((2, 5),)]
    assert [own.output.shape for own in fresh[:3]] == [(5, WIDTH)] * 3


def test_a_transition_goes_from_its_first_state_to_its_second():
    objective = Cic(skills="sphere", dimension=2)
    fresh = objective.init(jax.random.key(0), 3, 4, 5)
    here, there = jnp.ones((1, 3)), jnp.array([[0.0, 2.0, -1.0]])
    forth = fresh.prediction(fresh.state(here), fresh.state(there))
    cosines = unit(forth) @ unit(fresh.skill(fresh.codebook)).T
    found = objective.log_posteriors(fresh, Context(None, here, there))
    np.testing.assert_allclose(found, jax.nn.log_softmax(cosines / 0.5), rtol=1e-4, atol=1e-5)
