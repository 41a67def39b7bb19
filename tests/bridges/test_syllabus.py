# pyright: reportMissingImports=false
"""Selectors as curricula of the real Syllabus."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import autotelic as at

pytest.importorskip("syllabus")
pytestmark = pytest.mark.filterwarnings("ignore")


def curriculum(selector: Any, tasks: int = 3, **options: Any) -> Any:
    from syllabus.task_space import DiscreteTaskSpace

    from autotelic.bridges.syllabus import SelectorCurriculum

    return SelectorCurriculum(selector, DiscreteTaskSpace(tasks), **options)


def test_tasks_are_chosen_by_what_episodes_showed():
    made = curriculum(at.RoundRobin())
    first = made.sample(k=2)
    for task in first:
        made.update_on_episode(1.0, 10, task, 0.5)
    [third] = made.sample()
    assert {*first, third} == {0, 1, 2}
    np.testing.assert_allclose(made._sample_distribution(), [1 / 3] * 3)  # a new round
    made.update_on_episode(0.0, 10, third, -1)  # a failure
    assert made.goals.values[third] == 0.0 and made.goals.values[first[0]] == 0.5
    # Rounds go on over batches.
    assert np.bincount(made.sample(k=50)).min() == 16
    made.update_on_episode(0.0, 10, 1, 1.0)
    assert len(made.goals.in_flight) == 49


def test_its_first_tasks_may_be_syllabus_own():
    made = curriculum(at.RoundRobin(), random_start_tasks=2)
    made.update_on_episode(1.0, 10, 1, 0.5)
    assert made._should_use_startup_sampling() and made.sample()[0] in (0, 1, 2)
    made.update_on_episode(1.0, 10, 1, 0.5)
    assert not made._should_use_startup_sampling()


def test_other_task_spaces_are_refused():
    from syllabus.task_space import BoxTaskSpace

    from autotelic.bridges.syllabus import SelectorCurriculum

    space = BoxTaskSpace(gymnasium.spaces.Box(0, 1, (2,)))
    with pytest.raises(TypeError, match="must be a DiscreteTaskSpace"):
        SelectorCurriculum(at.Uniform(), space)


def test_syllabus_own_wrappers_drive_it():
    """Its environment wrapper asks for tasks and tells of episodes, through its own queues."""
    from syllabus.core import (
        GymnasiumSyncWrapper,
        TaskWrapper,
        make_multiprocessing_curriculum,
    )
    from syllabus.task_space import DiscreteTaskSpace

    class Tasks(TaskWrapper):
        def __init__(self, env: Any):
            super().__init__(env)
            self.task_space, self.task = DiscreteTaskSpace(3), 0

        def reset(self, *, new_task: Any = None, **options: Any) -> Any:
            self.task = self.task if new_task is None else new_task
            return self.env.reset(**options)

        def step(self, action: Any) -> Any:
            seen, reward, terminated, truncated, info = self.env.step(action)
            return seen, reward, terminated, truncated, {**info, "task_completion": self.task / 2}

    made = make_multiprocessing_curriculum(curriculum(at.RoundRobin()))
    env = GymnasiumSyncWrapper(
        Tasks(gymnasium.make("CartPole-v1", max_episode_steps=5)),
        DiscreteTaskSpace(3),
        made.components,
    )
    pursued = []
    for _ in range(6):
        env.reset(seed=0)
        pursued.append(int(env.get_wrapper_attr("get_task")()))
        over = False
        while not over:
            *_, terminated, truncated, _ = env.step(0)
            over = terminated or truncated
    made.stop()
    counts = made.curriculum.goals.state.counts
    assert counts.sum() >= 5 and counts.max() - counts.min() <= 2
    assert set(pursued) <= {0, 1, 2}
