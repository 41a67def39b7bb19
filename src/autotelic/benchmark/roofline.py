"""The arithmetic limit: the FLOPs that one update takes, and the machine's rate of matrix products.

Counting rule: a product of [m, k] and [k, n] matrices takes 2 m n k FLOPs; nothing else is counted.
A trained network's backward pass counts twice its forward pass (the gradients of its weights and of
its inputs), as is customary, although a first layer's inputs need no gradient: `update_flops` without
`input_gradients` leaves these out.
"""

import time

import jax
import jax.numpy as jnp

from autotelic.agents import GmmSac, gmm_policy
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting

MATRIX_SIZE = 2048


def product_flops(rows: int, inner: int, columns: int) -> int:
    """FLOPs of a matrix product [rows, inner] x [inner, columns].

    >>> product_flops(2, 3, 4)
    48
    """
    return 2 * rows * inner * columns


def network_flops(
    batch: int, inputs: int, hidden: int, outputs: int, *, trained: bool, input_gradients: bool
) -> int:
    """FLOPs of a network with two hidden layers on one batch, with its backward pass if trained."""
    first = product_flops(batch, inputs, hidden)
    later = product_flops(batch, hidden, hidden) + product_flops(batch, hidden, outputs)
    forward = first + later
    if not trained:
        return forward
    return forward + forward + later + (first if input_gradients else 0)


def update_flops(
    setting: Setting, sizes: EnvironmentSizes, *, input_gradients: bool = True
) -> dict[str, int]:
    """FLOPs of one update of the paper's agent and discriminator, by what they are spent on.

    The policy, Q on replayed actions, V and the discriminator are trained; Q on fresh actions and
    the target V are evaluated alone.
    """
    agent = setting.agent
    if not isinstance(agent, GmmSac):
        raise TypeError(f"the FLOPs are counted for GmmSac alone, got {type(agent).__name__}")
    skill = setting.objective.skill_size(setting.num_goals)
    situation = sizes.observation_size + skill
    policy_outputs = gmm_policy.output_size(agent.components, sizes.action_size)

    def network(inputs: int, outputs: int, trained: bool) -> int:
        return network_flops(
            setting.batch_size,
            inputs,
            setting.hidden_units,
            outputs,
            trained=trained,
            input_gradients=input_gradients,
        )

    return {
        "policy": network(situation, policy_outputs, trained=True),
        "q": network(situation + sizes.action_size, 1, trained=True),
        "q of fresh actions": network(situation + sizes.action_size, 1, trained=False),
        "v": network(situation, 1, trained=True),
        "target v": network(situation, 1, trained=False),
        "discriminator": network(sizes.observation_size, setting.num_goals, trained=True),
    }


class PeakMeter:
    """Measures the rate of large float32 matrix products, again and again in the course of a run.

    Machines slow down and speed up by themselves, so one measurement says little about another that
    was taken minutes later.
    """

    def __init__(self, size: int = MATRIX_SIZE, products: int = 5):
        self.size = size
        self.products = products
        self.rates: list[float] = []
        """FLOP/s of every measurement so far."""
        keys = jax.random.split(jax.random.key(0))
        self._left, self._right = (jax.random.normal(key, (size, size)) for key in keys)
        self._multiply = jax.jit(jnp.matmul)
        self._multiply(self._left, self._right).block_until_ready()

    def measure(self) -> float:
        """The best of a few products, in FLOP/s, by all cores; it is also kept in `rates`."""
        seconds = []
        for _ in range(self.products):
            begin = time.perf_counter()
            self._multiply(self._left, self._right).block_until_ready()
            seconds.append(time.perf_counter() - begin)
        self.rates.append(product_flops(self.size, self.size, self.size) / min(seconds))
        return self.rates[-1]
