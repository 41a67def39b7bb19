import jax
import jax.numpy as jnp
import numpy as np
import pytest
from slow_losses import mlp

from autotelic.networks import ACTIVATIONS, Mlp, product, xavier_uniform


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_network_is_two_layers_over_the_sum_of_its_inputs(activation: str):
    generator = np.random.default_rng(0)
    network = Mlp([3, 2], 4, 5, key=jax.random.key(0), activation=activation)
    network = jax.tree.map(lambda a: jnp.asarray(generator.normal(size=a.shape)), network)
    xs, ys = generator.normal(size=(6, 3)), generator.normal(size=(6, 2))
    expected = [mlp(network, x, y) for x, y in zip(xs, ys, strict=True)]
    found = network(jnp.asarray(xs), jnp.asarray(ys))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    # Leading axes are free: one example, or a grid of them.
    grid = network(jnp.asarray(xs).reshape(2, 3, 3), jnp.asarray(ys).reshape(2, 3, 2))
    np.testing.assert_allclose(grid.reshape(6, 5), found, rtol=1e-4, atol=1e-4)


def test_files_name_the_same_arrays_whatever_the_activation():
    """A name or an array more, and skills that were saved before would no longer load."""
    names = [".inputs[0]", ".input_bias", ".hidden", ".hidden_bias", ".output", ".output_bias"]
    for activation in ACTIVATIONS:
        network = Mlp([3], 4, 5, key=jax.random.key(0), activation=activation)
        leaves, _ = jax.tree_util.tree_flatten_with_path(network)
        assert [jax.tree_util.keystr(path) for path, _ in leaves] == names


def test_layers_are_relu_unless_another_is_asked_for():
    assert Mlp([3], 4, 5, key=jax.random.key(0)).activation == "relu"


def test_first_layer_has_a_matrix_and_a_fan_in_per_input():
    network = Mlp([2, 30], 70, 1, key=jax.random.key(1))
    for weights, fan_in in zip(network.inputs, (2, 30), strict=True):
        limit = (6 / (fan_in + 70)) ** 0.5
        assert weights.shape == (fan_in, 70)
        # The largest of n uniforms in (0, limit) falls short of it by limit / (n + 1) on average.
        assert 0.9 * limit < np.abs(weights).max() <= limit
    for bias in (network.input_bias, network.hidden_bias, network.output_bias):
        assert not np.any(bias)


def test_xavier_weights_are_uniform():
    weights = np.asarray(xavier_uniform(jax.random.key(2), 100, 200)) / (6 / 300) ** 0.5
    # Uniform in (-1, 1): mean 0 +- 0.577 / sqrt(20000) = 0.004, mean square 1/3 +- 0.002.
    assert weights.mean() == pytest.approx(0.0, abs=0.016)
    assert np.square(weights).mean() == pytest.approx(1 / 3, abs=0.008)


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 5, 3)])
def test_the_product_has_the_gradients_of_a_matrix_product(shape):
    x_key, weight_key, out_key = jax.random.split(jax.random.key(0), 3)
    x, weight = jax.random.normal(x_key, shape), jax.random.normal(weight_key, (3, 4))
    outgoing = jax.random.normal(out_key, (*shape[:-1], 4))
    value, pull_back = jax.vjp(product, x, weight)
    expected, expected_pull_back = jax.vjp(jnp.matmul, x, weight)
    np.testing.assert_array_equal(value, expected)
    for found, wanted in zip(pull_back(outgoing), expected_pull_back(outgoing), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_network_of_two_inputs_refuses_one():
    network = Mlp([2, 3], 4, 1, key=jax.random.key(0))
    with pytest.raises(ValueError, match="zip"):
        network(jnp.zeros(2))
