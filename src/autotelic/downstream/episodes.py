"""Episodes of a task in which skills act, chosen by a plan: one for all steps, at random, or in turn."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from autotelic import _streams
from autotelic.downstream.tasks import LONGEST, TaskFor

Plan = Callable[[int, np.random.Generator], Any]
"""The goal of the n-th choice of an episode; the generator is the episode's."""


class Episode(NamedTuple):
    """What came of an episode: what the task paid, its steps, whether its last step was a success (None
    where the task does not say), and what skills saw [steps + 1, observation].
    """

    returned: float
    steps: int
    success: bool | None
    observations: np.ndarray


def held(goal: Any) -> Plan:
    """One goal throughout."""
    return lambda number, rng: goal


def at_random(num_goals: int) -> Plan:
    """A goal drawn uniformly at every choice."""
    return lambda number, rng: int(rng.integers(num_goals))


def in_turn(num_goals: int) -> Plan:
    """All goals one after the other, from one drawn at the start of the episode."""
    first = 0

    def plan(number: int, rng: np.random.Generator) -> int:
        nonlocal first
        if number == 0:
            first = int(rng.integers(num_goals))
        return (first + number) % num_goals

    return plan


def episode(
    task: TaskFor,
    environment: gymnasium.Env[Any, Any],
    plan: Plan,
    seed: int,
    *,
    steps_per_skill: int = 25,
    limit: int | None = None,
    deterministic: bool = True,
) -> Episode:
    """One episode from the start that the seed gives.

    Args:
        task: whose skills act.
        environment: an instance of it.
        plan: which goal is pursued.
        seed: of the start and of everything random in the episode.
        steps_per_skill: after so many steps the plan is asked again.
        limit: the most steps; by default those of the task, or 1000 where it has no limit.
        deterministic: skills take their most probable action, or draw one.
    """
    skills, observe = task.skills, task.observe
    rng = _streams.generator("episode", seed)
    observation, _ = environment.reset(seed=_streams.integer("start of an episode", seed))
    seen, returned, success = [observe(observation)], 0.0, None
    goal: Any = None
    for time in range(limit or _limit(environment)):
        if time % steps_per_skill == 0:
            goal = plan(time // steps_per_skill, rng)
        action = skills.act(seen[-1], goal, None if deterministic else rng)
        observation, reward, terminated, truncated, info = environment.step(action)
        seen.append(observe(observation))
        returned += float(reward)
        success = bool(info["success"]) if "success" in info else None
        if terminated or truncated:
            break
    return Episode(returned, len(seen) - 1, success, np.array(seen, np.float32))


def episodes(task: TaskFor, plan: Plan, seeds: Sequence[int], **options: Any) -> list[Episode]:
    """One from each start, see `episode`."""
    environment = task.make()
    try:
        return [episode(task, environment, plan, seed, **options) for seed in seeds]
    finally:
        environment.close()


def returns(found: Sequence[Episode]) -> np.ndarray:
    """What each was paid, [episodes]."""
    return np.array([one.returned for one in found])


def _limit(environment: gymnasium.Env[Any, Any]) -> int:
    spec = environment.spec
    return (spec.max_episode_steps if spec is not None else None) or LONGEST
