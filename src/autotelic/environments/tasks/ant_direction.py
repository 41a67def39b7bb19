"""Ant in four directions: its own reward, with the velocity along one of them."""

from typing import Any

import numpy as np
from gymnasium.envs.mujoco.ant_v5 import AntEnv

from autotelic import _validate
from autotelic.environments.tasks.mujoco_task import MujocoTask

DIRECTIONS = {"east": (1.0, 0.0), "north": (0.0, 1.0), "west": (-1.0, 0.0), "south": (0.0, -1.0)}
"""x and y; Ant-v5 itself runs east."""


def direction_reward(velocity: Any, direction: Any, healthy: float, costs: float) -> float:
    """v . d + healthy - costs, of velocity and direction [2].

    >>> direction_reward((3.0, -1.0), (0.0, 1.0), healthy=1.0, costs=0.25)
    -0.25
    """
    along = np.dot(np.asarray(velocity, np.float64), direction)
    return float(along + healthy - costs)


class AntDirection(MujocoTask, AntEnv):
    """`autotelic/AntDirection-v0`: run east, north, west or south.

    What is paid for health, and what actions and contacts cost, is as in Ant-v5.

    Args:
        direction: one of the four.
        **options: of Ant-v5.
    """

    def __init__(self, direction: str = "east", **options: Any):
        _validate.choice("direction", direction, DIRECTIONS)
        self.direction: tuple[float, float] = DIRECTIONS[direction]
        super().__init__(**options)

    def step(self, action: Any) -> Any:
        """Act; see `direction_reward`."""
        seen, _, terminated, truncated, info = super().step(action)
        velocity = np.array([info["x_velocity"], info["y_velocity"]]) * self._forward_reward_weight
        costs = -info["reward_ctrl"] - info["reward_contact"]
        reward = direction_reward(velocity, self.direction, info["reward_survive"], costs)
        return seen, reward, terminated, truncated, info
