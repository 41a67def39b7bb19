"""An environment that draws itself without a screen; another process imports it."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

OBSERVATION = 3


class Lamp(gymnasium.Env):
    """Shows its time as brightness, and its place as what it observes; ends after some steps."""

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 10}  # noqa: RUF012
    observation_space: Any = Box(-np.inf, np.inf, (OBSERVATION,), np.float64)
    action_space: Any = Box(np.float32([-2, 0]), np.float32([2, 1]))

    def __init__(self, render_mode: str | None = None, ends_after: int = 1000):
        self.render_mode = render_mode
        self.time, self.ends_after, self.seeds, self.actions = 0, ends_after, [], []

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.time = 0
        self.seeds.append(seed)
        return np.zeros(OBSERVATION), {}

    def step(self, action: Any) -> Any:
        self.time += 1
        self.actions.append(action)
        return np.full(OBSERVATION, self.time), 0.0, self.time >= self.ends_after, False, {}

    def render(self) -> Any:
        return np.full((6, 8, 3), 20 * self.time, np.uint8) if self.render_mode != "human" else None
