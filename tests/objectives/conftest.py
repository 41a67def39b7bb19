"""Networks simple enough to work out by hand, and random ones."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.networks import Mlp
from autotelic.objectives import Objective
from autotelic.objectives.codebook import CodebookObjective


@pytest.fixture
def summing() -> Callable[[int, int], Mlp]:
    """A network of so many inputs of one size, whose output is their sum where that is positive."""

    def make(inputs: int, size: int) -> Mlp:
        shapes = jax.eval_shape(lambda: Mlp([size] * inputs, size, size, key=jax.random.key(0)))
        network = jax.tree.map(lambda x: jnp.asarray(np.zeros(x.shape, x.dtype)), shapes)
        eye = jnp.asarray(np.eye(size, dtype=np.float32))
        return eqx.tree_at(
            lambda n: (n.inputs, n.hidden, n.output), network, ((eye,) * inputs, eye, eye)
        )

    return make


@pytest.fixture
def fresh() -> Callable[..., Any]:
    """Random parameters of an objective, with its own codebook.

    From NumPy: to compile an `init` takes longer than the rest of a test.
    """

    def make(objective: Objective, observation_size: int, num_goals: int, hidden: int = 8) -> Any:
        generator = np.random.default_rng(0)
        shapes = jax.eval_shape(
            lambda key: objective.init(key, observation_size, num_goals, hidden), jax.random.key(0)
        )
        params = jax.tree.map(
            lambda x: jnp.asarray(generator.normal(0.0, 0.5, x.shape), x.dtype), shapes
        )
        if isinstance(objective, CodebookObjective):
            return params._replace(codebook=jnp.asarray(objective.vectors(num_goals)))
        return params

    return make
