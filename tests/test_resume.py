"""What is saved goes on as it would have: environments, agents, objectives, and what a state leaves out."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autotelic as at
from autotelic.agents import Batch, DiscreteSac
from autotelic.agents.base import Sizes
from autotelic.environments.navigation2d import Navigation2D
from autotelic.objectives import Diayn
from autotelic.objectives.base import Context


def key(time: int) -> jax.Array:
    return jax.random.key(time)


def test_an_environment():
    world = Navigation2D()

    def step(state: Any, time: int):
        state, shown = world.step(state, jnp.full(world.action_size, 0.3), key(time))
        return state, (shown.observation, shown.terminated)

    at.check_resume(lambda: world.reset(key(0))[0], step, steps=4)


SIZES = Sizes(observation=3, action=2, skill=2, hidden_units=4)


def batch(time: int) -> Batch:
    draw = np.random.default_rng(time).normal
    return Batch(
        observation=jnp.asarray(draw(size=(4, 3))),
        action=jnp.eye(2)[jnp.arange(4) % 2],
        next_observation=jnp.asarray(draw(size=(4, 3))),
        terminated=jnp.zeros(4),
        skill=jnp.eye(2)[jnp.arange(4) % 2],
    )


def learn(agent: Any, state: Any, time: int):
    noise = agent.update_noise(key(time), (4,), 2)
    state, losses = agent.update(state, batch(time), jnp.ones(4), noise, 1e-2)
    return state, jax.tree.leaves(state) + list(losses.values())


def test_an_agent():
    agent = DiscreteSac(0.3)
    at.check_resume(lambda: agent.init(key(0), SIZES), lambda s, t: learn(agent, s, t), steps=3)


@dataclass(frozen=True)
class Counting(DiscreteSac):
    """Keeps beside its state how often it was updated, and learns the less."""

    updates: list[int] = field(default_factory=list, compare=False)

    def update(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, state: Any, batch: Any, rewards: Any, noise: Any, *rest: Any
    ) -> Any:
        self.updates.append(1)
        return super().update(state, batch, rewards / len(self.updates), noise, *rest)


def test_an_agent_that_remembers_beside_its_state_is_found():
    agent = Counting(0.3)
    with pytest.raises(ValueError, match="shows something else at step 0"):
        at.check_resume(lambda: agent.init(key(0), SIZES), lambda s, t: learn(agent, s, t), steps=3)


def test_an_objective():
    objective = Diayn()
    goals = jnp.arange(4) % 2

    def step(params: Any, time: int):
        seen = batch(time)
        context = Context(None, seen.observation, seen.next_observation)
        loss, gradient = jax.value_and_grad(objective.loss)(params, context, goals)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)
        return params, (loss, objective.reward(params, context, goals, jnp.log(jnp.full(4, 0.5))))

    at.check_resume(lambda: objective.init(key(0), 3, 2, 4), step, steps=3)


class Bandit:
    """Pays by a generator of its own; saved by its `state_dict`."""

    def __init__(self, fault: str = ""):
        seed = None if fault == "no seed" else 0
        self.fault, self.generator, self.pulls = fault, np.random.default_rng(seed), 0

    def pull(self) -> float:
        self.pulls += 1
        return self.pulls + float(self.generator.normal())

    def state_dict(self) -> dict[str, Any]:
        if self.fault == "saving draws":
            self.generator.normal()
        saved = {"generator": self.generator.bit_generator.state, "pulls": self.pulls}
        return {"pulls": self.pulls} if self.fault == "generator" else saved

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        self.pulls = 0 if self.fault == "pulls" else saved["pulls"]
        if "generator" in saved:
            self.generator.bit_generator.state = saved["generator"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("", ""),
        ("generator", "saved before step 1 and restored, it shows something else at step 1"),
        ("pulls", "saved before step 1 and restored, it shows something else at step 1"),
        ("saving draws", "saving changes it, or not all of its randomness has a seed"),
        ("no seed", "saving changes it, or not all of its randomness has a seed"),
    ],
)
def test_what_a_state_leaves_out_is_found(fault: str, message: str):
    def run() -> None:
        at.check_resume(lambda: Bandit(fault), lambda one, _: (one, one.pull()), steps=4)

    if not fault:
        run()
        return
    with pytest.raises(ValueError, match=message):
        run()
