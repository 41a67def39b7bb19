"""Where skills are watched: environments that can be drawn, stepped by the actions of a skill file."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import gymnasium
import jax
import numpy as np

from autotelic.downstream.own_environment import check_same, own_environment
from autotelic.downstream.skill_actions import check_actions
from autotelic.environments import (
    HostEnvironment,
    JaxEnvironment,
    has_discrete_actions,
    make_environment,
    render_of,
)
from autotelic.environments.drawing import make_drawn
from autotelic.environments.making import make_one
from autotelic.skills import Skills

FRAMES_PER_SECOND = 20
REMEDY = (
    "name it yourself: --environment my_module:MyEnv-v0, or --environment my_module.MyEnvironment"
)
"""How to watch skills in an environment that their file must not choose."""


class JaxStage:
    """A JAX environment that draws by `render(observation)`."""

    frames_per_second = FRAMES_PER_SECOND

    def __init__(self, environment: Any, skills: Skills):
        self._environment, self._skills = environment, skills
        draw = render_of(environment)
        if draw is None:
            raise ValueError(
                f"{type(environment).__name__} cannot be drawn; give it render(observation), a picture "
                "as uint8 [height, width, 3]"
            )
        self._draw: Callable[[Any], Any] = draw
        self._step = jax.jit(environment.step)
        self._state: Any = None
        self._seen: Any = None
        self._key: Any = None

    def reset(self, seed: int) -> np.ndarray:
        """Begin an episode; the observation."""
        self._key = jax.random.key(seed)
        self._state, self._seen = self._environment.reset(self._key)
        return np.asarray(self._seen)

    def step(self, action: Any) -> tuple[np.ndarray, bool]:
        """The observation that follows, and whether the episode is over."""
        if self._skills.discrete_actions:
            action = np.eye(self._skills.action_size, dtype=np.float32)[action]
        self._key, key = jax.random.split(self._key)
        self._state, step = self._step(self._state, action, key)
        self._seen = step.next_observation
        return np.asarray(self._seen), bool(step.terminated | step.truncated)

    def picture(self) -> np.ndarray:
        """What is to be seen now, uint8 [height, width, 3]."""
        return np.asarray(self._draw(np.asarray(self._seen)))

    def close(self) -> None:
        """There is nothing to release."""


class GymnasiumStage:
    """A Gymnasium environment that draws itself, as pictures or in a window.

    Args:
        make: its id, or what makes it.
        options: for it.
        skills: what will act in it; another environment is refused.
        width: of a picture in pixels, where the environment lets one choose; None for a window.
    """

    def __init__(
        self,
        make: str | Callable[..., gymnasium.Env],
        options: Mapping[str, Any],
        skills: Skills,
        width: int | None,
    ):
        self._environment: Any = (
            make_one(make, {**options, "render_mode": "human"})
            if width is None
            else make_drawn(make, options, width, 3 * width // 4)
        )
        check_actions(self._environment.action_space, skills)
        if width is None:
            follow(self._environment.unwrapped)
        given = self._environment.metadata.get("render_fps")
        self.frames_per_second: int = int(given or FRAMES_PER_SECOND)

    def reset(self, seed: int) -> np.ndarray:
        """Begin an episode; the observation."""
        return self._environment.reset(seed=seed)[0]

    def step(self, action: Any) -> tuple[np.ndarray, bool]:
        """The observation that follows, and whether the episode is over."""
        seen, _, terminated, truncated, _ = self._environment.step(action)
        return seen, bool(terminated or truncated)

    def picture(self) -> np.ndarray:
        """What is to be seen now, uint8 [height, width, 3]."""
        drawn = self._environment.render()
        if drawn is None:
            raise ValueError(f"{self._environment} gave no picture; it cannot be filmed")
        return np.asarray(drawn)

    def close(self) -> None:
        """Release what the environment holds."""
        self._environment.close()


def follow(task: Any) -> None:
    """Let the camera of a window follow the agent, where MuJoCo's model has one that does, as in films."""
    renderer, model = (getattr(task, name, None) for name in ("mujoco_renderer", "model"))
    if renderer is None or model is None:
        return
    mujoco: Any = import_module("mujoco")
    camera = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, "track")
    if camera >= 0:
        renderer.default_cam_config = {
            "type": int(mujoco.mjtCamera.mjCAMERA_TRACKING),
            "trackbodyid": int(model.cam_bodyid[camera]),
            **(renderer.default_cam_config or {}),
        }


Stage = JaxStage | GymnasiumStage


def stage_of(
    environment: JaxEnvironment | HostEnvironment, skills: Skills, width: int | None
) -> Stage:
    """Where to watch skills, in an environment as `make_environment` gives it."""
    check_sizes(environment, skills)
    if isinstance(environment, JaxEnvironment):
        return JaxStage(environment, skills)
    host: Any = environment
    return GymnasiumStage(host.make, host.options, skills, width)


def check_sizes(environment: JaxEnvironment | HostEnvironment, skills: Skills) -> None:
    """Refuse another environment than the skills'."""
    own = skills.observation_size, skills.action_size, skills.discrete_actions
    found = environment.observation_size, environment.action_size, has_discrete_actions(environment)
    words = [
        f"[{seen}] and {'discrete ' * discrete}actions [{actions}]"
        for seen, actions, discrete in (found, own)
    ]
    make = getattr(environment, "make", None)
    if found == own and isinstance(make, str):
        check_same(make, words[0], skills)
    if found != own:
        raise ValueError(
            f"the environment has observations {words[0]}, and the skills of {skills.environment} "
            f"{words[1]}; name another environment"
        )


def environment_of(skills: Skills) -> JaxEnvironment | HostEnvironment:
    """The environment that a skill file names, if making it imports no module that the file chooses."""
    name, options = own_environment(skills, REMEDY)
    return make_environment(name, **options)
