"""Entries that a task adds to the observation of the skills' environment, such as an aim."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box


def appended_entries(environment: gymnasium.Env[Any, Any]) -> int:
    """How many of the last entries of an observation are the task's own; 0 of environments that do not say
    so by `appended_entries`.
    """
    return int(getattr(environment.unwrapped, "appended_entries", 0))


def longer(space: gymnasium.Space[Any], entries: int) -> Box:
    """A Box of one dimension with so many further entries, of any size."""
    assert isinstance(space, Box)
    ends = np.full(entries, np.inf)
    low, high = np.concatenate([space.low, -ends]), np.concatenate([space.high, ends])
    return Box(low.astype(space.dtype), high.astype(space.dtype), dtype=space.dtype.type)
