"""A task for skills: made with the options of their environment, and refused if they cannot act in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from autotelic.downstream.own_environment import base_of, check_same, options_for, shapes_of
from autotelic.downstream.skill_actions import check_actions
from autotelic.environments.making import make_one
from autotelic.environments.tasks import appended_entries
from autotelic.skills import Skills

LENGTHS = ("max_episode_steps", "episode_length", "resets", "backend")
"""Options of an environment that a task of it has its own of, or that are no part of it."""
LONGEST = 1000
"""Steps of an episode of a task without a time limit."""


@dataclass(frozen=True)
class TaskFor:
    """A task and the skills that are to be used in it, checked.

    Args:
        task: a Gymnasium id with a reward: one of `autotelic.environments.tasks.TASKS`, or any other.
        skills: what will act. A task of another environment is refused.
        options: for the task. Those of the skills' environment come first, where the task is made of it.

    >>> TaskFor("autotelic/AntMultiGoal-v0", Skills.load("skills.npz"))  # doctest: +SKIP
    """

    task: str
    skills: Skills
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.skills, Skills):
            raise TypeError(
                "skills must be autotelic.Skills, such as Skills.load('skills.npz'), got "
                f"{self.skills!r}"
            )
        if not isinstance(self.task, str):
            raise TypeError(f"task must be a Gymnasium id, got {self.task!r}")
        object.__setattr__(self, "options", {**_options_of(self.task, self.skills), **self.options})
        environment = make_one(self.task, self.options)
        try:
            self._check(environment)
        finally:
            environment.close()

    def make(self) -> gymnasium.Env[Any, Any]:
        """An instance of the task."""
        return make_one(self.task, self.options)

    @property
    def observe(self) -> Callable[[Any], Any]:
        """What skills see of an observation [..., observation]: all but the task's own entries."""
        size = self.skills.observation_size
        return lambda seen: np.asarray(seen)[..., :size]

    def _check(self, environment: gymnasium.Env[Any, Any]) -> None:
        check_same(self.task, shapes_of(environment), self.skills)
        if not getattr(environment.unwrapped, "pays_reward", True):
            raise ValueError(f"{self.task} pays no reward, so it is no task; choose one that does")
        space, own = environment.observation_space, self.skills.observation_size
        added = appended_entries(environment)
        size = space.shape[0] - added if isinstance(space, Box) and len(space.shape) == 1 else None
        if size != own:
            raise ValueError(
                f"observations of the task {self.task} are {space}"
                + (f", {added} of which are its own" if added else "")
                + f", and the skills of {self.skills.environment} see [{own}]; make the task as that "
                "environment was made (--task-options)"
            )
        check_actions(environment.action_space, self.skills)


def _options_of(task: str, skills: Skills) -> dict[str, Any]:
    if skills.info["environment"]["name"] not in (task, base_of(task)):
        return {}
    found = options_for(task, skills, "name another task")
    return {name: value for name, value in found.items() if name not in LENGTHS}
