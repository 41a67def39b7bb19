"""How many cores this process may use: those it is bound to, or as many as it was told."""

import os

VARIABLE = "AUTOTELIC_CORES"
"""Environment variable that a sweep sets for its runs, so that a run is the same on every machine."""


def usable_cores() -> int:
    """The cores that this process may use."""
    given = os.environ.get(VARIABLE, "")
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise ValueError(f"{VARIABLE} must be a number of cores, such as 2, got {given!r}")
        return int(given)
    return len(bound_to()) or os.cpu_count() or 1


def bound_to() -> list[int]:
    """The cores that this process is bound to by number; none where the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
