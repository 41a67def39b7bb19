"""METRA and LSD with maps and batches small enough to work out by hand."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from known_steps import (
    CONTEXT,
    GOAL,
    MOVED,
    NEXT_OBSERVATION,
    NUM_GOALS,
    OBSERVATION,
    SKILL,
    fitted,
    identity,
    loss_and_gradient,
    own_ways,
    skewed,
)

from autotelic.objectives import OBJECTIVES, Context, Lsd, Metra
from autotelic.objectives.displacement import (
    DisplacementObjective,
    DisplacementParams,
    goal_weights,
    log_certainties,
)
from autotelic.objectives.metra import map_loss, multiplier_loss, room


def params_of(objective: Metra, beta: float = 1.0) -> DisplacementParams:
    """Parameters whose map is the identity."""
    params = objective.init(jax.random.key(0), 2, NUM_GOALS, 2)
    return params._replace(phi=identity(), log_beta=jnp.log(jnp.float32(beta)))


@pytest.mark.usefixtures("strict_shapes")
def test_room_is_what_the_squared_length_leaves_cut_to_the_slack():
    # Lengths squared are sums: 1, 0 and 4. By means the first would be 0.5, and within the bound.
    found = room(jnp.asarray(MOVED), jnp.ones(3), slack=0.25)
    np.testing.assert_allclose(found, [0.0, 0.25, -3.0], atol=1e-6)
    found = room(jnp.asarray(MOVED), jnp.array([1.0, 0.1, 9.0]), slack=0.25)
    np.testing.assert_allclose(found, [0.0, 0.1, 0.25], atol=1e-6)


@pytest.mark.usefixtures("strict_shapes")
def test_losses_of_map_and_multiplier_by_hand():
    skill, left, weight = SKILL, jnp.array([0.0, 0.25, -3.0]), jnp.array([0.5, 0.5, 2.0])
    # w (D^T z + 2 c): 0.5 (0.6 + 0), 0.5 (0 + 0.5), 2 (2 - 6); their sum is -7.45.
    found = map_loss(jnp.asarray(MOVED), skill, left, jnp.log(2.0), weight)
    assert float(found) == pytest.approx(7.45 / 3, rel=1e-6)
    # w c: 0, 0.125, -6; their sum is -5.875.
    found = multiplier_loss(jnp.log(2.0), left, weight)
    assert float(found) == pytest.approx(-math.log(2.0) * 5.875 / 3, rel=1e-6)


def test_a_descent_step_raises_the_multiplier_of_a_broken_constraint_and_lowers_that_of_a_kept_one():
    slope = jax.grad(multiplier_loss)
    weight = jnp.ones(2)
    assert slope(jnp.zeros(()), jnp.array([-3.0, 0.25]), weight) == -1.375
    assert slope(jnp.zeros(()), jnp.array([0.25, 0.25]), weight) == 0.25


@pytest.mark.parametrize(
    ("objective", "left"),
    [
        (Metra(balance="none", slack=0.25), [0.0, 0.25, -3.0]),
        (Lsd(balance="none", slack=0.25), [0.0, 0.0, 0.0]),  # phi keeps distances here
    ],
)
def test_the_loss_is_both_and_the_calibration(objective: Metra, left: list[float]):
    params = params_of(objective)
    found, _ = loss_and_gradient(objective, params, CONTEXT, GOAL)
    weight = jnp.ones(3)
    expected = (
        map_loss(jnp.asarray(MOVED), SKILL, jnp.asarray(left), jnp.log(jnp.float32(30.0)), weight)
        + multiplier_loss(jnp.log(jnp.float32(30.0)), jnp.asarray(left), weight)
        + objective.calibration(params, CONTEXT, GOAL, weight)
    )
    assert float(found) == pytest.approx(float(expected), rel=1e-5)


def test_one_gradient_moves_each_parameter_by_its_own_loss():
    """phi by L_phi with lambda = 30, log lambda by E[c], log beta by the cross-entropy, goals by none."""
    objective = Metra(balance="none", slack=0.25)
    _, gradient = loss_and_gradient(objective, params_of(objective), CONTEXT, GOAL)
    assert float(gradient.log_multiplier) == pytest.approx((0.0 + 0.25 - 3.0) / 3, rel=1e-5)
    np.testing.assert_array_equal(gradient.codebook, np.zeros((NUM_GOALS, 2)))
    # Travelled since the start: (0.6, 0.8), (0.5, 0), (0, 2); d CE / d beta = E[logits under q] - own logit.
    expected = 0.0
    for travelled, own in zip([(0.6, 0.8), (0.5, 0.0), (0.0, 2.0)], [0, 2, 1], strict=True):
        logits = np.array([travelled[0], travelled[1], -travelled[0], -travelled[1]])
        q = np.exp(logits) / np.exp(logits).sum()
        expected += (q @ logits - logits[own]) / 3
    assert float(gradient.log_beta) == pytest.approx(expected, rel=1e-4)

    # The last layer's gradient: dL/dD = -(z - 2 lambda D) where the constraint binds, over the batch,
    # times the change of the hidden units, which are the observations.
    slope = -np.asarray(SKILL) / 3
    slope[2] += 2 * 30 * MOVED[2] / 3
    slope[0] += 2 * 30 * MOVED[0] / 3  # room 0 is below the slack
    hidden = np.asarray(NEXT_OBSERVATION - OBSERVATION)
    np.testing.assert_allclose(gradient.phi.output, hidden.T @ slope, rtol=1e-4, atol=1e-5)


def test_the_calibration_reaches_log_beta_alone():
    objective = Metra()
    gradient = jax.jit(jax.grad(objective.calibration))(
        params_of(objective), CONTEXT, GOAL, jnp.ones(3)
    )
    assert float(gradient.log_beta) != 0.0
    for part in jax.tree.leaves((gradient.phi, gradient.codebook, gradient.log_multiplier)):
        np.testing.assert_array_equal(part, np.zeros_like(part))


def test_adam_leaves_the_codebook_exactly_as_it_is():
    objective = Metra(skills="one_hot", balance="weight")
    params = objective.init(jax.random.key(0), 2, 3, 4)
    context = CONTEXT._replace(skill=objective.embed(GOAL, 3))
    after = fitted(objective.loss, params, context, GOAL, rate=0.1, steps=3)
    np.testing.assert_array_equal(after.codebook, params.codebook)
    assert float(after.log_beta) != float(params.log_beta)


@pytest.mark.parametrize("objective", [Metra(), Lsd()])
def test_the_reward_is_the_way_made_in_the_skills_direction(objective: Metra):
    found = objective.reward(params_of(objective), CONTEXT, GOAL, jnp.full(3, 7.0))
    np.testing.assert_allclose(found, [0.6, 0.0, 2.0], atol=1e-6)
    # Of the skill that was pursued, which jitter may have turned.
    turned = CONTEXT._replace(skill=jnp.asarray([[0.0, 1.0]] * 3))
    found = objective.reward(params_of(objective), turned, GOAL, jnp.zeros(3))
    np.testing.assert_allclose(found, [0.8, 0.0, 2.0], atol=1e-6)


def test_posteriors_are_of_the_way_since_the_start():
    objective = Metra()
    found = np.exp(objective.log_posteriors(params_of(objective, beta=2.0), CONTEXT))
    # The second step led nowhere, and yet its pursuit has come half a unit to the right.
    for row, travelled in zip(found, [(0.6, 0.8), (0.5, 0.0), (0.0, 2.0)], strict=True):
        right, up = 2 * np.array(travelled)
        logits = np.array([right, up, -right, -up])
        np.testing.assert_allclose(row, np.exp(logits) / np.exp(logits).sum(), rtol=1e-4)
    one = jax.tree.map(lambda x: x[0], CONTEXT)
    alone = objective.log_posteriors(params_of(objective, beta=2.0), one)
    np.testing.assert_allclose(np.exp(alone), found[0], rtol=1e-5)


def test_beta_is_learned_where_the_posteriors_are_right_as_often_as_they_say():
    """Of two goals, that of the way's sign is right 4 times in 5: 2 beta = log(0.8 / 0.2)."""
    objective = Metra(dimension=1)
    first_entry = eqx.tree_at(
        lambda n: (n.output, n.output_bias), identity(), (jnp.eye(2)[:, :1], jnp.zeros(1))
    )
    params = objective.init(jax.random.key(0), 2, 2, 2)._replace(phi=first_entry)
    start = jnp.ones((5, 2))
    context = Context(start, start, start.at[:, 0].add(1.0), skill=jnp.ones((5, 1)))
    goal = jnp.array([0, 0, 0, 0, 1])
    params = fitted(
        lambda params, context, goal: objective.calibration(params, context, goal, jnp.ones(5)),
        params,
        context,
        goal,
        rate=0.02,
        steps=300,
    )
    assert float(jnp.exp(params.log_beta)) == pytest.approx(0.5 * math.log(4.0), rel=1e-3)


