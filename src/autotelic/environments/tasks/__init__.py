"""Tasks: environments with a reward, for skills that were learned without it. Made as Gymnasium ids.

Each is the environment of the skills with another reward, and entries of its own at the end of an
observation where it has any. MuJoCo's models are Gymnasium's; hurdles are added when a task is made.
"""

from typing import NamedTuple

import gymnasium

from autotelic._names import SKILL_TASK as SKILL_TASK
from autotelic.environments.tasks.appended import appended_entries as appended_entries

FOLDER = "autotelic.environments.tasks"


class Registered(NamedTuple):
    """A task: the module and class that make it, its time limit, and the environment it is a task of."""

    entry_point: str
    steps: int
    base: str


TASKS: dict[str, Registered] = {
    "autotelic/Navigation2DGoal-v0": Registered(
        "navigation2d_goal:Navigation2DGoal", 100, "navigation2d"
    ),
    "autotelic/HalfCheetahRun-v0": Registered(
        "half_cheetah:HalfCheetahRun", 1000, "HalfCheetah-v5"
    ),
    "autotelic/HalfCheetahRunBackward-v0": Registered(
        "half_cheetah:HalfCheetahRunBackward", 1000, "HalfCheetah-v5"
    ),
    "autotelic/HalfCheetahHurdles-v0": Registered(
        "hurdles:HalfCheetahHurdles", 200, "HalfCheetah-v5"
    ),
    "autotelic/AntDirection-v0": Registered("ant_direction:AntDirection", 1000, "Ant-v5"),
    "autotelic/AntMultiGoal-v0": Registered("ant_multi_goal:AntMultiGoal", 200, "Ant-v5"),
}
"""By their ids."""


def register() -> None:
    """Let Gymnasium know the tasks; their modules load when one is made."""
    for name, task in TASKS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, entry_point=f"{FOLDER}.{task.entry_point}", max_episode_steps=task.steps
            )
    if SKILL_TASK not in gymnasium.registry:  # the time limit is the task's
        gymnasium.register(SKILL_TASK, "autotelic.downstream.skill_task:make_skill_task")
