"""All agents learn the probe environments; the message of a failure names the broken part."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from probe_environments import (
    CHOICES,
    DISCRETE_SIZES,
    OBSERVATIONS,
    PROBES,
    SIZES,
    SKILLS,
    TRANSITIONS,
    VECTOR_PROBES,
    Probe,
)

from autotelic.agents import Agent, Batch, DiscreteSac, GmmSac, Sac
from autotelic.agents.base import Sizes
from autotelic.agents.discrete_sac import entropy
from autotelic.agents.sac import draw, twin_outputs, twin_q

UPDATES, BATCH = 2_000, 64
LEARNING_RATE = 3e-3

# Without entropy the true values are those of the rewards, and a broken policy spoils no value. Where
# discrete actions differ it keeps a softmax from giving one up for good before Q is known; once it is,
# the best action is worth so much more than the next (1 and more) that the entropy is next to none.
AGENTS: dict[str, Callable[[Probe], Agent]] = {
    "gmm-sac": lambda probe: GmmSac(
        components=2, entropy_scale=0.0, discount=probe.discount, target_rate=0.05
    ),
    "sac": lambda probe: Sac(entropy_scale=0.0, discount=probe.discount, target_rate=0.05),
    "discrete-sac": lambda probe: DiscreteSac(
        entropy_scale=0.2 if probe.actions else 0.0, discount=probe.discount, target_rate=0.05
    ),
}


def is_discrete(agent: Agent) -> bool:
    return agent.actions == "discrete"


def sizes(agent: Agent) -> Sizes:
    return DISCRETE_SIZES if is_discrete(agent) else SIZES


@functools.partial(jax.jit, static_argnums=0)
def learn(agent: Agent, replay: tuple[Batch, jax.Array], key: jax.Array) -> Any:
    """The agent's state after its updates on batches drawn from the replay."""
    init_key, index_key, noise_key = jax.random.split(key, 3)
    indices = jax.random.randint(index_key, (UPDATES, BATCH), 0, TRANSITIONS)
    noise = agent.update_noise(noise_key, (UPDATES, BATCH), sizes(agent).action)

    def step(state: Any, drawn: tuple[jax.Array, Any]) -> tuple[Any, None]:
        index, noise = drawn
        batch, rewards = jax.tree.map(lambda a: a[index], replay)
        state, _ = agent.update(state, batch, rewards, noise, LEARNING_RATE)
        return state, None

    own = sizes(agent)._replace(reward=0 if replay[1].ndim == 1 else replay[1].shape[1])
    return jax.lax.scan(step, agent.init(init_key, own), (indices, noise))[0]


@functools.cache
def trained(agent_name: str, probe_name: str, vector: bool = False) -> tuple[Agent, Any]:
    """The agent and its state: one training run serves all tests of an agent in an environment."""
    probe = (VECTOR_PROBES if vector else PROBES)[probe_name]
    agent = AGENTS[agent_name](probe)
    return agent, learn(agent, probe.replay(is_discrete(agent)), jax.random.key(0))


def critic_values(agent: Agent, state: Any, actions: jax.Array) -> dict[str, np.ndarray]:
    """What each critic holds the four situations to be worth, given actions [4, action]."""
    situations = jnp.concatenate([OBSERVATIONS, SKILLS], axis=-1)
    if is_discrete(agent):
        twins = jax.vmap(lambda network: network(situations))(state.networks.twin_q)
        first, second = np.asarray(jnp.sum(twins * actions, axis=-1))
        value = agent.value(state, OBSERVATIONS, SKILLS, acting_noise(agent, 1)[0])
        return {"first Q": first, "second Q": second, "V": np.asarray(value)}
    if hasattr(state.networks, "twin_q"):
        first, second = twin_q(state.networks.twin_q, OBSERVATIONS, SKILLS, actions)
        return {"first Q": np.asarray(first), "second Q": np.asarray(second)}
    return {
        "Q": np.asarray(state.networks.q(situations, actions)[:, 0]),
        "V": np.asarray(state.networks.v(situations)[:, 0]),
        "target V": np.asarray(state.target_v(situations)[:, 0]),
    }


def best_actions(agent: Agent, probe: Probe) -> jax.Array:
    """The best actions [4, action]; any will do where they make no difference."""
    actions = np.array(probe.actions or (0.3, 0.3, 0.3, 0.3))[:, None]
    if is_discrete(agent):
        nearest = np.abs(actions - CHOICES).argmin(axis=1)
        return jnp.array(np.eye(len(CHOICES))[nearest])
    return jnp.array(actions)


@pytest.mark.parametrize("probe_name", PROBES)
@pytest.mark.parametrize("agent_name", AGENTS)
def test_values_are_learned(agent_name: str, probe_name: str):
    probe = PROBES[probe_name]
    agent, state = trained(agent_name, probe_name)
    values = critic_values(agent, state, best_actions(agent, probe))
    for critic, found in values.items():
        # Wrong answers lie 0.5 or more away (no discount, no bootstrap, no input).
        message = f"{critic} is wrong; suspect {probe.broken}"
        np.testing.assert_allclose(found, probe.values, atol=0.15, err_msg=message)


