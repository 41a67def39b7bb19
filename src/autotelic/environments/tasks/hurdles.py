"""Half-Cheetah over hurdles: 1 for each one passed (DIAYN; METRA).

The hurdles are put into Gymnasium's own model when a task is made.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
from gymnasium.envs.mujoco import half_cheetah_v5
from gymnasium.envs.mujoco.half_cheetah_v5 import HalfCheetahEnv

from autotelic import _validate
from autotelic.environments.tasks.appended import longer
from autotelic.environments.tasks.mujoco_task import MujocoTask

FIRST, APART = -1.0, 3.0
"""Metres: where the first hurdle is, and how far the next is from it. The body starts near 0."""
HEIGHT, WIDTH, DEPTH = 0.25, 0.1, 1.0
"""Metres: upwards, along the way, and across it."""
FARTHEST = 100.0
"""Metres to a hurdle that is seen where none is left."""


def hurdle_places(hurdles: int) -> np.ndarray:
    """x of so many hurdles ahead of the start, and of the one behind it.

    >>> hurdle_places(2)
    array([-1.,  2.,  5.])
    """
    return FIRST + APART * np.arange(hurdles + 1)


def hurdles_passed(x: float, places: Sequence[float] | np.ndarray) -> int:
    """How many hurdles ahead of the start lie behind the body.

    >>> [hurdles_passed(x, [-1.0, 2.0, 5.0]) for x in (-3.0, 1.9, 2.1, 6.0)]
    [0, 0, 1, 2]
    """
    return int(np.sum((np.asarray(places) > 0) & (np.asarray(places) <= x)))


def next_hurdle(x: float, places: Sequence[float] | np.ndarray) -> float:
    """Metres from the body to the next hurdle.

    >>> next_hurdle(1.5, [-1.0, 2.0, 5.0])
    0.5
    """
    ahead = np.asarray(places)[np.asarray(places) > x]
    return float(ahead.min() - x) if len(ahead) else FARTHEST


def with_hurdles(model: str, places: Sequence[float] | np.ndarray) -> str:
    """MuJoCo's XML of a Half-Cheetah with boxes at these places."""
    root = ElementTree.fromstring(model)
    world = root.find("worldbody")
    assert world is not None
    for number, x in enumerate(places):
        box = {
            "name": f"hurdle{number}",
            "type": "box",
            "pos": f"{x} 0 {HEIGHT / 2}",
            "size": f"{WIDTH / 2} {DEPTH / 2} {HEIGHT / 2}",
            # The model's bodies touch what has an affinity, as its floor does.
            "conaffinity": "1",
            "rgba": "0.8 0.3 0.2 1",
        }
        ElementTree.SubElement(world, "geom", box)
    return ElementTree.tostring(root, encoding="unicode")


class HalfCheetahHurdles(MujocoTask, HalfCheetahEnv):
    """`autotelic/HalfCheetahHurdles-v0`: 1 for each hurdle that is passed for the first time.

    `info["hurdles"]` counts those passed, `info["success"]` says whether all are. Episodes have 200 steps.

    Args:
        hurdles: how many are ahead.
        see_hurdles: put the metres to the next hurdle at the end of an observation. Without it observations
            are those of the skills, which fine-tuning needs.
        **options: of HalfCheetah-v5.
    """

    def __init__(self, hurdles: int = 10, see_hurdles: bool = True, **options: Any):
        _validate.integer("hurdles", hurdles, minimum=1)
        _validate.boolean("see_hurdles", see_hurdles)
        self.places: np.ndarray = hurdle_places(hurdles)
        self.most_passed: int = 0
        folder = Path(half_cheetah_v5.__file__).parent / "assets"
        model = (folder / options.pop("xml_file", "half_cheetah.xml")).read_text()
        with tempfile.TemporaryDirectory() as place:  # MuJoCo reads the file once
            path = Path(place) / "half_cheetah_hurdles.xml"
            path.write_text(with_hurdles(model, self.places))
            self.appended_entries: int = 0
            super().__init__(xml_file=str(path), **options)
        self.appended_entries = int(see_hurdles)
        if see_hurdles:
            self.observation_space: gymnasium.Space[Any] = longer(self.observation_space, 1)

    def _get_obs(self) -> np.ndarray:
        seen = super()._get_obs()
        if not self.appended_entries:
            return seen
        return np.append(seen, next_hurdle(self.data.qpos[0], self.places))

    def reset_model(self) -> Any:
        """Begin an episode, with every hurdle ahead."""
        seen = super().reset_model()
        self.most_passed = hurdles_passed(self.data.qpos[0], self.places)
        return self._get_obs() if self.appended_entries else seen

    def step(self, action: Any) -> Any:
        """Act; paid for hurdles passed for the first time."""
        seen, _, terminated, truncated, info = super().step(action)
        passed = hurdles_passed(info["x_position"], self.places)
        reward = float(max(0, passed - self.most_passed))
        self.most_passed = max(passed, self.most_passed)
        done = self.most_passed == len(self.places) - 1
        info |= {"hurdles": self.most_passed, "success": done}
        return seen, reward, terminated, truncated, info

    def own_state(self) -> dict[str, Any]:
        """How many hurdles were passed."""
        return {"most_passed": self.most_passed}

    def restore_own(self, state: dict[str, Any]) -> None:
        """See `own_state`."""
        self.most_passed = int(state["most_passed"])
