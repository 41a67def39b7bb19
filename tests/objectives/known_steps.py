"""Steps in the plane and a map that is the identity: what displacement objectives make of them is known."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from autotelic.agents import adam
from autotelic.networks import Mlp
from autotelic.objectives import Context, Metra

NUM_GOALS = 4  # right, up, left, down
START = jnp.array([[1.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
OBSERVATION = jnp.array([[1.0, 1.0], [1.5, 1.0], [2.0, 1.0]])
NEXT_OBSERVATION = jnp.array([[1.6, 1.8], [1.5, 1.0], [2.0, 3.0]])
MOVED = np.array([[0.6, 0.8], [0.0, 0.0], [0.0, 2.0]])
GOAL = jnp.array([0, 2, 1])
SKILL = jnp.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
CONTEXT = Context(START, OBSERVATION, NEXT_OBSERVATION, skill=SKILL)


def identity() -> Mlp:
    """phi(s) = s, for entries that are positive, which ReLU lets through."""
    network = jax.tree.map(jnp.zeros_like, Mlp([2], 2, 2, key=jax.random.key(0)))
    eye = jnp.eye(2)
    return eqx.tree_at(lambda n: (n.inputs[0], n.hidden, n.output), network, (eye, eye, eye))


def skewed() -> tuple[Context, jax.Array]:
    """Twenty steps, 17 of them of one goal, that all lead the same way whatever the goal."""
    goal = jnp.array([0] * 17 + [1, 2, 3])
    here = jnp.ones((20, 2))
    skill = Metra().embed(goal, NUM_GOALS)
    return Context(here, here, here + jnp.array([0.3, 0.1]), skill=skill), goal


def loss_and_gradient(objective: Any, params: Any, context: Context, goal: jax.Array) -> Any:
    """Of the objective's loss, compiled: one program is made sooner than one of every operation."""
    return jax.jit(jax.value_and_grad(objective.loss))(params, context, goal)


def fitted(
    loss: Any, params: Any, context: Context, goal: jax.Array, rate: float, steps: int
) -> Any:
    """The parameters after so many steps of Adam."""

    def step(carry: Any, _: None) -> Any:
        params, state = carry
        gradients = jax.grad(loss)(params, context, goal)
        return adam.step(params, gradients, state, rate), None

    @jax.jit
    def fit(params: Any) -> Any:
        return jax.lax.scan(step, (params, adam.init(params)), None, length=steps)[0][0]

    return fit(params)


def own_ways(objective: Any) -> tuple[Context, jax.Array]:
    """64 steps of length 0.1, each in its skill's direction."""
    goal = jnp.tile(jnp.arange(NUM_GOALS), 16)
    skill = objective.embed(goal, NUM_GOALS)
    here = jax.random.uniform(jax.random.key(1), (64, 2))
    return Context(here, here, here + 0.1 * skill, skill=skill), goal
