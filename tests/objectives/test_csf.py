"""CSF with maps and batches small enough to work out by hand."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from known_steps import (
    CONTEXT,
    GOAL,
    MOVED,
    NUM_GOALS,
    SKILL,
    fitted,
    identity,
    loss_and_gradient,
    own_ways,
    skewed,
)
from scipy.special import iv

from autotelic.objectives import OBJECTIVES, Csf, Metra
from autotelic.objectives.csf import best_length, contrastive_loss, directions
from autotelic.objectives.displacement import DisplacementParams


def params_of(objective: Csf) -> DisplacementParams:
    """Parameters whose map is the identity."""
    return objective.init(jax.random.key(0), 2, NUM_GOALS, 2)._replace(phi=identity())


@pytest.mark.usefixtures("strict_shapes")
def test_the_contrastive_loss_by_hand():
    negatives = jnp.array([[1.0, 0.0], [-1.0, 0.0]])
    moved, skill = (
        jnp.array([[math.log(2.0), 3.0], [0.0, 1.0]]),
        jnp.array([[1.0, 0.0], [0.0, 1.0]]),
    )
    # First: log 2 - 5 log((2 + 1/2) / 2); second: 1 - 5 log 1. Their mean with weights 1/2 and 3/2.
    expected = -(0.5 * (math.log(2.0) - 5 * math.log(1.25)) + 1.5 * 1.0) / 2
    found = contrastive_loss(moved, skill, negatives, 5.0, jnp.array([0.5, 1.5]))
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_the_negatives_are_an_exact_rule_in_two_dimensions():
    """mean_j exp(D^T z_j) is the mean over the circle, the Bessel function I_0(|D|)."""
    moved = jnp.array([[0.3, 0.4], [-3.0, 4.0]])
    found = jnp.mean(jnp.exp(moved @ jnp.asarray(directions(256, 2)).T), axis=-1)
    np.testing.assert_allclose(found, iv(0, [0.5, 5.0]), rtol=1e-5)


@pytest.mark.parametrize(("dimension", "tolerance"), [(2, 1e-5), (3, 0.01), (5, 0.01)])
def test_the_best_length_is_where_the_bessel_functions_say(dimension: int, tolerance: float):
    """On the sphere E[z_j^T z] under exp(k z_j^T z) is I_{d/2}(k) / I_{d/2 - 1}(k)."""
    length = best_length(5.0, 256, dimension)
    ratio = iv(dimension / 2, length) / iv(dimension / 2 - 1, length)
    assert 5.0 * ratio == pytest.approx(1.0, rel=tolerance)


def test_the_best_length_of_two_directions():
    """Both signs: xi tanh(k) = 1."""
    assert best_length(2.0, 256, 1) == pytest.approx(math.atanh(0.5), rel=1e-6)
    assert best_length(1.01, 256, 1) == pytest.approx(math.atanh(1 / 1.01), rel=1e-6)


def test_the_loss_is_the_contrast_and_the_calibration():
    objective = Csf(balance="none", negatives=16, negative_weight=3.0)
    params = params_of(objective)
    weight = jnp.ones(3)
    expected = contrastive_loss(
        jnp.asarray(MOVED), SKILL, jnp.asarray(directions(16, 2)), 3.0, weight
    ) + objective.calibration(params, CONTEXT, GOAL, weight)
    found, _ = loss_and_gradient(objective, params, CONTEXT, GOAL)
    assert float(found) == pytest.approx(float(expected), rel=1e-5)


def test_one_gradient_moves_each_parameter_by_its_own_loss():
    """phi is not bent by the calibration, and goals move by nothing."""
    objective = Csf()
    _, gradient = loss_and_gradient(objective, params_of(objective), CONTEXT, GOAL)
    calibration = jax.jit(jax.grad(objective.calibration))(
        params_of(objective), CONTEXT, GOAL, jnp.ones(3)
    )
    np.testing.assert_array_equal(gradient.codebook, np.zeros((NUM_GOALS, 2)))
    np.testing.assert_allclose(gradient.log_beta, calibration.log_beta, rtol=1e-5)
    assert float(gradient.log_beta) != 0.0
    assert gradient.log_multiplier == ()
    for part in jax.tree.leaves(calibration.phi):
        np.testing.assert_array_equal(part, np.zeros_like(part))


def test_the_reward_is_the_displacement_itself():
    objective = Csf()
    found = objective.reward(params_of(objective), CONTEXT, GOAL, jnp.full(3, 7.0))
    np.testing.assert_allclose(found, MOVED, atol=1e-6)
    metra = Metra()
    plain = metra.reward(params_of(objective), CONTEXT, GOAL, jnp.zeros(3))
    np.testing.assert_allclose(jnp.sum(found * SKILL, axis=-1), plain, atol=1e-6)


def test_posteriors_and_representation_are_metras():
    objective, metra = Csf(), Metra()
    np.testing.assert_array_equal(
        objective.log_posteriors(params_of(objective), CONTEXT),
        metra.log_posteriors(params_of(objective), CONTEXT),
    )
    np.testing.assert_array_equal(
        objective.represent(params_of(objective), CONTEXT.observation), CONTEXT.observation
    )


def test_competence_is_a_share_of_the_best_length():
    objective = Csf()
    found = objective.competence(params_of(objective), CONTEXT, GOAL)
    length = best_length(5.0, 256, 2)
    np.testing.assert_allclose(found, np.array([0.6, 0.0, 2.0]) / length, rtol=1e-5)


@pytest.mark.parametrize(
    ("balance", "drift"),
    [("none", np.array([16 / 20, 0.0])), ("centre", np.zeros(2)), ("weight", np.zeros(2))],
)
def test_goals_chosen_more_often_do_not_draw_all_skills_along(balance: str, drift: np.ndarray):
    """phi = W s with steps u for all goals: of dL/dW only the contrast is left, which is along u."""
    objective = Csf(balance=balance)
    context, goal = skewed()
    _, gradient = loss_and_gradient(objective, params_of(objective), context, goal)
    moved = np.array([0.3, 0.1])
    length = np.linalg.norm(moved)
    contrast = 5.0 * iv(1, length) / iv(0, length) * moved / length
    np.testing.assert_allclose(gradient.phi.output, np.outer(moved, contrast - drift), atol=1e-5)


def test_a_map_learns_the_directions_and_steps_of_the_best_length():
    """Four skills that step 0.1 their own way: the mean competence comes to 1 without a constraint."""
    objective = Csf()
    context, goal = own_ways(objective)
    params = objective.init(jax.random.key(0), 2, NUM_GOALS, 32)
    params = fitted(objective.loss, params, context, goal, rate=3e-3, steps=1000)
    found = objective.competence(params, context, goal)
    assert float(found.mean()) == pytest.approx(1.0, abs=0.05)
    np.testing.assert_array_equal(params.codebook, objective.vectors(NUM_GOALS))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"skills": "one_hot"}, ValueError, "skills are one_hot.*skills='sphere'"),
        ({"negatives": 1}, ValueError, "negatives must be at least 2"),
        ({"negative_weight": 1.0}, ValueError, "negative_weight must be greater than 1"),
        ({"balance": "weights"}, ValueError, "balance 'weights'.*'weight'"),
        ({"codebook": ((2.0, 0.0), (0.0, 1.0))}, ValueError, "lengths from 1 to 2"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments: dict, error: type, message: str):
    with pytest.raises(error, match=message):
        Csf(**arguments)


def test_directions_of_the_users_own_are_taken():
    objective = Csf(codebook=((0.6, 0.8), (1.0, 0.0)), skills="one_hot")
    objective.check(2, 2)
    assert objective.skill_size(2) == 2


def test_defaults_are_the_published_ones():
    assert (Csf().negatives, Csf().negative_weight, Csf().dimension) == (256, 5.0, 2)
    assert OBJECTIVES["csf"] is Csf


def test_what_the_learner_is_asked_for():
    objective = Csf()
    assert objective.vector_reward and objective.learns_first and objective.needs_start
    assert objective.gives_competence and objective.has_representation


def test_the_longest_step_is_the_same_for_all_of_any_leading_axes():
    wide = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), CONTEXT)
    assert Csf().longest(wide).shape == (2, 3)