def test_competence_is_the_share_of_the_longest_step():
    objective, nearer = Metra(), Lsd()
    found = objective.competence(params_of(objective), CONTEXT, GOAL)
    np.testing.assert_allclose(found, [0.6, 0.0, 2.0], atol=1e-6)  # 2: the constraint is broken
    found = nearer.competence(params_of(nearer), CONTEXT, GOAL)
    np.testing.assert_allclose(found, [0.6, 0.0, 1.0], atol=1e-6)  # no way made is no progress
    # A skill's length has no part in it.
    longer = CONTEXT._replace(skill=3.0 * SKILL)
    found = objective.competence(params_of(objective), longer, GOAL)
    np.testing.assert_allclose(found, [0.6, 0.0, 2.0], atol=1e-6)


def test_the_representation_is_the_map():
    objective = Metra()
    found = objective.represent(params_of(objective), jnp.array([[[2.0, 5.0]]]))
    np.testing.assert_allclose(found, [[[2.0, 5.0]]])


def test_the_skill_towards_a_state_is_the_direction_of_the_way_there():
    objective, here = Metra(), jnp.array([[2.0, 5.0], [1.0, 1.0]])
    found = objective.skill_towards(params_of(objective), here, jnp.array([[5.0, 1.0], [1.0, 1.0]]))
    np.testing.assert_allclose(
        found, [[0.6, -0.8], [0.0, 0.0]], rtol=1e-6
    )  # or none, at the target


