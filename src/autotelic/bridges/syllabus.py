"""A selector as a curriculum of Syllabus: `pip install syllabus-rl`.

    curriculum = SelectorCurriculum(autotelic.Curious(), DiscreteTaskSpace(20))
    curriculum = make_multiprocessing_curriculum(curriculum)

Syllabus tells of an episode its length and, as `task_completion`, how well its task was done.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete

from autotelic.bridges.choosing import curriculum_of_episodes, tell
from autotelic.curriculum import Curriculum as Goals
from autotelic.selectors.base import GoalSelector

if TYPE_CHECKING:  # what is used of it, for type checkers that do not have it

    class Curriculum:
        """Syllabus's base class."""

        num_tasks: int
        completed_tasks: int

        def __init__(self, task_space: Any, **options: Any): ...

        def update_on_episode(
            self,
            episode_return: float,
            length: int,
            task: Any,
            progress: float | bool,
            env_id: int | None = None,
        ) -> None:
            """See Syllabus."""

        def _should_use_startup_sampling(self) -> bool: ...

        def _startup_sample(self, k: int) -> list[Any]: ...

else:
    try:
        from syllabus.core import Curriculum
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"autotelic.bridges.syllabus needs the package {error.name!r}: pip install syllabus-rl",
            name=error.name,
        ) from error


class SelectorCurriculum(Curriculum):
    """Tasks are the goals of a selector.

    Args:
        selector: how tasks are chosen.
        task_space: a `DiscreteTaskSpace`.
        seed: of the draws.
        **options: of Syllabus's `Curriculum`.

    Attributes:
        goals: a curriculum of ours, the selector with its state; `goals.state_dict()` is JSON.
    """

    def __init__(self, selector: GoalSelector, task_space: Any, seed: int = 0, **options: Any):
        if not isinstance(getattr(task_space, "gym_space", None), Discrete):
            raise TypeError(
                f"task_space must be a DiscreteTaskSpace, whose tasks can be counted, got {task_space!r}"
            )
        super().__init__(task_space, **options)
        self.goals: Goals = curriculum_of_episodes(selector, self.num_tasks, seed)

    def sample(self, k: int = 1) -> list[int]:
        """Draw so many tasks, as their numbers."""
        if self._should_use_startup_sampling():
            return self._startup_sample(k)
        return self.goals.select(k, repeats=True).tolist()

    def update_on_episode(
        self,
        episode_return: float,
        length: int,
        task: Any,
        progress: float | bool,
        env_id: int | None = None,
    ) -> None:
        """Learn from an episode: its progress counts for all of its steps."""
        super().update_on_episode(episode_return, length, task, progress, env_id)
        self.completed_tasks: int = self.completed_tasks + 1
        if task not in self.goals.in_flight:  # one of Syllabus's own first tasks
            return
        # Syllabus says -1 of a task that failed.
        reached = float(np.clip(progress, 0.0, 1.0))
        tell(self.goals, [int(task)], [np.full(max(2, int(length)), reached)])

    def _sample_distribution(self) -> list[float]:
        return self.goals.selection_probabilities.tolist()
