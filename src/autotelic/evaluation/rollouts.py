"""Fresh trajectories: what the skills do, uniform over goals whatever p(g), and without learning.

All members are sampled with the same randomness: trajectory n of goal g has the same start and the
same acting noise for each of them, so that differences between members are differences of skills.
"""

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _machine, _validate
from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.evaluation.acting import (
    Actor,
    GoalPursuit,
    Rows,
    act_out,
    kept_program,
    seen,
    sources,
    waves,
)
from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.trajectories import Trajectories
from autotelic.learner.setting import Setting
from autotelic.objectives import Context, Objective
from autotelic.runs.diverged import LearnersDiverged, left_out
from autotelic.runs.run import Runs
from autotelic.runs.skills import SkillArrays

LARGEST_POOL = 64
"""Host environments that are alive at the same time, unless there are more goals."""

LARGEST_CHUNK = 2**26
"""Numbers in observations that are held together: a quarter of a gigabyte."""


def sample_trajectories(
    runs: Runs,
    per_goal: int = 20,
    seed: int = 0,
    *,
    steps: int | None = None,
    deterministic: bool = False,
    untrained: bool = False,
    members: Sequence[tuple[str, int]] | None = None,
) -> Trajectories:
    """Fresh trajectories of the skills of a run, the same number for every goal.

    Args:
        runs: a run, finished or with a checkpoint.
        per_goal: trajectories of each goal and member, each in an environment begun for it.
        seed: of starts, actions and environments; independent of everything drawn in training.
        steps: a trajectory's length; by default an episode, or an epoch where there is no limit.
        deterministic: take each policy's most probable action in place of a sample.
        untrained: the same learners before their first step: the null that learning is compared to.
        members: (method, seed) of the learners to sample; by default all that did not diverge.
    """
    chosen = chosen_members(runs, members, untrained=untrained)
    return roll_out(
        runs.setting,
        skills_of_members(runs, chosen, untrained),
        chosen,
        per_goal,
        seed,
        steps=steps,
        deterministic=deterministic,
        environment=runs.environment,
    )


def chosen_members(
    runs: Runs, members: Sequence[tuple[str, int]] | None, *, untrained: bool = False
) -> list[tuple[str, int]]:
    """The learners to sample: those given, or all that have skills; refuses those that have none."""
    _validate.boolean("untrained", untrained)
    lost = {(one.method, one.seed): one.sentence for one in runs.diverged}
    if members is None:
        if lost:
            message = left_out(runs.diverged, len(runs.members))
            warnings.warn(message, LearnersDiverged, stacklevel=3)
        return runs.sound_members
    chosen = [(method, number) for method, number in members]
    for member in chosen:
        if member not in runs.members:
            raise ValueError(
                _validate.unknown("member", str(member), [str(known) for known in runs.members])
            )
        if member in lost and not untrained:
            raise ValueError(f"{member} has no skills, leave it out: {lost[member]}")
    return chosen


def skills_of_members(
    runs: Runs, members: Sequence[tuple[str, int]], untrained: bool
) -> SkillArrays:
    """The skills of some members, with a leading axis of them."""
    skills = runs.untrained if untrained else runs.skills
    if untrained and runs.setting.normalize_observations == "fixed":
        # By statistics from before the first step, which only a trained learner's file holds.
        skills = skills._replace(normalizer=runs.skills.normalizer)
    rows = np.array([runs.members.index(member) for member in members], int)
    return jax.tree.map(lambda leaf: np.asarray(leaf)[rows], skills)


def roll_out(
    setting: Setting,
    skills: SkillArrays,
    members: Sequence[tuple[str, int]],
    per_goal: int = 20,
    seed: int = 0,
    *,
    steps: int | None = None,
    deterministic: bool = False,
    environment: JaxEnvironment | HostEnvironment | None = None,
) -> Trajectories:
    """Trajectories of skills with a leading axis of members, see `sample_trajectories`.

    environment: the setting's, where it was made before.
    """
    _validate.integer("per_goal", per_goal, minimum=1)
    _validate.seed("seed", seed)
    _validate.boolean("deterministic", deterministic)
    if not members:
        raise ValueError("members must name at least one learner, got none")
    environment = setting.make_environment() if environment is None else environment
    actor = actor_in(environment, setting, steps, deterministic)
    steps = actor.steps
    check_room(len(members) * setting.num_goals * per_goal, steps, environment.observation_size)
    # Acting towards a goal does without, unless goals move.
    acting = skills if setting.objective.moving_goals else skills._replace(discriminator=())
    rows = _rows_of_goals(setting.num_goals, per_goal, seed)
    sampled = act_out(environment, actor, acting, members, rows)
    shape = (len(members), setting.num_goals, per_goal)
    observations = sampled.observations.reshape(*shape, steps + 1, -1)
    positions = sampled.positions
    if positions is not None:
        positions = positions.reshape(*shape, steps + 1, 2)
    return Trajectories(tuple(members), observations, steps_made(observations), positions)


