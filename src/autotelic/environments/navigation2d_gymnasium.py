"""2D navigation as a Gymnasium environment, from the definition in `navigation2d.py`."""

from typing import Any

import gymnasium
import numpy as np

from autotelic.environments.navigation2d import CENTRE, Navigation2D, move


class Navigation2DGymnasium(gymnasium.Env):
    """The environment behind the Gymnasium id `autotelic/Navigation2D-v0`.

    Actions are displacements in [-action_range, action_range]^2. The time limit of 100 steps comes
    with the id; `gymnasium.make(..., max_episode_steps=-1)` takes it away. There is no reward.

    Args:
        action_range: as in `Navigation2D`.
        noise: as in `Navigation2D`.
        random_start: as in `Navigation2D`.
        render_mode: None, the only mode there is.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own spelling)
    pays_reward = False

    def __init__(
        self,
        action_range: float = 0.05,
        noise: float = 0.0,
        random_start: bool = False,
        render_mode: None = None,
    ):
        self.settings: Navigation2D = Navigation2D(
            action_range, noise=noise, random_start=random_start
        )
        self.render_mode: str | None = render_mode
        self.observation_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(
            0.0, 1.0, (2,), np.float32
        )
        self.action_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(
            -action_range, action_range, (2,), np.float32
        )
        self.position: Any = np.array(CENTRE, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode; returns the observation [2] and the information."""
        super().reset(seed=seed, options=options)
        if self.settings.random_start:
            self.position = self.np_random.random(2, dtype=np.float32)
        else:
            self.position = np.array(CENTRE, np.float32)
        return self.position, self._information()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Move by `action` [2]; never terminated, and truncated by the time limit around it."""
        disturbance = 0.0
        if self.settings.noise > 0:
            disturbance = self.settings.noise * self.np_random.standard_normal(2, dtype=np.float32)
        action = np.asarray(action, np.float32)
        self.position = move(self.position, action, disturbance, self.settings.action_range)
        return self.position, 0.0, False, False, self._information()

    def state_dict(self) -> dict[str, Any]:
        """All that the next step depends on but the random generator and the time."""
        return {"position": self.position.tolist()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""
        self.position = np.array(state["position"], np.float32)

    def _information(self) -> dict[str, Any]:
        return {"x_position": float(self.position[0]), "y_position": float(self.position[1])}
