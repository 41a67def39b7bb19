"""Success: how often fresh trajectories reach their goals, of objectives whose goals can be reached."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.evaluation.acting import seen
from autotelic.evaluation.trajectories import Trajectories
from autotelic.objectives import Context, Objective
from autotelic.runs.skills import SkillArrays


def successes_of(
    objective: Objective, skills: SkillArrays, trajectories: Trajectories
) -> Iterator[np.ndarray | None]:
    """Of each member the success of its trajectories, [goals, trajectories]; None if goals have none.

    skills: with a leading axis of the trajectories' members.
    """
    for index in range(len(trajectories.members)):
        if not objective.gives_success:
            yield None
            continue
        own = jax.tree.map(lambda leaf, index=index: leaf[index], skills)
        normalizer = () if objective.judges_raw else own.normalizer
        observations = seen(normalizer, trajectories.observations[index])
        yield successes(objective, own.discriminator, observations)


def successes(objective: Objective, params: Any, observations: np.ndarray) -> np.ndarray:
    """Success of trajectories [goals, n, steps + 1, observation], NaN after their ends: [goals, n]."""
    num_goals = len(observations)
    shape = (*observations.shape[:2], observations.shape[2] - 1)
    skill = objective.goal_skills(params, num_goals)[:, None, None]
    goal = jnp.arange(num_goals)[:, None, None]
    context = Context(
        None,
        observations[:, :, :-1],
        observations[:, :, 1:],
        None,
        jnp.broadcast_to(skill, (*shape, skill.shape[-1])),
    )
    reached = np.asarray(objective.competence(params, context, jnp.broadcast_to(goal, shape)))
    ended = np.zeros((1, shape[2]))
    ended[:, -1] = 1.0
    return np.array(
        [[objective.success(one[None], ended) for one in of_goal] for of_goal in reached]
    )


def counted_goals(objective: Objective, num_goals: int) -> np.ndarray:
    """Which goals a mean of success is over, bool [goals]: those that can be reached, where it is known."""
    if objective.reachable is None or not any(objective.reachable):
        return np.ones(num_goals, bool)
    return np.array(objective.reachable, bool)


def mean_success(objective: Objective, found: Sequence[Any] | np.ndarray) -> float:
    """The mean over goals that can be reached, each of the same weight: [goals, n] -> number."""
    per_goal = np.asarray(found, np.float64).mean(axis=1)
    return float(per_goal[counted_goals(objective, len(per_goal))].mean())
