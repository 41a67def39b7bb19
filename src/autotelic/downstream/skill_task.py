"""A task whose actions are skills of a file, as a Gymnasium id: by that name runs find it again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autotelic.downstream.skill_actions import SkillActions
from autotelic.downstream.tasks import TaskFor
from autotelic.environments.tasks import SKILL_TASK as SKILL_TASK
from autotelic.skills import Skills


def make_skill_task(
    task: str,
    skills: str,
    steps: int = 25,
    task_options: Mapping[str, Any] | None = None,
    discrete: bool | None = None,
    checksum: str | None = None,
    render_mode: str | None = None,
) -> SkillActions:
    """`autotelic/SkillActions-v0`: the task with `SkillActions` around it.

    Args:
        task: a Gymnasium id with a reward.
        skills: a file that `autotelic export` wrote.
        steps: for how long a skill acts.
        task_options: for the task, beside those of the skills' environment.
        discrete: as in `SkillActions`.
        checksum: of the skills; others are refused, as a run is made of the one it began with.
        render_mode: of the task.
    """
    path = Path(skills)
    if not path.is_file():
        raise ValueError(
            f"the skill file {path} is not there; if it was moved, say where it is: "
            f"--environment-options skills={path.name}"
        )
    loaded = Skills.load(path)
    if checksum is not None and loaded.checksum() != checksum:
        raise ValueError(f"{path} holds other skills than the run began with; restore the file")
    made = TaskFor(task, loaded, task_options or {})
    drawn = {} if render_mode is None else {"render_mode": render_mode}
    environment = TaskFor(task, made.skills, {**made.options, **drawn}).make()
    return SkillActions(environment, made.skills, steps, discrete=discrete, observe=made.observe)
