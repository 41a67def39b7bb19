"""Run, and run backward: Half-Cheetah's own reward in both directions."""

from typing import Any

import numpy as np
from gymnasium.envs.mujoco.half_cheetah_v5 import HalfCheetahEnv

from autotelic.environments.tasks.mujoco_task import MujocoTask


def run_reward(velocity: float, action: Any, direction: float, control_cost: float = 0.1) -> float:
    """direction v_x - control_cost |a|^2; direction is 1 forward and -1 backward.

    >>> run_reward(3.0, np.array([1.0, -2.0]), direction=-1.0)
    -3.5
    """
    squares = np.sum(np.square(np.asarray(action, np.float64)))
    return float(direction * velocity - control_cost * squares)


class HalfCheetahRun(MujocoTask, HalfCheetahEnv):
    """`autotelic/HalfCheetahRun-v0`: Half-Cheetah with its own reward, which is Gymnasium's.

    Options are those of HalfCheetah-v5.
    """

    direction: float = 1.0

    def step(self, action: Any) -> Any:
        """Act; see `run_reward`."""
        seen, _, terminated, truncated, info = super().step(action)
        velocity = self._forward_reward_weight * info["x_velocity"]
        reward = run_reward(velocity, action, self.direction, self._ctrl_cost_weight)
        return seen, reward, terminated, truncated, info


class HalfCheetahRunBackward(HalfCheetahRun):
    """`autotelic/HalfCheetahRunBackward-v0`: the same backward."""

    direction: float = -1.0
