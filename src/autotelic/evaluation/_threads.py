"""Numerical libraries in one thread: what is evaluated are many small matrices."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import jax

from autotelic.evaluation._scikit_learn import scikit_learn


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep NumPy, SciPy and scikit-learn to one thread each.

    Two threads wait for each other by spinning: beside another program that uses the processor, a
    training run for example, eigenvalues of 400 x 400 took 2.5 s in place of 0.01 s, and t-SNE of 2000
    trajectories eight times as long.
    """
    scikit_learn("neighbors")  # and with it SciPy: a library is limited only if it is loaded
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        yield


def answer_at_once() -> None:
    """Let JAX compute on the thread that asks, from its first computation in this process on.

    It hands programs to another thread and wakes it up for each, which takes longer than to act for 40
    environments: half as long again as a step, in Half-Cheetah, when other programs run too.
    """
    jax.config.update("jax_cpu_enable_async_dispatch", False)
