"""The environment that a skill file names: made only if that imports no module which the file chooses."""

from collections.abc import Mapping
from typing import Any

import gymnasium

from autotelic.environments import OWN, robotics
from autotelic.environments.making import NAVIGATION_ID
from autotelic.environments.tasks import SKILL_TASK, TASKS
from autotelic.skills import Skills

INDIRECT = {SKILL_TASK: "task", "GymV21Environment-v0": "env_id", "GymV26Environment-v0": "env_id"}
"""Ids that make a further environment, and the option that names it."""


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
    further = options.get(INDIRECT[name]) if name in INDIRECT else None
    if name in INDIRECT and (not _known(further) or further in INDIRECT):
        raise ValueError(_refusal(skills, remedy))
    return {str(key): value for key, value in options.items()}


def _known(name: Any) -> bool:
    """Whether Gymnasium has the id without importing what a module before a colon would bring."""
    if not isinstance(name, str):
        return False
    if ":" not in name and robotics.is_robotics(name):
        robotics.register()
    return name in (NAVIGATION_ID, *TASKS) or name in gymnasium.registry


def _refusal(skills: Skills, remedy: str) -> str:
    return (
        f"the skills' environment {skills.environment!r} is none that is known here, and a file must not "
        f"say what to import; {remedy}"
    )
