"""The agent for discrete actions: by hand, by its laws, and against a slow transcription."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from slow_losses import (
    SIZES,
    adams_first_step,
    assert_close,
    discrete_sac_losses,
    example,
    finite_differences,
)

from autotelic.agents import Batch, DiscreteSac
from autotelic.agents.base import Sizes
from autotelic.agents.discrete_sac import (
    Networks,
    entropy,
    one_hot_of_largest,
    policy_loss,
    soft_value,
)
from autotelic.networks import Mlp

FIXED = DiscreteSac(entropy_scale=0.3, discount=0.9, target_rate=0.2)
TUNED = DiscreteSac(entropy_scale=0.3, tune_entropy=True, discount=0.9, target_rate=0.2)
AGENTS = {
    "fixed": FIXED,
    "no entropy": DiscreteSac(entropy_scale=0.0, discount=0.9),
    "tuned": TUNED,
    "tuned to a share": DiscreteSac(0.3, tune_entropy=True, target_entropy_share=0.9),
}
NETWORK_OF_LOSS = {"q": "twin_q", "policy": "policy", "entropy_scale": "log_entropy_scale"}

# Chances of 1/4 and 3/4, whose entropy is 1/4 log 4 + 3/4 log 4/3 = 0.562335.
QUARTERS = jnp.log(jnp.array([0.25, 0.75]))
ENTROPY = 0.562335


def constant(*outputs: float) -> Mlp:
    """A network that gives these outputs whatever it sees."""
    network = Mlp([2], 1, len(outputs), key=jax.random.key(0))
    zeros = jax.tree.map(jnp.zeros_like, network)
    return eqx.tree_at(lambda tree: tree.output_bias, zeros, jnp.array(outputs))


def twins(first: tuple[float, ...], second: tuple[float, ...]) -> Mlp:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), constant(*first), constant(*second))


def test_the_value_is_the_expected_q_and_the_scaled_entropy():
    assert float(entropy(QUARTERS)) == pytest.approx(ENTROPY, abs=1e-6)
    # 1/4 x 1 + 3/4 x 3 = 2.5, and half the entropy.
    value = soft_value(QUARTERS, jnp.array([1.0, 3.0]), 0.5)
    assert float(value) == pytest.approx(2.5 + 0.5 * ENTROPY, abs=1e-6)
    both = soft_value(jnp.stack([QUARTERS, QUARTERS[::-1]]), jnp.array([[1.0, 3.0]] * 2), 0.0)
    np.testing.assert_allclose(both, [2.5, 1.5], rtol=1e-6)


def test_the_policy_loss_is_less_the_mean_value():
    log_policy = jnp.stack([QUARTERS, jnp.log(jnp.array([0.5, 0.5]))])
    q = jnp.array([[1.0, 3.0], [4.0, 2.0]])
    # Values without entropy: 2.5 and 3; entropies 0.562335 and log 2 = 0.693147.
    expected = -(2.5 + 3.0) / 2 - 0.2 * (ENTROPY + 0.693147) / 2
    assert float(policy_loss(log_policy, q, 0.2)) == pytest.approx(expected, abs=1e-6)


def test_losses_by_hand():
    agent = DiscreteSac(0.5, tune_entropy=True, target_entropy_share=0.5, discount=0.9)
    networks = Networks(
        policy=constant(0.0, float(np.log(3.0))),  # 1/4 and 3/4
        twin_q=twins((1.0, 3.0), (2.0, 0.0)),  # the smaller: 1 and 0
        log_entropy_scale=jnp.log(0.5),
    )
    target = twins((4.0, 2.0), (3.0, 5.0))  # the smaller: 3 and 2
    batch = Batch(
        observation=jnp.zeros((2, 1)),
        action=jnp.eye(2),  # the first of one state, the second of the other
        next_observation=jnp.zeros((2, 1)),
        terminated=jnp.array([0.0, 1.0]),
        skill=jnp.zeros((2, 1)),
    )
    losses = agent.losses(networks, target, batch, jnp.array([1.0, -1.0]), ())
    # Beyond s' there is 1/4 x 3 + 3/4 x 2 = 2.25 and half the entropy; nothing beyond an end.
    first, second = 1.0 + 0.9 * (2.25 + 0.5 * ENTROPY), -1.0
    # Halves of squares, the mean of two rows: Q = 1 and 3 of the first twin, 2 and 0 of the other.
    errors = (first - 1.0) ** 2 + (second - 3.0) ** 2 + (first - 2.0) ** 2 + (second - 0.0) ** 2
    assert float(losses["q"]) == pytest.approx(errors / 4, abs=1e-5)
    assert float(losses["q"]) == pytest.approx(5.955733, abs=1e-5)
    assert float(losses["policy"]) == pytest.approx(-(0.25 + 0.5 * ENTROPY), abs=1e-6)
    # The entropy exceeds its target, half of log 2, by 0.215761, so the scale is to fall.
    expected = float(np.log(0.5)) * (ENTROPY - 0.5 * 0.693147)
    assert float(losses["entropy_scale"]) == pytest.approx(expected, abs=1e-6)
    fixed = DiscreteSac(0.5, discount=0.9)
    assert float(fixed.losses(networks, target, batch, jnp.zeros(2), ())["entropy_scale"]) == 0.0


def test_the_best_policy_is_the_softmax_of_q_and_its_value_a_log_sum_exp():
    """max over pi of sum pi (Q - alpha log pi) = alpha log sum exp(Q / alpha), at pi = softmax(Q / alpha)."""
    generator = np.random.default_rng(0)
    q, scale = jnp.array(generator.normal(size=(50, 4))), 0.7
    best = soft_value(jax.nn.log_softmax(q / scale), q, scale)
    np.testing.assert_allclose(best, scale * jax.nn.logsumexp(q / scale, axis=-1), rtol=1e-5)
    others = jax.nn.log_softmax(jnp.array(generator.normal(size=(50, 4))))
    assert np.all(soft_value(others, q, scale) < best)


@pytest.mark.thorough
def test_the_value_of_a_state_is_exact_whatever_the_noise():
    agent = DiscreteSac(0.5)
    state = agent.init(jax.random.key(0), Sizes(1, 2, 1, 3))
    networks = Networks(
        constant(*map(float, QUARTERS)), twins((1.0, 3.0), (2.0, 0.0)), jnp.log(0.5)
    )
    state = state._replace(networks=networks)
    for key in (0, 1):
        noise = agent.acting_noise(jax.random.key(key), (3,), 2)
        found = agent.value(state, jnp.zeros((3, 1)), jnp.zeros((3, 1)), noise)
        np.testing.assert_allclose(found, [0.25 + 0.5 * ENTROPY] * 3, rtol=1e-5)
    # The twins say 2.5 and 0.5.
    spread = agent.value_spread(state, jnp.zeros((3, 1)), jnp.zeros((3, 1)), noise)
    np.testing.assert_allclose(spread, [1.0] * 3, rtol=1e-5)
    without = DiscreteSac(0.0).value(state, jnp.zeros(1), jnp.zeros(1), noise[0])
    assert float(without) == pytest.approx(0.25)


def test_actions_are_one_hot_and_as_frequent_as_the_policy_says():
    policy = constant(0.0, float(np.log(3.0)), float(np.log(4.0)))
    noise = FIXED.acting_noise(jax.random.key(0), (20_000,), 3)
    nothing = jnp.zeros((20_000, 1))
    actions = FIXED.act(policy, nothing, nothing, noise)
    np.testing.assert_array_equal(np.unique(actions), [0.0, 1.0])
    np.testing.assert_array_equal(actions.sum(axis=-1), 1.0)
    # Chances 1/8, 3/8 and 4/8; the standard error is at most 0.0035.
    np.testing.assert_allclose(actions.mean(axis=0), [0.125, 0.375, 0.5], atol=0.012)
    best = FIXED.act_deterministically(policy, nothing[0], nothing[0])
    np.testing.assert_array_equal(best, [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(one_hot_of_largest(jnp.array([2.0, 2.0, 1.0])), [1.0, 0.0, 0.0])


def slow_losses(agent: DiscreteSac, networks: Any) -> dict[str, float]:
    """The transcription's losses at these networks."""
    state, batch, rewards, *_ = example(agent)
    return discrete_sac_losses(agent, networks, state.target_twin_q, batch, rewards)


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS.keys())
def test_losses_equal_the_slow_transcription(agent: DiscreteSac):
    expected = slow_losses(agent, example(agent).state.networks)
    for found in (example(agent).losses, example(agent).losses_of_update):
        assert {name: float(loss) for name, loss in found.items()} == pytest.approx(
            expected, rel=1e-8
        )