def test_one_hot_skills_are_centred_codes():
    objective = Metra(skills="one_hot")
    assert objective.skill_size(3) == 3
    params = objective.init(jax.random.key(0), 2, 3, 4)
    assert params.phi.output.shape == (4, 3)
    assert float(params.log_beta) == 0.0  # beta starts at 1
    expected = [[1.0, -0.5, -0.5], [-0.5, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    np.testing.assert_allclose(params.codebook, expected, atol=1e-6)
    np.testing.assert_allclose(objective.embed(jnp.arange(3), 3), expected, atol=1e-6)


def test_goal_weights_let_every_goal_in_the_batch_count_the_same():
    # Shares 1/2, 1/4, 1/4 of three goals; the fourth is not there.
    found = goal_weights(jnp.array([2, 0, 2, 3]), NUM_GOALS)
    np.testing.assert_allclose(found, [2 / 3, 4 / 3, 2 / 3, 4 / 3], rtol=1e-6)


@pytest.mark.parametrize(
    ("balance", "drift"),
    [
        ("none", np.array([16 / 20, 0.0])),  # E[z] = (17 - 1) / 20 to the right
        ("centre", np.zeros(2)),
        ("weight", np.zeros(2)),
    ],
)
def test_goals_chosen_more_often_do_not_draw_all_skills_along(balance: str, drift: np.ndarray):
    """phi = W s with steps u for all goals: dL/dW = -u E[z]^T, which only `none` leaves."""
    objective = Metra(balance=balance, slack=0.0, multiplier=1e-6)
    context, goal = skewed()
    _, gradient = loss_and_gradient(objective, params_of(objective), context, goal)
    expected = -np.outer([0.3, 0.1], drift)
    np.testing.assert_allclose(gradient.phi.output, expected, atol=1e-5)


@pytest.mark.parametrize("balance", ["centre", "weight"])
def test_balanced_batches_are_left_as_they_are(balance: str):
    """With equal shares of goals whose mean is 0 both are the published loss."""
    goal = jnp.array([0, 1, 2, 3])
    context = Context(
        jnp.ones((4, 2)),
        jnp.ones((4, 2)),
        jnp.array([[1.5, 1.2], [1.0, 1.9], [1.3, 1.0], [2.0, 2.0]]),
        skill=Metra().embed(goal, NUM_GOALS),
    )
    objective, plain = Metra(balance=balance), Metra(balance="none")
    found = loss_and_gradient(objective, params_of(objective), context, goal)
    expected = loss_and_gradient(plain, params_of(plain), context, goal)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), found, expected)


def test_weights_count_in_the_whole_loss():
    """A batch with a goal's items doubled has the weighted loss of the batch without."""
    goal = jnp.array([0, 1, 2])
    here = jnp.ones((3, 2))
    context = Context(
        here,
        here,
        jnp.array([[1.5, 1.2], [1.0, 3.9], [1.3, 1.0]]),
        skill=Metra().embed(goal, NUM_GOALS),
    )
    rows = jnp.array([0, 1, 1, 1, 2])
    more = jax.tree.map(lambda x: x[rows], context)
    objective = Metra(balance="weight")
    expected = loss_and_gradient(objective, params_of(objective), context, goal)
    found = loss_and_gradient(objective, params_of(objective), more, goal[rows])
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected
    )


