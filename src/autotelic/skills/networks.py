"""The network of `autotelic.networks` in NumPy: two hidden layers, one first-layer matrix per input."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

ZERO = np.zeros((), np.float32)
"""Made once: NumPy takes longer to turn a Python number into an array than to compare 300."""


def relu(x: np.ndarray) -> np.ndarray:
    """max(x, 0), in place."""
    return np.maximum(x, ZERO, out=x)


def tanh(x: np.ndarray) -> np.ndarray:
    """tanh(x), in place."""
    return np.tanh(x, out=x)


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"relu": relu, "tanh": tanh}

Shapes = dict[str, tuple[int, ...]]


class Network(NamedTuple):
    """Two hidden layers and a linear output; every array is float32."""

    inputs: tuple[np.ndarray, ...]
    input_bias: np.ndarray
    hidden: np.ndarray
    hidden_bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray
    activate: Callable[[np.ndarray], np.ndarray] = relu

    def __call__(self, *inputs: np.ndarray) -> np.ndarray:
        """Inputs [..., size] each -> [..., outputs]."""
        first = self.input_bias
        for x, weight in zip(inputs, self.inputs, strict=True):
            first = first + x @ weight
        return self.after(first)

    def after(self, first: np.ndarray) -> np.ndarray:
        """From the first layer's sums [..., hidden], which are overwritten, to [..., outputs]."""
        second = self.activate(first) @ self.hidden
        second += self.hidden_bias
        outputs = self.activate(second) @ self.output
        outputs += self.output_bias
        return outputs


def network_shapes(name: str, inputs: Sequence[int], hidden: int, outputs: int) -> Shapes:
    """The shapes of a network's arrays by their names in a file."""
    first = {f"{name}.inputs.{i}": (size, hidden) for i, size in enumerate(inputs)}
    return first | {
        f"{name}.input_bias": (hidden,),
        f"{name}.hidden": (hidden, hidden),
        f"{name}.hidden_bias": (hidden,),
        f"{name}.output": (hidden, outputs),
        f"{name}.output_bias": (outputs,),
    }


def network(name: str, arrays: Mapping[str, np.ndarray], activation: str = "relu") -> Network:
    """The network of that name among a file's arrays."""
    count = sum(key.startswith(f"{name}.inputs.") for key in arrays)
    return Network(
        tuple(arrays[f"{name}.inputs.{i}"] for i in range(count)),
        arrays[f"{name}.input_bias"],
        arrays[f"{name}.hidden"],
        arrays[f"{name}.hidden_bias"],
        arrays[f"{name}.output"],
        arrays[f"{name}.output_bias"],
        ACTIVATIONS[activation],
    )
