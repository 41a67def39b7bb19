"""Go to a place in 2D navigation: the reward is less the squared distance (DIAYN)."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from autotelic import _validate
from autotelic.environments.navigation2d import CENTRE, Navigation2D, move
from autotelic.environments.tasks.appended import longer

RADIUS = 0.05
"""Within which the place counts as reached: one step."""


def place_reward(position: Any, place: Any) -> float:
    """-|s - g|^2, of positions [2].

    >>> place_reward(np.array([0.5, 0.5]), np.array([0.5, 0.25]))
    -0.0625
    """
    return -float(np.sum(np.square(np.asarray(position, np.float64) - place)))


class Navigation2DGoal(gymnasium.Env):
    """`autotelic/Navigation2DGoal-v0`: the point of `navigation2d`, with its actions in [-1, 1].

    `info["success"]` says whether the point is within RADIUS of the place. Episodes have 100 steps.

    Args:
        goal: the place, x and y in [0, 1]; or "random", one drawn for every episode, whose coordinates are
            then at the end of an observation.
        action_range: as in `Navigation2D`.
        noise: as in `Navigation2D`.
        random_start: as in `Navigation2D`.
        render_mode: None, the only mode there is.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own spelling)

    def __init__(
        self,
        goal: Sequence[float] | str = (0.9, 0.9),
        action_range: float = 0.05,
        noise: float = 0.0,
        random_start: bool = False,
        render_mode: None = None,
    ):
        self.settings: Navigation2D = Navigation2D(
            action_range, noise=noise, random_start=random_start
        )
        self.draws: bool = isinstance(goal, str)
        if isinstance(goal, str):
            _validate.choice("goal", goal, ["random"])
            self.goal: np.ndarray = np.array(CENTRE, np.float32)
        else:
            if len(goal) != 2:
                raise ValueError(f"goal must be x and y, or 'random', got {goal!r}")
            for coordinate in goal:
                _validate.number("goal", coordinate, minimum=0.0, maximum=1.0)
            self.goal = np.array(goal, np.float32)
        self.appended_entries: int = 2 * self.draws
        self.render_mode: str | None = render_mode
        space = Box(0.0, 1.0, (2,), np.float32)
        self.observation_space: Any = longer(space, 2) if self.draws else space
        self.action_space: Any = Box(-1.0, 1.0, (2,), np.float32)
        self.position: Any = np.array(CENTRE, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the observation and the information."""
        super().reset(seed=seed, options=options)
        self.position = np.array(CENTRE, np.float32)
        if self.settings.random_start:
            self.position = self.np_random.random(2, dtype=np.float32)
        if self.draws:
            self.goal = self.np_random.random(2, dtype=np.float32)
        return self._seen(), self._information()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Move; never terminated, and truncated by the time limit around it."""
        disturbance: Any = 0.0
        if self.settings.noise > 0:
            disturbance = self.settings.noise * self.np_random.standard_normal(2, dtype=np.float32)
        reach = np.float32(self.settings.action_range)
        displacement = reach * np.asarray(action, np.float32)
        self.position = move(self.position, displacement, disturbance, float(reach))
        reward = place_reward(self.position, self.goal)
        return self._seen(), reward, False, False, self._information()

    def state_dict(self) -> dict[str, Any]:
        """All that the next step depends on but the random generator and the time."""
        return {"position": self.position.tolist(), "goal": self.goal.tolist()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""
        self.position = np.array(state["position"], np.float32)
        self.goal = np.array(state["goal"], np.float32)

    def _seen(self) -> np.ndarray:
        here = self.position.copy()
        return np.concatenate([here, self.goal]) if self.draws else here

    def _information(self) -> dict[str, Any]:
        x, y = (float(one) for one in self.position)
        near = place_reward(self.position, self.goal) >= -(RADIUS**2)
        return {"x_position": x, "y_position": y, "success": near}
