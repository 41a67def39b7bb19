"""The environment that skills were trained in: whether another one is it, and what a file may say of it.

A file's environment is made only if that imports no module which the file chooses.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium

from autotelic import _names
from autotelic.environments import OWN, making, robotics
from autotelic.environments.tasks import TASKS
from autotelic.skills import Skills

OURS = ("gymnasium.", "autotelic.", "gymnasium_robotics.")
"""Packages whose environments are what their names say."""


def own_environment(skills: Skills, remedy: str) -> tuple[str, dict[str, Any]]:
    """Its name and its options.

    remedy: how to name an environment oneself; ends the refusal of one that is not known here.
    """
    name = skills.info["environment"]["name"]
    if name.lower() not in OWN and not _known(name):
        raise ValueError(_refusal(skills, remedy))
    return name, options_for(name, skills, remedy)


def options_for(name: str, skills: Skills, remedy: str) -> dict[str, Any]:
    """The file's options, for an environment of that name.

    They are refused where they would name a further environment that is not known here.
    """
    options = skills.info["environment"].get("options", {})
    if not isinstance(options, Mapping):
        raise ValueError(f"the file of the skills of {skills.environment} has no sound options")
    further = _names.further(name, options)
    if further is not None and (not _known(further) or _names.further(further, {}) is not None):
        raise ValueError(_refusal(skills, remedy))
    return {str(key): value for key, value in options.items()}


def base_of(task: str) -> str:
    """The environment that a task is made of."""
    return TASKS[task].base if task in TASKS else task


def check_same(task: str, shapes: str, skills: Skills) -> None:
    """Refuse an environment that is known to be another than the skills', whatever its shapes are.

    task: its id; other versions of the skills' environment are not told from it. shapes: see `shapes_of`.
    """
    base, own = base_of(task), base_of(skills.environment)
    if _plain(base) == _plain(own) or not (_is_ours(base) and _is_ours(own)):
        return
    of = f"a task of {base}" if task in TASKS else "another environment"
    kind = "discrete actions" if skills.discrete_actions else "actions"
    raise ValueError(
        f"{task} is {of}, with observations {shapes}; the skills were trained in {skills.environment}, with "
        f"observations [{skills.observation_size}] and {kind} [{skills.action_size}]; choose a task of that: "
        + ", ".join([name for name in TASKS if TASKS[name].base == own] or [own])
    )


def shapes_of(environment: gymnasium.Env[Any, Any]) -> str:
    """Of observations and actions, for `check_same`."""
    return (
        f"{list(environment.observation_space.shape or ())} and actions {environment.action_space}"
    )


def _plain(name: str) -> str:
    """A name without its version, in small letters."""
    return name.rsplit("-v", 1)[0].lower()


def _is_ours(name: str) -> bool:
    """Whether it is an environment of ours or Gymnasium's: of others nobody knows what they are made of."""
    spec = gymnasium.registry.get(name)
    known = spec is not None and str(spec.entry_point).startswith(OURS)
    return known or name.lower() in OWN


def _known(name: Any) -> bool:
    """Whether Gymnasium has the id without importing what a module before a colon would bring."""
    if not isinstance(name, str):
        return False
    making.register()
    if ":" not in name and robotics.is_robotics(name):
        robotics.register()
    return name in gymnasium.registry


def _refusal(skills: Skills, remedy: str) -> str:
    return (
        f"the skills' environment {skills.environment!r} is none that is known here, and a file must not "
        f"say what to import; {remedy}"
    )
