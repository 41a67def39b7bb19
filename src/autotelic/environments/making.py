"""Make one Gymnasium environment and say what it is, or refuse it with the remedy."""

import importlib
import importlib.util
import inspect
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.envs import registration
from gymnasium.spaces import Box, Dict, Discrete

from autotelic import _names, _validate
from autotelic._modules import modules_here, safe_path
from autotelic._types import AutotelicWarning
from autotelic.environments import robotics, tasks
from autotelic.environments.goal_observations import achieved_entries, check_goal_space, flat_size

Make = str | Callable[..., gymnasium.Env]

NAVIGATION_ID = "autotelic/Navigation2D-v0"
REGISTERED = {
    NAVIGATION_ID: ("navigation2d_gymnasium:Navigation2DGymnasium", 100),
    "autotelic/HalfCheetahVelocity-v0": ("tasks.half_cheetah_velocity:HalfCheetahVelocity", 200),
}
"""Our own ids beside the tasks: what makes one, and its time limit."""
TO_DRAW = (
    "for MuJoCo without a screen install EGL (Debian: apt install libegl1) or OSMesa (apt install "
    "libosmesa6), or set MUJOCO_GL to the one that works"
)
"""What to do where MuJoCo cannot draw."""


def register() -> None:
    """Let Gymnasium know our own ids; their modules load when one is made."""
    for name, (entry_point, steps) in REGISTERED.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, f"autotelic.environments.{entry_point}", max_episode_steps=steps
            )
    tasks.register()


register()


class Description(NamedTuple):
    """What a learner must know of an environment.

    Args:
        observation_size: entries of an observation.
        episode_length: the time limit in steps, or None where there is none.
        low: [action_size] the lower bounds of an action; of a discrete one, those of a one-hot vector.
        high: [action_size] the upper bounds.
        first_action: the number of the first of discrete actions; None where they are continuous.
        goal_entries: which entries of an observation are the achieved goal, of a goal environment.
    """

    observation_size: int
    episode_length: int | None
    low: np.ndarray
    high: np.ndarray
    first_action: np.integer[Any] | None = None
    goal_entries: tuple[int, ...] = ()

    @property
    def action_size(self) -> int:
        """Entries of an action: of discrete ones, how many there are."""
        return len(self.low)

    @property
    def discrete_actions(self) -> bool:
        """Whether one of a number of actions is chosen."""
        return self.first_action is not None


def name_of(make: Make) -> str:
    """How messages call the environment: its id, or the name of the function that makes it."""
    return make if isinstance(make, str) else getattr(make, "__name__", repr(make))


def make_one(make: Make, options: Mapping[str, Any]) -> gymnasium.Env:
    """One instance of the environment, or a refusal that names the remedy."""
    if isinstance(make, str):
        for name in _names.imports_of(make, options):
            _names.check_allowed(name)
    if isinstance(make, str) and robotics.is_robotics(make) and not robotics.register():
        raise ImportError(
            f"{make} is a task of Gymnasium-Robotics; pip install 'autotelic[robotics]'"
        )
    try:
        with _model_warnings_kept_off_the_disk(), modules_here():
            if isinstance(make, str):
                # The members check what comes out of the environment themselves.
                environment = gymnasium.make(make, disable_env_checker=True, **options)
            else:
                environment = make(**options)
    except gymnasium.error.DependencyNotInstalled as error:
        raise ImportError(_missing_package(name_of(make), error)) from error
    except gymnasium.error.Error as error:
        if not isinstance(make, str):
            raise ValueError(_not_made(make, options, error)) from error
        raise ValueError(_unknown_id(name_of(make), error)) from error
    except ImportError as error:
        if isinstance(make, str) and ":" in make:
            raise ValueError(
                f"environment {make!r}: {error} The part before the colon must be a Python module "
                "that registers the id when it is imported."
            ) from error
        raise ImportError(_missing_package(name_of(make), error)) from error
    except TypeError as error:
        found = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if found is None or found[1] not in options:
            raise ValueError(_not_made(make, options, error)) from error
        raise ValueError(
            _validate.unknown(f"option of {name_of(make)}", found[1], _option_names(make))
        ) from error
    except Exception as error:  # whatever an environment finds wrong with its options
        raise ValueError(_not_made(make, options, error)) from error
    if not isinstance(environment, gymnasium.Env):
        raise TypeError(
            f"{name_of(make)} made a {type(environment).__name__}, which is no gymnasium.Env; "
            "derive its class from gymnasium.Env"
        )
    return environment


