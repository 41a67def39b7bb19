"""Small environments with one property each, for the tests of the pool."""

import os
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete


class Counter(gymnasium.Env):
    """Observes [steps in this episode, episodes begun]; remembers the actions it was given.

    Terminates after `terminates_after` steps; does `fault` at the step `fault_at` of any episode.
    """

    def __init__(
        self,
        low: float = -1.0,
        high: float = 1.0,
        terminates_after: int | None = None,
        fault: str | None = None,
        fault_at: int = 3,
    ):
        self.observation_space = Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space = Box(np.float32(low), np.float32(high), (1,), np.float32)
        self.terminates_after = terminates_after
        self.fault, self.fault_at = fault, fault_at
        self.time, self.episodes = 0, 0
        self.reused = np.zeros(2)

    def _observe(self) -> np.ndarray:
        self.reused[:] = self.time, self.episodes
        return self.reused

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        self.time, self.episodes = 0, self.episodes + 1
        return self._observe(), {"drawn": self.np_random.random()}

    def step(self, action: np.ndarray):
        self.time += 1
        observation: Any = self._observe()
        if self.time == self.fault_at:
            if self.fault == "raise":
                raise ArithmeticError("the wheel came off")
            if self.fault == "die":
                os._exit(7)
            if self.fault == "shape":
                observation = np.zeros(3)
            if self.fault in ("nan", "inf", "huge"):
                observation[1] = {"nan": np.nan, "inf": -np.inf, "huge": 1e300}[self.fault]
        terminated = self.time == self.terminates_after
        return observation, 0.0, terminated, False, {"action": action.copy()}


class Saveable(Counter):
    """A Counter that offers its state."""

    def state_dict(self) -> dict[str, Any]:
        return {"time": self.time, "episodes": self.episodes}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.time, self.episodes = state["time"], state["episodes"]


class Chooser(Counter):
    """A Counter whose actions are -1, 0 and 1, as numbers of one byte."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = Discrete(3, start=-1)
        # Gymnasium 1.0 has no argument for it.
        self.action_space.dtype, self.action_space.start = np.dtype(np.int8), np.int8(-1)


class GoalCorridor(gymnasium.Env):
    """A goal environment: a point on a line that observes [time, -position], achieves its position, and
    is to come within 0.25 of a place in [0, 1]. It offers its state.
    """

    distance_threshold = 0.25

    def __init__(self, length: int = 6) -> None:
        self.observation_space = Dict(
            {
                "observation": Box(-np.inf, np.inf, (2,), np.float64),
                "achieved_goal": Box(-np.inf, np.inf, (1,), np.float64),
                "desired_goal": Box(0.0, 1.0, (1,), np.float64),
            }
        )
        self.action_space = Box(np.float32(-0.2), np.float32(0.2), (1,), np.float32)
        self.length, self.position, self.time, self.goal = length, 0.0, 0, 0.0

    def _observe(self) -> dict[str, np.ndarray]:
        return {
            "desired_goal": np.array([self.goal]),
            "achieved_goal": np.array([self.position]),
            "observation": np.array([self.time, -self.position]),
        }

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        self.position, self.time, self.goal = 0.0, 0, self.np_random.uniform()
        return self._observe(), {}

    def step(self, action: np.ndarray):
        self.position, self.time = self.position + float(action[0]), self.time + 1
        return self._observe(), -1.0, False, self.time == self.length, {}

    def state_dict(self) -> dict[str, Any]:
        return {"position": self.position, "time": self.time, "goal": self.goal}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.position, self.time, self.goal = state["position"], state["time"], state["goal"]


gymnasium.register(
    "doubles/Counter-v0", entry_point="environment_doubles:Counter", max_episode_steps=4
)
