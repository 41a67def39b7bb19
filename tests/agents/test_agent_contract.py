"""What holds for every agent in the table; a new one joins by its line there."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.agents import AGENTS, Agent, AutoSac, Batch, DiscreteSac, GmmSac, Sac
from autotelic.agents.base import Sizes

SIZES = Sizes(observation=3, action=2, skill=4, hidden_units=8)
VECTOR_SIZES = SIZES._replace(reward=SIZES.skill)
REWARDED = [(name, SIZES) for name in AGENTS] + [
    (name, VECTOR_SIZES) for name, kind in AGENTS.items() if kind.takes_vector_rewards
]
"""Every agent with the kinds of rewards it takes."""


@pytest.mark.parametrize("name", AGENTS)
def test_actions_of_a_grid_are_those_of_its_entries(name: str):
    agent = AGENTS[name]()
    keys = jax.random.split(jax.random.key(0), 3)
    policy = agent.policy(agent.init(keys[0], SIZES))
    # Far out, unless that decides the choice among discrete actions.
    scale = 1.0 if agent.actions == "discrete" else 100.0
    observation = scale * jax.random.normal(keys[1], (2, 5, SIZES.observation))
    skill = jnp.broadcast_to(jnp.eye(SIZES.skill)[1], (2, 5, SIZES.skill))
    noise = agent.acting_noise(keys[2], (2, 5), SIZES.action)

    sampled = agent.act(policy, observation, skill, noise)
    best = agent.act_deterministically(policy, observation, skill)
    assert sampled.shape == best.shape == (2, 5, SIZES.action)
    assert np.abs(sampled).max() <= 1.0 and np.abs(best).max() <= 1.0
    assert not np.array_equal(sampled, best)
    one = (observation[1, 3], skill[1, 3])
    own_noise = jax.tree.map(lambda a: a[1, 3], noise)
    np.testing.assert_allclose(agent.act(policy, *one, own_noise), sampled[1, 3], rtol=1e-4)
    np.testing.assert_allclose(agent.act_deterministically(policy, *one), best[1, 3], rtol=1e-4)


@pytest.mark.parametrize("name", AGENTS)
def test_noise_is_a_function_of_the_key_and_fresh_for_every_entry(name: str):
    agent = AGENTS[name]()
    for draw in (agent.acting_noise, agent.update_noise):
        once, again, other = (draw(jax.random.key(k), (4, 6), SIZES.action) for k in (0, 0, 1))
        jax.tree.map(np.testing.assert_array_equal, once, again)
        if not jax.tree.leaves(once):  # nothing is drawn
            continue
        numbers = np.concatenate([leaf.ravel() for leaf in jax.tree.leaves((once, other))])
        assert len(np.unique(numbers)) == len(numbers)
        assert {leaf.shape[:2] for leaf in jax.tree.leaves(once)} == {(4, 6)}


@pytest.mark.parametrize(
    ("name", "sizes"), [(name, sizes) for name, sizes in REWARDED if AGENTS[name].gives_values]
)
def test_values_of_a_grid_are_those_of_its_entries(name: str, sizes: Sizes):
    agent = AGENTS[name]()
    keys = jax.random.split(jax.random.key(0), 3)
    state = agent.init(keys[0], sizes)
    observation = jax.random.normal(keys[1], (2, 5, SIZES.observation))
    skill = jnp.broadcast_to(jnp.eye(SIZES.skill)[1], (2, 5, SIZES.skill))
    noise = agent.acting_noise(keys[2], (2, 5), SIZES.action)
    found = agent.value(state, observation, skill, noise)
    assert found.shape == (2, 5) and len(np.unique(found)) == 10
    own_noise = jax.tree.map(lambda a: a[1, 3], noise)
    one = agent.value(state, observation[1, 3], skill[1, 3], own_noise)
    np.testing.assert_allclose(one, found[1, 3], rtol=1e-4)


def test_agents_that_give_no_values_say_so():
    class Plain(Sac):
        value = Agent.value

    with pytest.raises(NotImplementedError, match="Plain gives no values"):
        Plain().value(None, jnp.zeros(1), jnp.zeros(1), None)


@pytest.mark.parametrize(("name", "sizes"), REWARDED)
def test_an_update_names_its_losses_and_leaves_what_it_was_given(name: str, sizes: Sizes):
    """Same batch, same noise: same bits; and shapes stay, so that a scan can carry the state."""
    agent = AGENTS[name]()
    state = agent.init(jax.random.key(0), sizes)
    rewards = jnp.ones((6, sizes.reward) if sizes.reward else 6)
    before = jax.tree.map(np.array, state)
    batch = Batch(
        observation=jnp.ones((6, SIZES.observation)),
        action=jnp.broadcast_to(jnp.eye(SIZES.action)[1], (6, SIZES.action)),
        next_observation=jnp.zeros((6, SIZES.observation)),
        terminated=jnp.zeros(6),
        skill=jnp.broadcast_to(jnp.eye(SIZES.skill)[1], (6, SIZES.skill)),
    )
    noise = agent.update_noise(jax.random.key(1), (6,), SIZES.action)
    update = jax.jit(agent.update)
    after, losses = update(state, batch, rewards, noise, 1e-3)
    again, _ = update(state, batch, rewards, noise, 1e-3)
    assert sorted(losses) == sorted(agent.loss_names)
    assert all(loss.shape == () for loss in losses.values())
    jax.tree.map(np.testing.assert_array_equal, state, before)
    jax.tree.map(np.testing.assert_array_equal, again, after)
    assert jax.tree.map(jax.typeof, after) == jax.tree.map(jax.typeof, state)


@pytest.mark.parametrize("agent", AGENTS.values())
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"discount": 1.01}, ValueError),
        ({"discount": -0.1}, ValueError),
        ({"discount": math.nan}, ValueError),
        ({"discount": "0.99"}, TypeError),
        ({"target_rate": 0}, ValueError),
        ({"target_rate": 1.1}, ValueError),
        ({"entropy_scale": -0.1}, ValueError),
    ],
)
def test_settings_that_no_agent_can_work_with_are_refused(
    agent: type, arguments: dict, error: type
):
    ((argument, value),) = arguments.items()
    with pytest.raises(error, match=f"{argument} must .*{value}"):
        agent(**arguments)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: GmmSac(components=0), ValueError, "components must be at least 1, got 0"),
        (
            lambda: GmmSac(**{"components": 2.0}),
            TypeError,
            "components must be an integer, got 2.0",
        ),
        (lambda: GmmSac(regularization=-1.0), ValueError, "regularization.*-1"),
        (
            lambda: Sac(**{"tune_entropy": 1}),
            TypeError,
            "tune_entropy must be True or False, got 1",
        ),
        (lambda: Sac(target_entropy=math.inf), ValueError, "target_entropy.*finite"),
        (lambda: Sac(entropy_scale=0.0, tune_entropy=True), ValueError, "tune_entropy=False"),
        (
            lambda: Sac(target_entropy_per_action=math.nan),
            ValueError,
            "target_entropy_per_action.*finite",
        ),
        (
            lambda: Sac(target_entropy=-3.0, target_entropy_per_action=-0.5),
            ValueError,
            "target_entropy is -3.0.*per_action -0.5; leave one out",
        ),
        (lambda: Sac(policy_activation="tan"), ValueError, "policy_activation 'tan'.*'tanh'"),
        (
            lambda: DiscreteSac(entropy_scale=0.0, tune_entropy=True),
            ValueError,
            "tune_entropy=False",
        ),
        (
            lambda: DiscreteSac(**{"tune_entropy": 1}),
            TypeError,
            "tune_entropy must be True or False, got 1",
        ),
        (
            lambda: DiscreteSac(target_entropy_share=1.1),
            ValueError,
            r"target_entropy_share must lie in \[0, 1\], got 1.1",
        ),
        (
            lambda: AutoSac(target_entropy=-3.0).of_kind("discrete"),
            ValueError,
            "target_entropy -3.0 is an option of Sac.*--agent discrete-sac",
        ),
    ],
)
def test_settings_that_one_agent_cannot_work_with_are_refused(
    make: Callable[[], Any], error: type, message: str
):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("agent", "kind", "expected"),
    [
        (AutoSac(), "continuous", Sac(tune_entropy=True)),
        (AutoSac(), "discrete", DiscreteSac(tune_entropy=True)),
        (AutoSac(target_entropy=-3.0), "continuous", Sac(tune_entropy=True, target_entropy=-3.0)),
        (
            AutoSac(0.2, False, discount=0.9, target_rate=0.05),
            "discrete",
            DiscreteSac(0.2, False, discount=0.9, target_rate=0.05),
        ),
    ],
)
def test_the_agent_of_a_setting_that_names_none_fits_the_actions(
    agent: AutoSac, kind: str, expected: Agent
):
    found = agent.of_kind(kind)
    assert found == expected and found.actions == kind
    assert agent != Sac(tune_entropy=True)  # who chose that is refused where it does not fit


def test_defaults_are_the_papers():
    paper = {"components": 4, "entropy_scale": 0.1, "discount": 0.99, "target_rate": 0.01}
    assert vars(GmmSac()) == {**paper, "regularization": 1e-3}
