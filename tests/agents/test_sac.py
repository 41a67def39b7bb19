"""The modern agent against a slow transcription of its formulas."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from slow_losses import (
    BATCH,
    SIZES,
    VECTOR_SIZES,
    adams_first_step,
    assert_close,
    example,
    finite_differences,
    sac_losses,
    sac_value,
)

from autotelic.agents import Sac
from autotelic.agents.actor_critic import entropy_scale_loss
from autotelic.agents.base import Sizes
from autotelic.agents.sac import (
    Successor,
    draw,
    lower_psi,
    psi_loss,
    twin_q,
)
from autotelic.networks import Mlp

FIXED = Sac(entropy_scale=0.3, discount=0.9, target_rate=0.2)
TUNED = Sac(entropy_scale=0.3, tune_entropy=True, discount=0.9, target_rate=0.2)
AGENTS = {
    "fixed": FIXED,
    "no entropy": Sac(entropy_scale=0.0, discount=0.9),
    "tuned": TUNED,
    "tuned to a target": Sac(entropy_scale=0.3, tune_entropy=True, target_entropy=0.7),
    "METRA's": Sac(
        entropy_scale=0.3,
        tune_entropy=True,
        target_entropy_per_action=-0.5,
        policy_activation="tanh",
    ),
}
KINDS = {"number": SIZES, "vector": VECTOR_SIZES}
NETWORK_OF_LOSS = {"q": "twin_q", "policy": "policy", "entropy_scale": "log_entropy_scale"}


def slow_losses(agent: Sac, networks: Any, sizes: Sizes = SIZES) -> dict[str, float]:
    """The transcription's losses at these networks."""
    state, batch, rewards, noise, *_ = example(agent, sizes)
    return sac_losses(agent, networks, state.target_twin_q, batch, rewards, noise)


@pytest.mark.parametrize(
    ("agent", "sizes"),
    [*((agent, SIZES) for agent in AGENTS.values()), (FIXED, VECTOR_SIZES), (TUNED, VECTOR_SIZES)],
    ids=[*AGENTS, "vector, fixed", "vector, tuned"],
)
def test_losses_equal_the_slow_transcription(agent: Sac, sizes: Sizes):
    made = example(agent, sizes)
    expected = slow_losses(agent, made.state.networks, sizes)
    for found in (made.losses, made.losses_of_update):
        assert {name: float(loss) for name, loss in found.items()} == pytest.approx(
            expected, rel=1e-8
        )


@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", ["q", "policy"])
def test_gradients_are_those_of_the_losses(name: str, sizes: Sizes):
    """The policy's flows through the action: both twins and the density see the change."""
    networks, network = example(TUNED, sizes).state.networks, NETWORK_OF_LOSS[name]
    expected = finite_differences(
        lambda part: slow_losses(TUNED, networks._replace(**{network: part}), sizes)[name],
        getattr(networks, network),
    )
    found = getattr(example(TUNED, sizes).gradients[name], network)
    assert max(np.abs(gradient).max() for gradient in expected) > 0.01
    assert_close(jax.tree.leaves(found), expected, atol=1e-7)


@pytest.mark.parametrize(
    ("agent", "sizes"),
    [(FIXED, SIZES), (TUNED, SIZES), (TUNED, VECTOR_SIZES)],
    ids=["fixed", "tuned", "vector"],
)
def test_each_loss_moves_its_own_network_alone(agent: Sac, sizes: Sizes):
    for loss, gradient in example(agent, sizes).gradients.items():
        for network, part in gradient._asdict().items():
            moves = any(np.any(leaf != 0) for leaf in jax.tree.leaves(part))
            own = NETWORK_OF_LOSS[loss] == network
            expected = own and (network != "log_entropy_scale" or agent.tune_entropy)
            assert moves == expected, f"loss {loss!r}, gradient in {network!r}"


@pytest.mark.parametrize("agent", [FIXED, TUNED], ids=["fixed", "tuned"])
@pytest.mark.parametrize("loss", NETWORK_OF_LOSS)
def test_first_update_is_adams_first_step(agent: Sac, loss: str):
    """Where the scale is fixed its gradient is zero, and so it stays."""
    name = NETWORK_OF_LOSS[loss]
    before = getattr(example(agent).state.networks, name)
    after = getattr(example(agent).after.networks, name)
    gradient = getattr(example(agent).gradients[loss], name)
    assert_close(after, adams_first_step(before, gradient), atol=1e-6)


def test_targets_move_by_tau_towards_the_new_twins():
    before, after = example(FIXED).state, example(FIXED).after
    expected = jax.tree.map(
        lambda old, q: 0.8 * old + 0.2 * q, before.target_twin_q, after.networks.twin_q
    )
    assert_close(after.target_twin_q, expected, atol=1e-12)


def test_targets_start_as_the_twins_and_the_twins_start_apart():
    state = FIXED.init(jax.random.key(3), SIZES)
    jax.tree.map(np.testing.assert_array_equal, state.target_twin_q, state.networks.twin_q)
    first, second = state.networks.twin_q.hidden
    assert not np.array_equal(first, second)
    np.testing.assert_allclose(np.exp(state.networks.log_entropy_scale), 0.3, rtol=1e-6)


