import jax
import jax.numpy as jnp
import numpy as np
import optax

from autotelic.agents import adam

PARAMS = {"a": jnp.array([1.0, -2.0, 0.5]), "b": jnp.array(3.0)}


def test_steps_are_those_of_optax():
    optimizer = optax.adam(0.01)
    found, state = PARAMS, adam.init(PARAMS)
    expected, expected_state = PARAMS, optimizer.init(PARAMS)
    step, update = jax.jit(adam.step), jax.jit(optimizer.update)
    generator = np.random.default_rng(0)
    for number in range(50):
        # Gradients of all sizes; some are zero, as those of a unit that is off.
        sizes = 10.0 ** generator.uniform(-6, 3, size=4) * generator.integers(-1, 2, size=4)
        gradients = {"a": jnp.asarray(sizes[:3]), "b": jnp.asarray(sizes[3])}
        found, state = step(found, gradients, state, 0.01)
        updates, expected_state = update(gradients, expected_state)
        expected = optax.apply_updates(expected, updates)
        assert state.steps == number + 1
        # A step is about 0.01; float32 numbers near 3 are 2e-7 apart.
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, atol=2e-6, rtol=0), found, expected
        )


def test_a_steady_gradient_moves_by_the_learning_rate_each_step():
    # Both corrected moments of a constant gradient are the constant's own.
    gradients = {"a": jnp.array([5.0, -0.01, 0.0]), "b": jnp.array(1e4)}
    params, state = PARAMS, adam.init(PARAMS)
    for number in (1, 2, 3):
        params, state = adam.step(params, gradients, state, 0.1)
        travelled = 0.1 * number
        np.testing.assert_allclose(params["a"], [1 - travelled, -2 + travelled, 0.5], rtol=1e-4)
        np.testing.assert_allclose(params["b"], 3 - travelled, rtol=1e-4)