@pytest.mark.parametrize("probe_name", VECTOR_PROBES)
def test_successor_features_are_learned(probe_name: str):
    """All entries, of both twins, and not psi^T z alone."""
    probe = VECTOR_PROBES[probe_name]
    agent, state = trained("sac", probe_name, vector=True)
    twins = twin_outputs(state.networks.twin_q, OBSERVATIONS, SKILLS, best_actions(agent, probe))
    for psi in twins:
        # Wrong answers lie 1 or more away.
        message = f"psi is wrong; suspect {probe.broken}"
        np.testing.assert_allclose(psi, probe.values, atol=0.3, err_msg=message)


@pytest.mark.parametrize(
    ("agent_name", "probe_name", "vector"),
    [(agent, name, False) for agent in AGENTS for name, p in PROBES.items() if p.actions]
    + [("sac", name, True) for name, p in VECTOR_PROBES.items() if p.actions],
)
def test_best_actions_are_learned(agent_name: str, probe_name: str, vector: bool):
    probe = (VECTOR_PROBES if vector else PROBES)[probe_name]
    agent, state = trained(agent_name, probe_name, vector)
    policy = agent.policy(state)
    message = f"suspect {probe.broken}"
    found = agent.act_deterministically(policy, OBSERVATIONS, SKILLS)
    # An untrained policy, or one that misses its input, is half a unit away.
    best = best_actions(agent, probe)
    np.testing.assert_allclose(found, best, atol=0.2, err_msg=message)
    misses = agent.act(policy, *situations(500), acting_noise(agent, 500)) - best
    # Samples gather there too: untrained ones miss by 0.5 and more in the root mean square.
    assert np.all(np.sqrt(np.mean(misses**2, axis=0)) < 0.25), message


def situations(count: int) -> tuple[jax.Array, jax.Array]:
    """The four situations, `count` times over: observations and goals."""
    return (
        jnp.broadcast_to(OBSERVATIONS, (count, *OBSERVATIONS.shape)),
        jnp.broadcast_to(SKILLS, (count, *SKILLS.shape)),
    )


def acting_noise(agent: Agent, count: int) -> Any:
    return agent.acting_noise(jax.random.key(1), (count, len(SKILLS)), sizes(agent).action)


def test_entropy_is_worth_its_scale_in_the_value():
    """Where actions make no difference the best policy is uniform, of entropy log 2."""
    agent = GmmSac(components=2, entropy_scale=0.5, discount=0.5, target_rate=0.05)
    state = learn(agent, PROBES["time-out or termination"].replay(), jax.random.key(0))
    per_step = 1.0 + 0.5 * np.log(2.0)
    expected = np.tile([2.0 * per_step, per_step], 2)
    found = critic_values(agent, state, jnp.zeros((4, 1)))["V"]
    # Squashed mixtures come within 0.02 of the uniform entropy; without entropy V is 2 and 1.
    message = "V is wrong; suspect the entropy term of the value loss"
    np.testing.assert_allclose(found, expected, atol=0.1, err_msg=message)


def test_tuned_entropy_scale_finds_what_its_target_asks_for():
    """With Q = 1 - 4 (a - a*) ** 2 the best policy is a Gaussian of variance scale / 8."""
    agent = Sac(entropy_scale=0.01, tune_entropy=True, target_entropy=-1.0, discount=0.0)
    state = learn(agent, PROBES["reward by action"].replay(), jax.random.key(0))
    _, log_policy = draw(agent.policy(state), *situations(500), acting_noise(agent, 500))
    # At the scale it starts from, 0.01, the entropy is 0.5 log(2 pi e 0.01 / 8) = -1.9.
    message = "the policy's entropy is wrong; suspect the entropy scale's loss"
    assert -float(log_policy.mean()) == pytest.approx(-1.0, abs=0.15), message
    # Entropy -1 is variance exp(-2) / (2 pi e), so the scale is 8 times that: 0.063.
    expected = 8.0 * np.exp(-2.0) / (2.0 * np.pi * np.e)
    assert float(jnp.exp(state.networks.log_entropy_scale)) == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_tuned_discrete_actions_have_the_entropy_that_is_asked_for(share: float):
    """Rewards of the three actions: -3, 0 and 1; the best policy is their softmax at some scale."""
    agent = DiscreteSac(
        entropy_scale=0.1, tune_entropy=True, target_entropy_share=share, discount=0.0
    )
    probe = PROBES["reward by action"]
    state = learn(agent, probe.replay(discrete=True), jax.random.key(0))
    logits = agent.policy(state)(jnp.concatenate([OBSERVATIONS, SKILLS], axis=-1))
    log_policy = jax.nn.log_softmax(logits)
    message = "the policy's entropy is wrong; suspect the entropy scale's loss"
    found = np.asarray(entropy(log_policy))
    np.testing.assert_allclose(found, share * np.log(3.0), atol=0.05, err_msg=message)
    scale = float(jnp.exp(state.networks.log_entropy_scale))
    expected = jax.nn.log_softmax(jnp.array([-3.0, 0.0, 1.0]) / scale)
    np.testing.assert_allclose(
        np.exp(log_policy), np.tile(np.exp(expected), (4, 1)), atol=0.03, err_msg=message
    )