def describe(environment: gymnasium.Env, name: str) -> Description:
    """The sizes of an environment with Box observations, or those of a goal environment, and Box or
    Discrete actions; others are refused.
    """
    observations, actions = environment.observation_space, environment.action_space
    entries: tuple[int, ...] = ()
    if isinstance(observations, Dict):
        check_goal_space(observations, name)
        size, entries = flat_size(observations), achieved_entries(observations)
    elif isinstance(observations, Box) and len(observations.shape) == 1:
        size = observations.shape[0]
    else:
        raise ValueError(
            f"{name} has the observation space {observations}, but a Box of one dimension is "
            f"needed; pass a function that makes the environment wrapped in "
            f"gymnasium.wrappers.FlattenObservation"
        )
    limit = _time_limit(environment)
    if isinstance(actions, Discrete):
        bounds = np.zeros(actions.n, np.float32), np.ones(actions.n, np.float32)
        return Description(size, limit, *bounds, actions.start, entries)
    remedy = (
        "pass a function that makes the environment wrapped in gymnasium.wrappers.TransformAction, "
        "whose action space is Discrete, or a Box of one dimension with finite bounds"
    )
    if (
        not isinstance(actions, Box)
        or len(actions.shape) != 1
        or not np.issubdtype(actions.dtype, np.floating)
    ):
        raise ValueError(
            f"{name} has the action space {actions}, but a Discrete one or a Box of real numbers in "
            f"one dimension is needed; {remedy}"
        )
    if not actions.is_bounded("both"):
        raise ValueError(
            f"{name} has unbounded actions ({actions}), and actions in [-1, 1] cannot be rescaled "
            f"to infinite bounds; {remedy}"
        )
    return Description(size, limit, actions.low, actions.high, goal_entries=entries)


def layers(environment: gymnasium.Env) -> Iterator[gymnasium.Env]:
    """The environment's wrappers from the outermost to the environment itself."""
    while isinstance(environment, gymnasium.Wrapper):
        yield environment
        environment = environment.env
    yield environment


def _time_limit(environment: gymnasium.Env) -> int | None:
    limits, together = [], 1
    for layer in layers(environment):
        if "steps_at_once" in vars(type(layer)):  # a wrapper whose step is several of what it wraps
            together *= layer.steps_at_once  # type: ignore[attr-defined]
        if isinstance(layer, gymnasium.wrappers.TimeLimit):
            limits.append(-(-layer._max_episode_steps // together))
    return min(limits, default=None)


def _not_made(make: Make, options: Mapping[str, Any], error: Exception) -> str:
    given = f" with {dict(options)}" if options else ""
    return f"{name_of(make)} cannot be made{given}: {type(error).__name__}: {error}{_remedy(error)}"


def _remedy(error: Exception) -> str:
    """What to do if MuJoCo could not load its way to draw, which happens when it is imported."""
    way = os.environ.get("MUJOCO_GL")
    modules = [
        str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    if not way or not any(module.startswith("mujoco.") for module in modules):
        return ""
    return f"; MUJOCO_GL is {way!r}: {TO_DRAW}"


def _unknown_id(name: str, error: Exception) -> str:
    latest = _latest_ids() | {name: name for name in ("navigation2d", "maze2d")}
    near = [latest[match] for match in get_close_matches(_plain(name), latest)]
    hint = f"nearest: {', '.join(near)}" if near else "gymnasium.pprint_registry() lists the ids"
    return f"unknown environment {name!r}; {hint}. (Gymnasium: {error})"


def _plain(name: str) -> str:
    """An id without its module and version, in small letters."""
    return name.split(":")[-1].rsplit("-v", 1)[0].lower()


def _latest_ids() -> dict[str, str]:
    """From each plain name to its id of the highest version."""
    by_version = sorted(gymnasium.registry.values(), key=lambda spec: spec.version or 0)
    return {_plain(spec.id): spec.id for spec in by_version}


def _missing_package(name: str, error: Exception) -> str:
    spec = gymnasium.registry.get(name.split(":")[-1])
    if spec is not None and str(spec.entry_point).startswith("gymnasium.envs.box2d"):
        # Gymnasium's own words ask for SWIG first, which its wheels no longer need.
        return f"{name} cannot be made: Box2D is missing; pip install 'gymnasium[box2d]'"
    if importlib.util.find_spec("mujoco") is None:
        return f"{name} cannot be made ({error}); pip install 'autotelic[train]'"
    return f"{name} cannot be made: {error}{_remedy(error)}"


def _option_names(make: Make) -> list[str]:
    """The keyword arguments an environment takes, its own and those it hands on to its bases."""
    names, maker = set(), make
    if isinstance(maker, str):
        names.add("max_episode_steps")  # an argument of gymnasium.make itself
        key = maker.split(":")[-1]
        spec = gymnasium.registry.get(key) or gymnasium.registry[_latest_ids()[_plain(key)]]
        maker = spec.entry_point
        if isinstance(maker, str):
            maker = registration.load_env_creator(maker)
    takers = [maker]
    if isinstance(maker, type):
        takers = [vars(base)["__init__"] for base in maker.__mro__ if "__init__" in vars(base)]
    for taker in takers:
        parameters = inspect.signature(taker).parameters.values()  # type: ignore[arg-type]
        names |= {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break
    return sorted(names - {"self"})


@contextmanager
def _model_warnings_kept_off_the_disk() -> Iterator[None]:
    """Turn MuJoCo's warnings while a model loads into Python's.

    MuJoCo itself would write them to the terminal and into a file MUJOCO_LOG.TXT in the working
    folder. That a model spells an attribute in a deprecated way (Gymnasium's own Half-Cheetah
    does) is nothing a user can act on, so this one is dropped.
    """
    try:
        with safe_path():  # its window package asks another process for a version
            mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        yield
        return
    messages: list[str] = []
    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(previous)
    for message in messages:
        if "deprecated" not in message:
            warnings.warn(message, AutotelicWarning, stacklevel=4)
