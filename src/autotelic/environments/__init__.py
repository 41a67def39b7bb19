"""Where the agent acts: JAX environments, and any Gymnasium id."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from typing import Any

from autotelic import _names, _validate
from autotelic._modules import modules_here
from autotelic.environments.base import (
    EnvironmentFailure,
    EnvironmentStep,
    HostEnvironment,
    JaxEnvironment,
    bounds_of,
    caution_of,
    has_discrete_actions,
    pays_reward,
    position_entries_of,
    positions_of,
    render_of,
)
from autotelic.environments.goals import (
    desired_goals_of,
    goal_bounds_of,
    goal_entries_of,
    goal_radius_of,
    has_desired_goals,
    reachable_of,
    walls_of,
)

__all__ = [
    "OWN",
    "EnvironmentFailure",
    "EnvironmentStep",
    "HostEnvironment",
    "JaxEnvironment",
    "bounds_of",
    "caution_of",
    "desired_goals_of",
    "episode_limit",
    "goal_bounds_of",
    "goal_entries_of",
    "goal_radius_of",
    "has_desired_goals",
    "has_discrete_actions",
    "make_environment",
    "pays_reward",
    "position_entries_of",
    "positions_of",
    "reachable_of",
    "render_of",
    "walls_of",
]

OWN = ("navigation2d", "maze2d")
"""Names of our own environments."""


def make_environment(
    environment: str | Callable[..., Any] | JaxEnvironment | HostEnvironment, **options: Any
) -> JaxEnvironment | HostEnvironment:
    """The environment to train in, from its name.

    Args:
        environment: "navigation2d" or "maze2d"; or a Gymnasium id ("HalfCheetah-v5", "module:Id-v0"); or
            one of Brax or MuJoCo Playground ("brax::ant", "playground::CheetahRun"); or a function that
            makes one Gymnasium environment; or an environment as this function returns it, or a
            `JaxEnvironment` of your own, which is handed back as it is.
        **options: settings of `Navigation2D` or `Maze2D`; or `backend` (see `GymnasiumPool`) and the keyword
            arguments of the Gymnasium environment; or see `CompiledEnvironment`.

    Examples:
        >>> make_environment("navigation2d", noise=0.01).episode_length
        100
        >>> make_environment("HalfCheetah-v5").observation_size
        17
        >>> make_environment("CartPole-v1").discrete_actions
        True
    """
    if isinstance(environment, str) and environment.lower() in OWN:
        return _own(environment.lower(), options)
    if isinstance(environment, str) and "::" in environment:
        try:
            from autotelic.environments.compiled import CompiledEnvironment
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        return CompiledEnvironment(environment, options)
    if not isinstance(environment, type) and isinstance(
        environment, JaxEnvironment | HostEnvironment
    ):
        if options:
            raise ValueError(
                f"options ({', '.join(options)}) go with a name; {type(environment).__name__} is "
                "already made: set them where it is made"
            )
        return environment
    if isinstance(environment, str) or callable(environment):
        try:  # JAX, Gymnasium and MuJoCo load only when they are needed
            from autotelic.environments.gymnasium import GymnasiumEnvironment
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        backend = options.pop("backend", "auto")
        return GymnasiumEnvironment(environment, options, backend)
    raise TypeError(
        "environment must be a name, a function that makes a gymnasium.Env (not one instance: each "
        "member of a population needs its own), or an object with reset, step, observation_size, "
        f"action_size and episode_length; got {environment!r}"
    )


def episode_limit(name: str) -> int | None:
    """The steps after which a Gymnasium id cuts an episode, without making it; None if it says none, or is
    unknown, or its module is: that is refused where it is made.
    """
    try:
        import gymnasium

        from autotelic.environments import making, robotics
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    making.register()
    module, _, own = name.rpartition(":")
    if robotics.is_robotics(name):
        robotics.register()
    elif module:  # which registers the id
        _names.check_allowed(name)
        with modules_here(), suppress(Exception):
            import_module(module)
    spec = gymnasium.registry.get(own)
    return None if spec is None else spec.max_episode_steps


def _own(name: str, options: dict[str, Any]) -> JaxEnvironment:
    try:
        if name == "maze2d":
            from autotelic.environments.maze2d import Maze2D as kind
        else:
            from autotelic.environments.navigation2d import Navigation2D as kind
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    valid = [setting.name for setting in fields(kind)]
    for option in options:
        if option not in valid:
            raise ValueError(_validate.unknown(f"option of {name}", option, valid))
    return kind(**options)


def _missing(error: ModuleNotFoundError) -> ImportError:
    return ImportError(f"{error}; environments need it: pip install 'autotelic[train]'")
