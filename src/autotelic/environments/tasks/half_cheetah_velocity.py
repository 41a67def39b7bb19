"""Half-Cheetah that sees how fast it has been running: goals are velocities that are held for a second."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.mujoco.half_cheetah_v5 import HalfCheetahEnv

from autotelic.environments.tasks.appended import longer
from autotelic.environments.tasks.mujoco_task import MujocoTask

STEPS = 20
"""Steps over which the velocity is taken: a second, which is several strides."""


def held_velocity(positions: Sequence[float], seconds: float) -> float:
    """(x_t - x_(t-20)) / time of 20 steps, in m/s; before the 20th step the body stood at its start.

    Args:
        positions: x of the last 21 states, the newest last; fewer at an episode's beginning.
        seconds: of one step.

    A single step is no run: forward velocity goes up and down by metres a second within a stride.

    >>> held_velocity([0.0, 1.0], seconds=0.05)
    1.0
    >>> held_velocity([float(x) for x in range(21)], seconds=0.05)
    20.0
    """
    return (positions[-1] - positions[0]) / (STEPS * seconds)


class HalfCheetahVelocity(MujocoTask, HalfCheetahEnv):
    """`autotelic/HalfCheetahVelocity-v0`: HalfCheetah-v5, whose observations end with the mean velocity
    forwards of the last second. Episodes have 200 steps. Options are those of HalfCheetah-v5.
    """

    appended_entries = 1

    def __init__(self, **options: Any):
        self.positions: deque[float] = deque([0.0], maxlen=STEPS + 1)
        super().__init__(**options)
        self.observation_space: gymnasium.Space[Any] = longer(self.observation_space, 1)

    def _get_obs(self) -> np.ndarray:
        return np.append(super()._get_obs(), held_velocity(self.positions, self.dt))

    def reset_model(self) -> Any:
        """Begin an episode, standing."""
        super().reset_model()
        self.positions.clear()
        self.positions.append(float(self.data.qpos[0]))
        return self._get_obs()

    def do_simulation(self, ctrl: Any, n_frames: int) -> None:
        """Move, and remember where to."""
        super().do_simulation(ctrl, n_frames)
        self.positions.append(float(self.data.qpos[0]))

    def own_state(self) -> dict[str, Any]:
        """Where the body was in the last second."""
        return {"positions": list(self.positions)}

    def restore_own(self, state: dict[str, Any]) -> None:
        """See `own_state`."""
        self.positions.clear()
        self.positions.extend(state["positions"])
