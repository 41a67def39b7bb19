"""Skills of 2D navigation made by hand: each goes to a corner, and is recognised by its quadrant."""

import math
from typing import Any

import numpy as np

from autotelic.skills import Skills

CORNERS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], np.float32)
"""Of each goal, the signs of its steps along x and y."""
STEP = 0.05 * math.tanh(3.0)
"""How far a step goes along each axis."""


def corner_skills(environment: Any = "navigation2d", **changes: Any) -> Skills:
    """Four goals; a unit of the hidden layers for each. environment: its name, or the header's entry."""
    eye = np.eye(4, dtype=np.float32)
    sides = np.array([[1, -1, 0, 0], [0, 0, 1, -1]], np.float32)  # right, left, above, below
    seen_in = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]], np.float32)
    arrays = {
        "goals": eye,
        "policy.inputs.0": np.concatenate([np.zeros((2, 4), np.float32), eye]),
        "policy.output": np.concatenate([3 * CORNERS, np.full((4, 2), -2, np.float32)], axis=1),
        "judge.inputs.0": sides,
        "judge.input_bias": np.array([-0.5, 0.5, -0.5, 0.5], np.float32),
        "judge.output": 20 * seen_in.T,
    }
    for network in ("policy", "judge"):
        arrays[f"{network}.hidden"] = eye
        for bias in ("input_bias", "hidden_bias", "output_bias"):
            arrays.setdefault(f"{network}.{bias}", np.zeros(4, np.float32))
    about = {"name": environment, "options": {}, "episode_length": 100}
    if isinstance(environment, dict):
        about = environment
    header = {
        "library": "0.2",
        "environment": about,
        "observation": {"size": 2, "normalization": "none"},
        "action": {"kind": "box", "low": [-1.0, -1.0], "high": [1.0, 1.0], "dtype": "float32"},
        "goals": {"number": 4, "size": 4, "continuous": False},
        "hidden_units": 4,
        "agent": {"name": "sac", "policy_activation": "relu", "tune_entropy": True},
        "objective": {"name": "diayn", "features": None},
        "measured": None,
    }
    return Skills({**header, **changes, "arrays": {}}, arrays)


def return_towards(corner: np.ndarray, place: np.ndarray, steps: int) -> float:
    """What going from the centre to a corner is paid, if the task is to go to a place."""
    total = 0.0
    for time in range(1, steps + 1):
        position = np.clip(0.5 + time * STEP * corner, 0.0, 1.0)
        total -= float(np.sum((position - place) ** 2))
    return total