def test_a_map_learns_the_directions_and_keeps_to_the_constraint():
    """Four skills that step 0.1 their own way: phi learns to make each a step of length 1 along z."""
    objective = Metra(multiplier=1.0)
    context, goal = own_ways(objective)
    params = objective.init(jax.random.key(0), 2, NUM_GOALS, 32)
    params = fitted(objective.loss, params, context, goal, rate=3e-3, steps=1500)
    found = objective.competence(params, context, goal)
    assert float(found.mean()) == pytest.approx(1.0, abs=0.1)
    assert float(found.max()) < 1.25


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"balance": "center"}, ValueError, "balance 'center'.*'centre'"),
        ({"distance": "temporary"}, ValueError, "distance 'temporary'.*'temporal'"),
        ({"slack": -1e-3}, ValueError, "slack"),
        ({"multiplier": 0.0}, ValueError, "multiplier must be greater than 0"),
        ({"skills": "spheres"}, ValueError, "skills 'spheres'"),
    ],
)
@pytest.mark.parametrize("kind", [Metra, Lsd])
def test_settings_that_cannot_work_are_refused(
    kind: type, arguments: dict, error: type, message: str
):
    with pytest.raises(error, match=message):
        kind(**arguments)


def test_a_lone_goal_cannot_be_centred():
    with pytest.raises(ValueError, match=r"num_goals is 1.*balance='none'"):
        Metra().check(2, 1)
    Metra(balance="none").check(2, 1)
    Metra(jitter=0.1).check(2, 1)
    Metra().check(2, 2)
    with pytest.raises(ValueError, match="codebook has 1 vectors"):
        Metra(codebook=((1.0, 0.0),)).check(2, 2)


def test_the_two_differ_in_the_distance_alone():
    assert (Metra().distance, Lsd().distance) == ("temporal", "euclidean")
    assert vars(Lsd(distance="temporal")) == vars(Metra())
    assert (Metra().slack, Metra().multiplier, Metra().balance) == (1e-3, 30.0, "centre")
    np.testing.assert_allclose(np.exp(params_of(Metra()).log_multiplier), 30.0, rtol=1e-6)
    assert (OBJECTIVES["metra"], OBJECTIVES["lsd"]) == (Metra, Lsd)


def test_what_the_learner_is_asked_for():
    for objective in (Metra(), Lsd()):
        assert objective.needs_start and objective.learns_first
        assert objective.gives_competence and objective.has_representation
        assert not objective.needs_skill and not objective.vector_reward
    assert Metra(jitter=0.1).needs_skill


def test_certainties_stay_finite_far_from_the_start():
    far = log_certainties(jnp.array([1e4, 0.0]), params_of(Metra()).codebook, jnp.zeros(()))
    np.testing.assert_allclose(far, [0.0, -1e4, -2e4, -1e4], rtol=1e-6)


def test_posteriors_are_of_the_way_from_the_start_and_not_back():
    # From (1, 1) to (1, 3) is up, the second of four directions.
    context = Context(jnp.ones((1, 2)), jnp.ones((1, 2)), jnp.array([[1.0, 3.0]]), skill=SKILL[:1])
    found = Metra().log_posteriors(params_of(Metra()), context)
    expected = np.array([0.0, 2.0, 0.0, -2.0])
    np.testing.assert_allclose(
        found[0], expected - np.log(np.exp(expected).sum()), rtol=1e-5, atol=1e-5
    )


def test_the_calibration_is_a_mean_over_the_batch():
    params, objective = params_of(Metra()), Metra()
    context, goal = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), (CONTEXT, GOAL))
    once = objective.calibration(params, CONTEXT, GOAL, jnp.ones(3))
    again = objective.calibration(params, context, goal, jnp.ones(6))
    np.testing.assert_allclose(once, again, rtol=1e-6)


@pytest.mark.parametrize("objective", [Metra(), Lsd()])
def test_steps_may_have_any_leading_axes(objective: Metra):
    wide = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), CONTEXT)
    distances = objective.squared_distance(wide)
    assert distances.shape == (2, 3)
    left = room(jnp.stack([MOVED, MOVED]), distances, slack=10.0)
    flat = room(jnp.asarray(MOVED), objective.squared_distance(CONTEXT), slack=10.0)
    np.testing.assert_array_equal(left, jnp.stack([flat, flat]))


def test_how_long_a_step_can_be_is_each_objective_s_own():
    assert DisplacementObjective.longest is not Metra.longest
    with pytest.raises(NotImplementedError):
        DisplacementObjective.longest(Metra(), CONTEXT)
