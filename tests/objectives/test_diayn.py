"""DIAYN's objective with a discriminator simple enough to work out by hand."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import OBJECTIVES, Context, Diayn, Objective

NUM_GOALS = 3
# The logits are the observation's entries (all positive, so that ReLU lets them through).
OBSERVATION = np.log([[1, 2, 1], [5, 3, 2], [6, 1, 1], [1, 1, 1]]) + 1.0
NEXT_OBSERVATION = np.log([[2, 1, 1], [1, 1, 8], [1, 3, 1], [1, 1, 2]]) + 1.0
Q = np.array([[0.25, 0.5, 0.25], [0.5, 0.3, 0.2], [0.75, 0.125, 0.125], [1 / 3, 1 / 3, 1 / 3]])
NEXT_Q = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.2, 0.6, 0.2], [0.25, 0.25, 0.5]])
GOAL = np.array([1, 2, 0, 2])
CONTEXT = Context(None, jnp.asarray(OBSERVATION), jnp.asarray(NEXT_OBSERVATION))
CERTAINTY = {"obs": np.array([0.5, 0.2, 0.75, 1 / 3]), "next_obs": np.array([0.25, 0.8, 0.2, 0.5])}


def pass_through() -> Mlp:
    """A discriminator whose logits are its inputs."""
    network = jax.tree.map(jnp.zeros_like, Mlp([3], 3, NUM_GOALS, key=jax.random.key(0)))
    eye = jnp.eye(3)
    return eqx.tree_at(lambda n: (n.inputs[0], n.hidden, n.output), network, (eye, eye, eye))


@pytest.mark.parametrize("reward_state", ["obs", "next_obs"])
def test_loss_is_the_cross_entropy_of_the_judged_state(reward_state: str):
    found = Diayn(reward_state=reward_state).loss(pass_through(), CONTEXT, jnp.asarray(GOAL))
    expected = -sum(math.log(q) for q in CERTAINTY[reward_state]) / 4
    assert float(found) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("reward_state", ["obs", "next_obs"])
def test_gradient_of_the_loss_is_posterior_minus_one_hot(reward_state: str):
    objective = Diayn(reward_state=reward_state)
    gradient = jax.grad(objective.loss)(pass_through(), CONTEXT, jnp.asarray(GOAL))
    posteriors = Q if reward_state == "obs" else NEXT_Q
    expected = (posteriors - np.eye(NUM_GOALS)[GOAL]).mean(axis=0)
    np.testing.assert_allclose(gradient.output_bias, expected, atol=1e-6)


@pytest.mark.parametrize("reward_state", ["obs", "next_obs"])
def test_reward_is_log_certainty_less_log_prior(reward_state: str):
    prior = np.array([0.5, 0.1, 0.9, 1 / 3])  # of each transition's own goal
    found = Diayn(reward_state=reward_state).reward(
        pass_through(), CONTEXT, jnp.asarray(GOAL), jnp.log(prior)
    )
    expected = [math.log(q / p) for q, p in zip(CERTAINTY[reward_state], prior, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_rewards_have_the_shape_of_their_goals():
    log_prior = jnp.zeros(len(GOAL))
    flat = Diayn().reward(pass_through(), CONTEXT, jnp.asarray(GOAL), log_prior)
    square = jax.tree.map(lambda x: x.reshape(2, 2, *x.shape[1:]), CONTEXT)
    found = Diayn().reward(
        pass_through(), square, jnp.asarray(GOAL).reshape(2, 2), log_prior.reshape(2, 2)
    )
    np.testing.assert_allclose(found.reshape(-1), flat, rtol=1e-6)
    one = jax.tree.map(lambda x: x[1], CONTEXT)
    alone = Diayn().reward(pass_through(), one, jnp.asarray(GOAL[1]), jnp.zeros(()))
    np.testing.assert_allclose(alone, flat[1], rtol=1e-6)


@pytest.mark.parametrize("reward_state", ["obs", "next_obs"])
def test_posteriors_are_of_the_next_state_whatever_the_reward_judges(reward_state: str):
    found = Diayn(reward_state=reward_state).log_posteriors(pass_through(), CONTEXT)
    np.testing.assert_allclose(jnp.exp(found), NEXT_Q, rtol=1e-5)
    one = Diayn(reward_state=reward_state).log_posteriors(
        pass_through(), Context(None, CONTEXT.observation[1], CONTEXT.next_observation[1])
    )
    np.testing.assert_allclose(jnp.exp(one), NEXT_Q[1], rtol=1e-5)


def test_certainty_stays_finite_when_a_goal_is_ruled_out():
    far = Context(None, CONTEXT.observation, jnp.array([[1.0, 1.0, 500.0]]))
    found = Diayn().reward(pass_through(), far, jnp.array([0]), jnp.zeros(1))
    np.testing.assert_allclose(found, [-499.0], rtol=1e-5)


def test_features_are_all_that_the_discriminator_sees():
    objective = Diayn(features=(2, 0))
    params = objective.init(jax.random.key(0), 5, NUM_GOALS, hidden_units=4)
    assert params.inputs[0].shape == (2, 4)
    observation = jax.random.normal(jax.random.key(1), (6, 5))
    seen = objective.log_posteriors(params, Context(None, observation, observation))
    alone = observation[:, jnp.array([2, 0])]
    expected = Diayn().log_posteriors(params, Context(None, alone, alone))
    np.testing.assert_allclose(seen, expected, rtol=1e-6)
    assert Diayn().init(jax.random.key(0), 5, NUM_GOALS, 4).inputs[0].shape == (5, 4)


def test_goals_are_embedded_one_hot():
    found = Diayn().embed(jnp.array([[2, 0]]), NUM_GOALS)
    np.testing.assert_array_equal(found, [[[0, 0, 1], [1, 0, 0]]])
    assert Diayn().skill_size(NUM_GOALS) == NUM_GOALS


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"reward_state": "next_ob"}, ValueError, "reward_state 'next_ob'.*'next_obs'"),
        ({"reward_prior": "uniformly"}, ValueError, "reward_prior 'uniformly'.*'uniform'"),
        ({"prior_floor": -1e-6}, ValueError, "prior_floor"),
        ({"prior_floor": math.nan}, ValueError, "prior_floor"),
        ({"prior_floor": 1.5}, ValueError, "prior_floor"),
        ({"features": ()}, ValueError, "features"),
        ({"features": (0, -1)}, ValueError, "features.*-1"),
        ({"features": (0.5,)}, TypeError, "features.*0.5"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments: dict, error: type, message: str):
    with pytest.raises(error, match=message):
        Diayn(**arguments)


@pytest.mark.parametrize("floor", [0.0, 1.0])
def test_a_floor_may_be_none_at_all_or_one(floor: float):
    assert Diayn(prior_floor=floor).prior_floor == floor


def test_defaults_are_the_documented_ones():
    assert Diayn() == Diayn("next_obs", "uniform", 1e-6, None)
    assert not Diayn().needs_start  # replay keeps no start for it


def test_features_may_be_a_list():
    given: list = [2, 0]
    assert Diayn(features=given) == Diayn(features=(2, 0))  # type: ignore[arg-type]
    hash(Diayn(features=given))  # type: ignore[arg-type]


def test_features_beyond_the_observation_are_refused():
    Diayn(features=(0, 4)).check(5, NUM_GOALS)
    with pytest.raises(ValueError, match=r"\[5, 7\].*0 to 4"):
        Diayn(features=(0, 5, 7)).check(5, NUM_GOALS)


def test_objectives_are_found_by_name():
    assert OBJECTIVES["diayn"] is Diayn


def reward_log_priors(reward_prior: str, prior: np.ndarray) -> np.ndarray:
    """log p(g) in the reward of three transitions, one a goal, made under p = (0.6, 0.3, 0.1)."""
    objective = Diayn(reward_prior=reward_prior, prior_floor=0.0)
    collected = jnp.log(jnp.array([0.6, 0.3, 0.1]))
    current = jnp.asarray(objective.log_prior(prior))
    return np.asarray(objective.log_prior_of(jnp.arange(3), current, collected))


def test_the_reward_takes_the_prior_that_is_asked_for():
    now = np.array([0.2, 0.2, 0.6])
    expected = {"current": now, "at_collection": [0.6, 0.3, 0.1], "uniform": [1 / 3] * 3}
    for reward_prior, prior in expected.items():
        np.testing.assert_allclose(
            np.exp(reward_log_priors(reward_prior, now)), prior, rtol=1e-5, err_msg=reward_prior
        )
    even = np.full(3, 1 / 3)
    np.testing.assert_allclose(
        reward_log_priors("current", even), reward_log_priors("uniform", even), rtol=1e-6
    )


def test_the_floor_is_added_to_the_prior():
    found = Diayn(prior_floor=0.1).log_prior(np.array([0.0, 0.9]))
    np.testing.assert_allclose(found, np.log([0.1, 1.0]), atol=1e-12)
    uniform = Diayn(prior_floor=0.25).log_prior_of(jnp.array([0]), jnp.zeros(4), None)
    np.testing.assert_allclose(uniform, np.log(0.5), rtol=1e-6)


def test_an_objective_asks_for_nothing_and_promises_nothing_by_itself():
    assert Objective.learns
    silent = (
        *(
            "needs_end",
            "needs_skill",
            "learns_first",
            "vector_reward",
            "gives_competence",
            "has_representation",
        ),
        *("judges_raw", "gives_success", "has_places", "moving_goals", "explores"),
    )
    assert not any(getattr(Objective, name) for name in silent)
    assert (Objective.reachable, Objective.hindsight, Objective.hindsight_share) == (
        None,
        "none",
        0.0,
    )


def test_what_an_objective_does_not_know_it_refuses_by_name():
    own = Diayn()
    for call, message in (
        (lambda: own.competence(None, CONTEXT, jnp.asarray(GOAL)), "Diayn gives no competence"),
        (lambda: own.represent(None, CONTEXT.observation), "Diayn has no representation"),
        (lambda: own.skill_towards(None, *CONTEXT[1:3]), "Diayn does not say which skill leads"),
        (lambda: own.success(np.zeros((1, 2)), np.ones((1, 2))), "Diayn knows no success"),
        (lambda: own.goal_places(None), "the goals of Diayn are no places"),
        (lambda: own.achieved(CONTEXT.observation), "the goals of Diayn are no places"),
        (lambda: own.fulfilled(CONTEXT.observation), "Diayn knows no hindsight"),
    ):
        with pytest.raises(NotImplementedError, match=message):
            call()