@pytest.mark.parametrize("name", ["q", "policy"])
def test_gradients_are_those_of_the_losses(name: str):
    networks, network = example(TUNED).state.networks, NETWORK_OF_LOSS[name]
    expected = finite_differences(
        lambda part: slow_losses(TUNED, networks._replace(**{network: part}))[name],
        getattr(networks, network),
    )
    found = getattr(example(TUNED).gradients[name], network)
    assert max(np.abs(gradient).max() for gradient in expected) > 0.01
    assert_close(jax.tree.leaves(found), expected, atol=1e-7)


@pytest.mark.parametrize("agent", [FIXED, TUNED], ids=["fixed", "tuned"])
def test_each_loss_moves_its_own_network_alone(agent: DiscreteSac):
    for loss, gradient in example(agent).gradients.items():
        for network, part in gradient._asdict().items():
            moves = any(np.any(leaf != 0) for leaf in jax.tree.leaves(part))
            own = NETWORK_OF_LOSS[loss] == network
            expected = own and (network != "log_entropy_scale" or agent.tune_entropy)
            assert moves == expected, f"loss {loss!r}, gradient in {network!r}"


@pytest.mark.parametrize("agent", [FIXED, TUNED], ids=["fixed", "tuned"])
@pytest.mark.parametrize("loss", NETWORK_OF_LOSS)
def test_first_update_is_adams_first_step(agent: DiscreteSac, loss: str):
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


def test_a_number_in_place_of_yes_or_no_is_refused():
    with pytest.raises(TypeError, match="tune_entropy must be True or False"):
        DiscreteSac(tune_entropy=1)  # type: ignore[arg-type]
