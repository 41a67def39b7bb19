"""How many crews there are, and how many learners in each: what this machine computes fastest.

On the CPU several crews, each computing on one core, beat one large program whose small matrix
products are split over cores (docs/performance.md); on an accelerator all learners are one crew.
"""

from typing import Any

import jax

from autotelic._cores import usable_cores
from autotelic.environments import HostEnvironment

LARGEST_CREW, LARGEST_SHARED = 4, 64
"""Learners in a crew, and hidden units up to which more than one share it: larger matrices fill a
core by themselves, and two learners' would only push each other out of its caches."""


def usable_workers() -> int:
    """How many crews can compute at the same time on this machine."""
    if jax.default_backend() != "cpu":
        return 1
    return usable_cores()


def crew_threads(environment: Any) -> int:
    """How many crews are under way at the same time.

    Crews of a host environment are twice as many as can compute: while one waits for its
    environment, another learns.
    """
    return usable_workers() * (2 if isinstance(environment, HostEnvironment) else 1)


def crew_size(members: int, workers: int, hidden_units: int) -> int:
    """Learners per crew: crews of one size, so that one program serves all, and no worker idle.

    The size decides how matrix products round, so the same seed gives another learner in another size.

    >>> crew_size(20, workers=2, hidden_units=32), crew_size(20, workers=2, hidden_units=300)
    (2, 1)
    """
    if workers == 1:
        return members
    if hidden_units > LARGEST_SHARED:
        return 1
    sizes = [n for n in range(1, LARGEST_CREW + 1) if members % (n * workers) == 0]
    return max(sizes, default=1)
