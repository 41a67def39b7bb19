"""How many cores this process may use: those it is bound to, or as many as it was told."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

VARIABLE = "AUTOTELIC_CORES"
"""Environment variable that a sweep sets for its runs, so that a run is the same on every machine."""


IN_ONE_THREAD: dict[str, bool] = {"xla_cpu_multi_thread_eigen": False}
"""For XLA's compiler: matrix products run on the thread that needs them; independent ones still run side
by side.
"""

_left: ContextVar[int | None] = ContextVar("cores left", default=None)


@contextmanager
def only(cores: int) -> Iterator[None]:
    """Use so many cores, because others are taken."""
    before = _left.set(cores)
    try:
        yield
    finally:
        _left.reset(before)


def usable_cores() -> int:
    """The cores that this process may use."""
    left = _left.get()
    if left is not None:
        return left
    given = os.environ.get(VARIABLE, "")
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise ValueError(f"{VARIABLE} must be a number of cores, such as 2, got {given!r}")
        return int(given)
    return len(bound_to()) or os.cpu_count() or 1


def bound_to() -> list[int]:
    """The cores that this process is bound to by number; none where the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