def check_room(trajectories: int, steps: int, observation_size: int) -> None:
    """Refuse more trajectories than the machine's memory holds."""
    _machine.check_memory(
        trajectories * (steps + 1) * observation_size * np.dtype(np.float32).itemsize,
        f"a sample of {trajectories} trajectories of {steps} steps",
        "lower per_goal or steps",
    )


def actor_in(
    environment: JaxEnvironment | HostEnvironment,
    setting: Setting,
    steps: int | None,
    deterministic: bool,
) -> Actor:
    """Who pursues the setting's goals: for so many steps, or for an episode, or an epoch without any."""
    if steps is None:
        steps = environment.episode_length or setting.steps_per_epoch
    _validate.integer("steps", steps, minimum=1)
    pursuit = GoalPursuit(setting.objective, setting.num_goals)
    return Actor(setting.agent, pursuit, environment.action_size, steps, deterministic)


def _rows_of_goals(num_goals: int, per_goal: int, seed: int) -> Rows:
    """The same number of trajectories of every goal, a few of each in every wave."""
    shape = (num_goals, per_goal)
    indices = np.arange(num_goals * per_goal).reshape(shape)
    width = max(1, min(per_goal, LARGEST_POOL // num_goals))
    return Rows(
        np.repeat(np.arange(num_goals), per_goal),
        sources("evaluation", seed, indices.size),
        [indices[:, columns].ravel() for columns in waves(per_goal, width)],
        [f"trajectory {index} of goal {goal}" for goal, index in np.ndindex(shape)],
    )


def steps_made(observations: np.ndarray) -> np.ndarray:
    """How many steps trajectories have, [..., steps + 1, observation] -> [...]; NaN is beyond them."""
    return (~np.isnan(observations[..., 1:, 0])).sum(axis=-1, dtype=np.int32)


def members_at_once(setting: Setting, per_goal: int, steps: int, observation_size: int) -> int:
    """How many members' trajectories may be held together."""
    size = setting.num_goals * per_goal * (steps + 1) * observation_size
    return max(1, LARGEST_CHUNK // size)


def discriminator_judgements(
    runs: Runs, trajectories: Trajectories, *, untrained: bool = False
) -> Iterator[Judgements]:
    """log q(. | s_t), t = 1 ... steps, of each member's own discriminator on its trajectories.

    One member after the other, as all at once can fill the memory. q was trained together with the
    skills it judges here; a classifier that was not is `held_out_judgements`.
    """
    skills = skills_of_members(runs, trajectories.members, untrained)
    return judgements_of(runs.setting.objective, skills, trajectories)


def judgements_of(
    objective: Objective, skills: SkillArrays, trajectories: Trajectories
) -> Iterator[Judgements]:
    """The same of skills with a leading axis of the trajectories' members."""
    judge = kept_program(_judge_program, objective)
    for index in range(len(trajectories.members)):
        own = jax.tree.map(lambda leaf, index=index: leaf[index], skills)
        normalizer = () if objective.judges_raw else own.normalizer
        observations = seen(normalizer, trajectories.observations[index])
        log_probabilities = judge(own.discriminator, observations)
        yield Judgements(np.asarray(log_probabilities), trajectories.lengths[index])


@lru_cache(maxsize=8)
def _judge_program(objective: Objective) -> Any:
    return jax.jit(partial(judge_trajectories, objective))


def judge_trajectories(objective: Any, discriminator: Any, observations: jax.Array) -> jax.Array:
    """log q(. | s_t) of every step: [..., steps + 1, observation] -> [..., steps, num_goals]."""
    start = None  # as in training, unless the objective asks for it
    if objective.needs_start:
        start = jnp.broadcast_to(observations[..., :1, :], observations[..., 1:, :].shape)
    context = Context(start, observations[..., :-1, :], observations[..., 1:, :])
    return objective.log_posteriors(discriminator, context)
