"""Observations of Gymnasium's goal environments: a Dict of what is seen, achieved and desired, as one array.

A learner sees `observation` and `achieved_goal`, one after the other. `desired_goal` is left out: the goal
that a selector chose takes its place.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict

KEYS = ("observation", "achieved_goal", "desired_goal")
RESETS = 200
"""Episodes that are begun to see how far desired goals lie apart."""


def check_goal_space(space: Dict, name: str) -> None:
    """Refuse a Dict of another layout, with the keys that it has."""
    if set(space) != set(KEYS):
        found = ", ".join(space) or "(none)"
        raise ValueError(
            f"{name} has Dict observations with the keys {found}, and a goal environment "
            f"has {', '.join(KEYS)}; pass a function that makes the environment wrapped in "
            "gymnasium.wrappers.FlattenObservation"
        )
    for key in KEYS:
        if not isinstance(space[key], Box) or len(space[key].shape or ()) != 1:
            raise ValueError(
                f"{name} has {space[key]} as its {key}, but a Box of one dimension is needed; pass a "
                "function that makes the environment wrapped in "
                "gymnasium.wrappers.TransformObservation, which makes it one"
            )
    if space["achieved_goal"].shape != space["desired_goal"].shape:
        raise ValueError(
            f"{name} has an achieved_goal of the shape {space['achieved_goal'].shape} and a "
            f"desired_goal of {space['desired_goal'].shape}; they must be alike"
        )


def flat_size(space: Dict) -> int:
    """Entries of an observation as a learner sees it."""
    return sum((space[key].shape or (0,))[0] for key in KEYS[:2])


def achieved_entries(space: Dict) -> tuple[int, ...]:
    """Which of them are what was achieved."""
    size = flat_size(space)
    return tuple(range(size - (space["achieved_goal"].shape or (0,))[0], size))


def flat(observation: Any) -> Any:
    """An observation as a learner sees it; what is no Dict is left as it is."""
    # Most are arrays: to ask for their type is quick, and is done in every step.
    if type(observation) is np.ndarray or not isinstance(observation, Mapping):
        return observation
    return np.concatenate([np.asarray(observation[key], np.float64).ravel() for key in KEYS[:2]])


def sample_desired_goals(environment: gymnasium.Env, count: int) -> np.ndarray:
    """The desired goals of so many episodes, [count, goal]; always the same ones."""
    found = []
    for number in range(count):
        observation, _ = environment.reset(seed=0 if number == 0 else None)
        found.append(np.array(observation["desired_goal"], np.float64))
    return np.array(found)


def bounds_around(goals: np.ndarray) -> tuple[tuple[float, float], ...]:
    """(low, high) of each dimension of goals [n, goal]; none is narrower than a tenth of the widest."""
    low, high = goals.min(axis=0), goals.max(axis=0)
    half = (high - low) / 2
    half = np.maximum(half, max(0.1 * half.max(), 1e-3))
    middle = (low + high) / 2
    return tuple((float(a), float(b)) for a, b in zip(middle - half, middle + half, strict=True))
