"""Ant to four places, one after the other: the task of METRA and CSF."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.mujoco.ant_v5 import AntEnv

from autotelic.environments.tasks.appended import longer
from autotelic.environments.tasks.mujoco_task import MujocoTask

GOALS, STEPS = 4, 50
"""Places of an episode, and the steps for each."""
REACH, RADIUS = 7.5, 3.0
"""Metres: how far along each axis a place is drawn from the body, and how near it is reached."""


def at_place(position: Any, place: Any) -> float:
    """1 within RADIUS of the place, its edge included, otherwise 0; positions [2].

    >>> at_place((1.0, 1.0), (1.0, 4.0)), at_place((1.0, 1.0), (1.0, 4.1))
    (1.0, 0.0)
    """
    apart = np.asarray(position, np.float64) - np.asarray(place, np.float64)
    return float(np.hypot(*apart) <= RADIUS)


class AntMultiGoal(MujocoTask, AntEnv):
    """`autotelic/AntMultiGoal-v0`: 1 for every step within 3 m of the place that is to be reached.

    A place is drawn uniformly within 7.5 m of the body along each axis when its turn comes, every 50
    steps; in the code of CSF those after the first are drawn once for all episodes. x and y from the body
    to the place are at the end of an observation. `info["goal"]` is which of the four it was,
    `info["reached"]` which have been reached, `info["success"]` whether all were. Episodes have 200 steps.

    Args:
        terminate_when_unhealthy: as in Ant-v5; in the published protocol episodes do not end early.
        **options: of Ant-v5.
    """

    appended_entries = 2

    def __init__(self, terminate_when_unhealthy: bool = False, **options: Any):
        self.place: np.ndarray = np.zeros(2)
        self.time: int = 0
        self.reached: list[bool] = [False] * GOALS
        super().__init__(terminate_when_unhealthy=terminate_when_unhealthy, **options)
        self.observation_space: gymnasium.Space[Any] = longer(self.observation_space, 2)

    def _get_obs(self) -> np.ndarray:
        return np.concatenate([super()._get_obs(), self.place - self.data.qpos[:2]])

    def reset_model(self) -> Any:
        """Begin an episode, with its first place."""
        super().reset_model()
        self.time, self.reached = 0, [False] * GOALS
        self._draw()
        return self._get_obs()

    def step(self, action: Any) -> Any:
        """Act; paid at the place. What is seen after the last of its steps is the next place."""
        _, _, terminated, truncated, info = super().step(action)
        goal = min(self.time // STEPS, GOALS - 1)
        reward = at_place(self.data.qpos[:2], self.place)
        self.reached[goal] |= reward > 0
        self.time += 1
        if self.time % STEPS == 0 and self.time < GOALS * STEPS:
            self._draw()
        info |= {"goal": goal, "reached": tuple(self.reached), "success": all(self.reached)}
        return self._get_obs(), reward, terminated, truncated, info

    def _draw(self) -> None:
        self.place = self.data.qpos[:2] + self.np_random.uniform(-REACH, REACH, 2)

    def own_state(self) -> dict[str, Any]:
        """The place, when it is, and which were reached."""
        reached = [bool(one) for one in self.reached]
        return {"place": self.place.tolist(), "time": self.time, "reached": reached}

    def restore_own(self, state: dict[str, Any]) -> None:
        """See `own_state`."""
        self.place, self.time = np.array(state["place"]), int(state["time"])
        self.reached = list(state["reached"])