def test_entropy_scale_rises_below_the_target_entropy_and_falls_above():
    # Policy entropy is -mean(log_policy) = -1, so the slope in the log scale is -1 - target.
    slope = jax.grad(entropy_scale_loss)
    assert slope(0.5, jnp.array([0.5, 1.5]), 2.0) == -3.0
    assert slope(0.5, jnp.array([0.5, 1.5]), -2.0) == 1.0


def test_log_density_of_a_draw_is_that_of_a_squashed_gaussian():
    """Its mass over the actions is 1; far out, where tanh rounds to 1, it stays finite."""
    policy = jax.tree.map(jnp.zeros_like, Mlp([2], 1, 2, key=jax.random.key(0)))
    policy = eqx.tree_at(lambda network: network.output_bias, policy, jnp.array([0.4, -0.3]))
    # Midpoint sums over even cells of (-1, 1); the noise that leads to each action is known.
    actions = (np.arange(20_000) + 0.5) / 10_000 - 1.0
    noise = (np.arctanh(actions) - 0.4) / np.exp(-0.3)
    nothing = jnp.zeros((len(actions), 1))
    found, log_density = draw(policy, nothing, nothing, jnp.asarray(noise, jnp.float32)[:, None])
    np.testing.assert_allclose(found[:, 0], actions, atol=1e-6)
    assert np.exp(log_density).mean() * 2.0 == pytest.approx(1.0, abs=1e-4)

    policy = eqx.tree_at(lambda network: network.output_bias, policy, jnp.array([30.0, -0.3]))
    _, log_density = draw(policy, nothing[0], nothing[0], jnp.zeros(1))
    # log(1 - tanh(x) ** 2) = 2 log 2 - 2 x for large x.
    expected = -0.5 * np.log(2 * np.pi) + 0.3 - (2 * np.log(2) - 60.0)
    assert float(log_density) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("agent", [FIXED, AGENTS["no entropy"]], ids=["entropy", "no entropy"])
@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
def test_a_value_is_the_lower_q_of_an_action_less_its_scaled_log_density(agent: Sac, sizes: Sizes):
    state, batch, _, noise, *_ = example(agent, sizes)
    with jax.enable_x64(True):
        found = [
            float(agent.value(state, batch.observation[i], batch.skill[i], noise.here[i]))
            for i in range(BATCH)
        ]
        together = agent.value(state, batch.observation, batch.skill, noise.here)
    expected = [
        sac_value(agent, state.networks, np.r_[s, z], normal)
        for s, z, normal in zip(batch.observation, batch.skill, noise.here, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    np.testing.assert_allclose(together, expected, rtol=1e-8)


def test_the_spread_of_values_is_half_the_distance_of_the_twins():
    state, batch, _, noise, *_ = example(FIXED, SIZES)
    with jax.enable_x64(True):
        action, _ = draw(state.networks.policy, batch.observation, batch.skill, noise.here)
        first, second = twin_q(state.networks.twin_q, batch.observation, batch.skill, action)
        found = FIXED.value_spread(state, batch.observation, batch.skill, noise.here)
    expected = np.abs(np.asarray(first) - np.asarray(second)) / 2
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-8)
    assert expected.min() > 0


@pytest.mark.usefixtures("strict_shapes")
def test_the_target_is_the_whole_vector_of_the_twin_that_is_worth_less():
    twins = jnp.array([[[3.0, -1.0], [1.0, 1.0]], [[0.0, 5.0], [2.0, 0.5]]])
    # Along (1, 0) the second is worth less, 0 against 3; along (0, -1) the first, -1 against -0.5.
    found = lower_psi(twins, jnp.array([[1.0, 0.0], [0.0, -1.0]]))
    np.testing.assert_array_equal(found, [[0.0, 5.0], [1.0, 1.0]])


@pytest.mark.usefixtures("strict_shapes")
def test_the_loss_of_vectors_is_the_mean_over_batch_and_entries_and_not_halved():
    found = psi_loss(jnp.array([[1.0, 2.0], [0.0, 0.0]]), jnp.array([[0.0, 0.0], [0.0, 3.0]]))
    assert found == (1 + 4 + 0 + 9) / 4


def test_one_entry_of_successor_features_is_no_q():
    """A skill of one number, -1: psi = 2 is worth -2, and Q = 2 is worth 2."""
    here, skill, action = jnp.zeros((3, 1)), jnp.full((3, 1), -1.0), jnp.zeros((3, 1))
    for sizes, expected in ((Sizes(1, 1, 1, 4), 2.0), (Sizes(1, 1, 1, 4, reward=1), -2.0)):
        twins = FIXED.init(jax.random.key(0), sizes).networks.twin_q
        assert isinstance(twins, Successor) == (sizes.reward > 0)
        twins = jax.tree.map(jnp.zeros_like, twins)
        twins = eqx.tree_at(lambda network: network.output_bias, twins, jnp.full((2, 1), 2.0))
        np.testing.assert_array_equal(twin_q(twins, here, skill, action), np.full((2, 3), expected))


def test_the_policy_alone_has_another_activation():
    networks = AGENTS["METRA's"].init(jax.random.key(0), SIZES).networks
    assert (networks.policy.activation, networks.twin_q.activation) == ("tanh", "relu")
    assert FIXED.init(jax.random.key(0), SIZES).networks.policy.activation == "relu"
