"""Gymnasium-Robotics (the extra `[robotics]`): its ids, and what it needs to run with MuJoCo as it is now."""

import contextlib
import importlib
import importlib.util
import io
import re
from functools import cache
from typing import Any

import gymnasium
import numpy as np

from autotelic._modules import safe_path

FAMILIES = re.compile(r"(Fetch|PointMaze|AntMaze|HandReach|HandManipulate|Adroit|FrankaKitchen)")
MAZES = "gymnasium_robotics.envs.maze."
MAZE_RADIUS = 0.45
"""Metres within which its mazes count a goal as reached: a number in their code, not an attribute."""


def is_robotics(name: str) -> bool:
    """Whether an id, with or without a module before it, looks like one of Gymnasium-Robotics."""
    return FAMILIES.match(name.rpartition(":")[2]) is not None


@cache
def register() -> bool:
    """Let Gymnasium know the ids; whether the package is there."""
    if importlib.util.find_spec("gymnasium_robotics") is None:
        return False
    # Notices about tasks that nobody asked for; the path as in `making`.
    with contextlib.redirect_stderr(io.StringIO()), safe_path():
        package: Any = importlib.import_module("gymnasium_robotics")
    gymnasium.register_envs(package)
    _mend()
    return True


def _mend() -> None:
    """Let its helpers compare kinds of joints as numbers.

    They ask `kind in (mjJNT_HINGE, mjJNT_SLIDE)`, where the kind is an integer of NumPy, to which MuJoCo's
    constants are no longer equal from their side (seen with Gymnasium-Robotics 1.4.2 and MuJoCo 3.17).
    """
    mujoco: Any = importlib.import_module("mujoco")
    if np.int32(mujoco.mjtJoint.mjJNT_HINGE) in (mujoco.mjtJoint.mjJNT_HINGE,):
        return
    utilities: Any = importlib.import_module("gymnasium_robotics.utils.mujoco_utils")
    utilities.mujoco = _WithNumbers(mujoco)


class _WithNumbers:
    """A module whose kinds of joints are integers."""

    def __init__(self, module: Any):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        return _Numbers(found) if name == "mjtJoint" else found


class _Numbers:
    """Constants as integers."""

    def __init__(self, constants: Any):
        self._constants = constants

    def __getattr__(self, name: str) -> int:
        return int(getattr(self._constants, name))


def radius_of(environment: gymnasium.Env) -> float | None:
    """How near the environment itself counts a goal as reached; None if it does not say."""
    innermost: Any = environment.unwrapped
    threshold = getattr(innermost, "distance_threshold", None)
    if threshold is None and type(innermost).__module__.startswith(MAZES):
        return MAZE_RADIUS
    # One for each dimension is no radius.
    return None if threshold is None or np.ndim(threshold) else float(threshold)
