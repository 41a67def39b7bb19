"""The arithmetic limit: the FLOPs that one update takes, and how fast the machine multiplies and copies.

Counting rule: a product of [m, k] and [k, n] matrices takes 2 m n k FLOPs; nothing else is counted.
A trained network's backward pass counts twice its forward pass (the gradients of its weights and of
its inputs), as is customary, although a first layer's inputs need no gradient: `update_flops` without
`input_gradients` leaves these out.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.agents import GmmSac, gmm_policy
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting

MATRIX_SIZE = 2048
COPIED = 1 << 20
"""Bytes of one copy: about a learner's networks."""


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


class CopyRates(NamedTuple):
    """Bytes a second that one thread copies, and two at the same time together."""

    one: float
    two: float


def copy_rates(copies: int = 4000) -> CopyRates:
    """How fast threads copy memory of their own, which says how near to each other their cores are.

    Two cores that share their caches copy no faster than one, and pass a learner's weights and gradients to
    each other quickly; two that share none do the opposite.
    """
    return CopyRates(*(_copied(threads, copies) for threads in (1, 2)))


def _copied(threads: int, copies: int) -> float:
    """Bytes a second of all threads."""
    together = Barrier(threads)

    def copy(_: int) -> tuple[float, float]:
        source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
        together.wait()
        begin = time.perf_counter()
        for _ in range(copies):
            np.copyto(target, source)
        return begin, time.perf_counter()

    with ThreadPoolExecutor(threads) as executor:
        begins, ends = zip(*executor.map(copy, range(threads)), strict=True)
    return threads * copies * COPIED / (max(ends) - min(begins))
