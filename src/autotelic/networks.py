"""The one network shape of the paper: two hidden layers, one first-layer matrix per input."""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {"relu": jax.nn.relu, "tanh": jnp.tanh}


class Mlp(eqx.Module):
    """Two hidden layers of ReLU (or tanh) units and a linear output.

    Each input has a Xavier-uniform first-layer matrix of its own, with its own fan-in, and their
    products are summed, as in the DIAYN code; biases start at zero.
    """

    inputs: tuple[jax.Array, ...]
    input_bias: jax.Array
    hidden: jax.Array
    hidden_bias: jax.Array
    output: jax.Array
    output_bias: jax.Array
    activation: str = eqx.field(static=True)  # no array: files of networks do not name it

    def __init__(
        self,
        input_sizes: Sequence[int],
        hidden_units: int,
        output_size: int,
        *,
        key: jax.Array,
        activation: str = "relu",
    ):
        *input_keys, hidden_key, output_key = jax.random.split(key, len(input_sizes) + 2)
        self.inputs = tuple(
            xavier_uniform(k, size, hidden_units)
            for k, size in zip(input_keys, input_sizes, strict=True)
        )
        self.input_bias = jnp.zeros(hidden_units)
        self.hidden = xavier_uniform(hidden_key, hidden_units, hidden_units)
        self.hidden_bias = jnp.zeros(hidden_units)
        self.output = xavier_uniform(output_key, hidden_units, output_size)
        self.output_bias = jnp.zeros(output_size)
        self.activation = activation

    def __call__(self, *inputs: jax.Array) -> jax.Array:
        """Inputs [..., input_size] each -> [..., output_size]."""
        activate = ACTIVATIONS[self.activation]
        first = self.input_bias + sum(
            product(x, weight) for x, weight in zip(inputs, self.inputs, strict=True)
        )
        second = product(activate(first), self.hidden) + self.hidden_bias
        return product(activate(second), self.output) + self.output_bias


def product(x: jax.Array, weight: jax.Array) -> jax.Array:
    """x @ weight, [..., inputs] and [inputs, outputs] -> [..., outputs].

    Its gradient is written out because JAX's own rule gives that of the weight transposed, and the
    optimiser would read it against the grain (docs/performance.md).
    """
    return _product(x, weight)


@jax.custom_vjp
def _product(x: jax.Array, weight: jax.Array) -> jax.Array:
    return x @ weight


def _product_forward(x: jax.Array, weight: jax.Array) -> tuple[jax.Array, tuple[Any, Any]]:
    return x @ weight, (x, weight)


def _product_backward(
    operands: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    x, weight = operands
    leading = tuple(range(x.ndim - 1))
    of_x = jax.lax.dot_general(gradient, weight, (((x.ndim - 1,), (1,)), ((), ())))
    of_weight = jax.lax.dot_general(x, gradient, ((leading, leading), ((), ())))
    return of_x, of_weight


_product.defvjp(_product_forward, _product_backward)


def xavier_uniform(key: jax.Array, fan_in: int, fan_out: int) -> jax.Array:
    """Weights [fan_in, fan_out] uniform in +-sqrt(6 / (fan_in + fan_out))."""
    limit = (6.0 / (fan_in + fan_out)) ** 0.5
    return jax.random.uniform(key, (fan_in, fan_out), minval=-limit, maxval=limit)
