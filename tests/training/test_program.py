"""Where visits start, and what goals are worth from there: one learner at a time, without a program."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import GOALS, tiny

from autotelic.agents import Sac
from autotelic.environments import EnvironmentStep
from autotelic.learner.learner import learner_functions
from autotelic.learner.plan import sizes_of
from autotelic.learner.visit import visit_keys
from autotelic.training.program import VALUE_ACTIONS, Program


@dataclass(frozen=True)
class Anywhere:
    """Episodes begin anywhere."""

    observation_size: int = 2
    action_size: int = 2
    episode_length: int | None = None

    def reset(self, key: jax.Array) -> Any:
        place = jax.random.uniform(key, (2,))
        return place, place

    def step(self, state: Any, action: jax.Array, key: jax.Array) -> Any:
        never = jnp.zeros((), bool)
        return state, EnvironmentStep(state, never, never, state)


def program_of(members: int, **changes: Any) -> Program:
    setting = tiny(environment=Anywhere(), environment_options={}, agent=Sac(), **changes)
    functions = learner_functions(setting, sizes_of(Anywhere()), epochs=4)
    return Program(functions, Anywhere(), members)


@pytest.mark.parametrize("environments", [1, 2])
def test_starts_are_those_of_the_first_environment_by_each_member_s_key(environments: int):
    program = program_of(2, environments=environments, updates_per_step=1 / environments)
    keys = jax.vmap(jax.random.key)(jnp.array([3, 5], jnp.uint32))
    found = program.starts(keys, np.int32(4))
    for key, start in zip(keys, found, strict=True):
        own = visit_keys(key, jnp.int32(4)).start
        first = own if environments == 1 else jax.random.split(own, environments)[0]
        np.testing.assert_allclose(start, jax.random.uniform(first, (2,)), rtol=1e-6)


def test_values_and_their_spread_are_means_over_a_few_actions():
    program = program_of(1)
    agent, objective = program.functions.setting.agent, program.functions.setting.objective
    learner = program.init(jax.vmap(jax.random.key)(jnp.array([3], jnp.uint32)))
    here = jnp.array([0.2, 0.7])
    noise = agent.acting_noise(jax.random.key(0), (VALUE_ACTIONS, GOALS), 2)
    own = jax.tree.map(lambda leaf: leaf[0], learner.agent)
    for found, valued in (
        (program.values, agent.value),
        (program.value_spread, agent.value_spread),
    ):
        expected = [
            np.mean([valued(own, here, objective.embed(goal, GOALS), n[goal]) for n in noise])
            for goal in range(GOALS)
        ]
        np.testing.assert_allclose(found(learner, here[None])[0], expected, rtol=1e-4)
