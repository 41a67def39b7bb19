"""An environment of your own: registered with Gymnasium here, trained in from the shell.

    PYTHONPATH=examples autotelic train own_environment:Greenhouse-v0 --epochs 20 --out runs/greenhouse
    PYTHONPATH=examples autotelic evaluate runs/greenhouse --environment own_environment:Greenhouse-v0

`module:Id` is Gymnasium's way to say "import the module, then make the id". Nothing else is needed:
a Box of observations, a bounded Box of actions. Its actions have asymmetric bounds, as those of
real devices do; skills act in [-1, 1], and autotelic rescales.
"""

from typing import Any

import gymnasium
import numpy as np

OUTSIDE = np.array([5.0, 40.0])  # degrees, % humidity
BURNT, FROZEN = 60.0, 0.0
LOW, HIGH = np.array([0.0, -0.2], np.float32), np.array([5.0, 1.0], np.float32)


class Greenhouse(gymnasium.Env[np.ndarray, np.ndarray]):
    """Temperature and humidity, driven by a heater (0 to 5 kW) and a vent (-0.2 to 1).

    An episode ends early when the plants freeze or burn.
    """

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Box(LOW, HIGH)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A mild morning."""
        super().reset(seed=seed, options=options)
        self.air = np.array([18.0, 55.0]) + self.np_random.normal(size=2)
        return self._observation(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Heat, ventilate, and let the air drift towards the weather outside."""
        heat, vent = np.clip(action, LOW, HIGH)
        exchange = 0.02 + 0.1 * max(vent, 0.0)
        self.air += exchange * (OUTSIDE - self.air) + np.array([0.8 * heat, -0.5 * heat])
        self.air += 0.1 * self.np_random.normal(size=2)
        temperature = self.air[0]
        dead = bool(temperature > BURNT or temperature < FROZEN)
        return self._observation(), 0.0, dead, False, {}

    def _observation(self) -> np.ndarray:
        """About -1 to 1: networks like numbers of that size."""
        return ((self.air - [30.0, 50.0]) / [30.0, 50.0]).astype(np.float32)


gymnasium.register("Greenhouse-v0", f"{__name__}:Greenhouse", max_episode_steps=200)
