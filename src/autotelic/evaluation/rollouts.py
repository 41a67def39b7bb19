"""Fresh trajectories: what the skills do, uniform over goals whatever p(g), and without learning.

All members are sampled with the same randomness: trajectory n of goal g has the same start and the
same acting noise for each of them, so that differences between members are differences of skills.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams, _validate
from autotelic.agents import Agent
from autotelic.environments import (
    EnvironmentFailure,
    HostEnvironment,
    JaxEnvironment,
    positions_of,
)
from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.trajectories import Trajectories
from autotelic.learner.normalizer import Normalizer, normalize
from autotelic.learner.setting import Setting
from autotelic.objectives import Context, Objective
from autotelic.runs.diverged import LearnersDiverged, left_out
from autotelic.runs.run import Runs
from autotelic.runs.skills import Skills

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
    _validate.boolean("untrained", untrained)
    lost = {(one.method, one.seed): one.sentence for one in runs.diverged}
    if members is None:
        chosen = runs.sound_members
        if lost:
            message = left_out(runs.diverged, len(runs.members))
            warnings.warn(message, LearnersDiverged, stacklevel=2)
    else:
        chosen = [(method, number) for method, number in members]
    for member in chosen:
        if member not in runs.members:
            raise ValueError(
                _validate.unknown("member", str(member), [str(known) for known in runs.members])
            )
        if member in lost and not untrained:
            raise ValueError(f"{member} has no skills, leave it out: {lost[member]}")
    return roll_out(
        runs.setting,
        _of_members(runs, chosen, untrained),
        chosen,
        per_goal,
        seed,
        steps=steps,
        deterministic=deterministic,
        environment=runs.environment,
    )


def _of_members(runs: Runs, members: Sequence[tuple[str, int]], untrained: bool) -> Skills:
    """The skills of some members, with a leading axis of them."""
    skills = runs.untrained if untrained else runs.skills
    rows = np.array([runs.members.index(member) for member in members], int)
    return jax.tree.map(lambda leaf: np.asarray(leaf)[rows], skills)


def roll_out(
    setting: Setting,
    skills: Skills,
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
    _validate.integer("seed", seed, minimum=0)
    _validate.boolean("deterministic", deterministic)
    if not members:
        raise ValueError("members must name at least one learner, got none")
    environment = setting.make_environment() if environment is None else environment
    if steps is None:
        steps = environment.episode_length or setting.steps_per_epoch
    _validate.integer("steps", steps, minimum=1)
    actor = _Actor(
        setting.agent,
        setting.objective,
        setting.num_goals,
        environment.action_size,
        steps,
        deterministic,
    )
    sources = _sources(setting.num_goals, per_goal, seed)
    acting = (skills.policy, skills.normalizer)
    each = [jax.tree.map(lambda leaf, m=m: leaf[m], acting) for m in range(len(members))]
    if isinstance(environment, HostEnvironment):
        parts = _roll_out_host(environment, actor, each, sources, members)
    else:
        parts = _roll_out_jax(environment, actor, each, sources)
    lengths = (~np.isnan(parts.observations[..., 1:, 0])).sum(axis=-1, dtype=np.int32)
    return Trajectories(tuple(members), parts.observations, lengths, parts.positions)


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
    skills = _of_members(runs, trajectories.members, untrained)
    return judgements_of(runs.setting.objective, skills, trajectories)


def judgements_of(
    objective: Objective, skills: Skills, trajectories: Trajectories
) -> Iterator[Judgements]:
    """The same of skills with a leading axis of the trajectories' members."""
    judge = kept_program(_judge_program, objective)
    for index in range(len(trajectories.members)):
        own = jax.tree.map(lambda leaf, index=index: leaf[index], skills)
        observations = seen(own.normalizer, trajectories.observations[index])
        log_probabilities = judge(own.discriminator, observations)
        yield Judgements(np.asarray(log_probabilities), trajectories.lengths[index])


def seen(normalizer: Any, observations: Any) -> Any:
    """Observations as a learner sees them, [..., observation]."""
    return normalize(Normalizer(*normalizer), observations) if normalizer else observations


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


class _Sources(NamedTuple):
    """The randomness of each trajectory, [goals, per_goal]: three keys, and a host environment's seed."""

    start: jax.Array
    acting: jax.Array
    environment: jax.Array
    seeds: np.ndarray


def _sources(num_goals: int, per_goal: int, seed: int) -> _Sources:
    # Keys straight from NumPy: splitting them in JAX would cost seconds of compilation.
    words = _streams.sequence("evaluation", seed).generate_state(7 * num_goals * per_goal)
    words = words.reshape(num_goals, per_goal, 7)
    keys = jax.random.wrap_key_data(
        jnp.asarray(words[..., :6].reshape(num_goals, per_goal, 3, 2)), impl="threefry2x32"
    )
    return _Sources(keys[..., 0], keys[..., 1], keys[..., 2], words[..., 6])


class _Sampled(NamedTuple):
    """Observations [members, goals, per_goal, steps + 1, observation], NaN after the end; positions."""

    observations: np.ndarray
    positions: np.ndarray | None


@dataclass(frozen=True)
class _Actor:
    """How a policy acts, for one trajectory."""

    agent: Agent
    objective: Objective
    num_goals: int
    action_size: int
    steps: int
    deterministic: bool

    def noise(self, key: jax.Array) -> Any:
        """The acting noise of all steps."""
        return self.agent.acting_noise(key, (self.steps,), self.action_size)

    def act(self, acting: Any, observation: jax.Array, goal: jax.Array, noise: Any) -> jax.Array:
        """The action [action] of one step; acting: a policy and its normalizer."""
        policy, normalizer = acting
        observation = seen(normalizer, observation)
        skill = self.objective.embed(goal, self.num_goals)
        if self.deterministic:
            return self.agent.act_deterministically(policy, observation, skill)
        return self.agent.act(policy, observation, skill, noise)


def kept_program(make: Any, *settings: Any) -> Any:
    """The program for these settings, the one compiled before where they can be compared."""
    try:
        return make(*settings)
    except TypeError:  # an agent, objective or environment of the user's that has no hash
        return make.__wrapped__(*settings)


@lru_cache(maxsize=8)
def _jax_program(environment: JaxEnvironment, actor: _Actor) -> Any:
    """policy, goals [goals] and keys [goals, per_goal] x 3 -> observations, compiled."""

    def one_trajectory(policy: Any, goal: jax.Array, keys: Sequence[jax.Array]) -> jax.Array:
        start_key, acting_key, environment_key = keys
        state, start = environment.reset(start_key)

        def one_step(carry: Any, randomness: Any) -> Any:
            state, observation, over = carry
            noise, step_key = randomness
            action = actor.act(policy, observation, goal, noise)
            state, step = environment.step(state, action, step_key)
            seen = jnp.where(over, jnp.nan, step.next_observation)
            return (state, step.observation, over | step.terminated | step.truncated), seen

        step_keys = jax.random.split(environment_key, actor.steps)
        begin = (state, start, jnp.zeros((), bool))
        _, seen = jax.lax.scan(one_step, begin, (actor.noise(acting_key), step_keys))
        return jnp.concatenate([start[None], seen])

    per_goal = jax.vmap(one_trajectory, in_axes=(None, None, 0))
    return jax.jit(jax.vmap(per_goal, in_axes=(None, 0, 0)))


def _roll_out_jax(
    environment: JaxEnvironment, actor: _Actor, policies: Sequence[Any], sources: _Sources
) -> _Sampled:
    """One compiled program of all goals and trajectories, run for each member."""
    program = kept_program(_jax_program, environment, actor)
    goals = np.arange(actor.num_goals)
    observations = np.stack([np.asarray(program(p, goals, sources[:3])) for p in policies])
    return _Sampled(observations, positions_of(environment, observations))


@lru_cache(maxsize=8)
def _host_program(actor: _Actor) -> tuple[Any, Any]:
    """The acting noise of trajectories from their keys, and their actions at a time; compiled."""

    def act(policy: Any, observation: Any, goal: Any, noise: Any, time: Any) -> jax.Array:
        return actor.act(policy, observation, goal, jax.tree.map(lambda leaf: leaf[time], noise))

    return jax.jit(jax.vmap(actor.noise)), jax.jit(jax.vmap(act, in_axes=(None, 0, 0, 0, None)))


def _roll_out_host(
    environment: HostEnvironment,
    actor: _Actor,
    policies: Sequence[Any],
    sources: _Sources,
    members: Sequence[tuple[str, int]],
) -> _Sampled:
    """Waves of environments in lock-step, a few trajectories of every goal in each wave."""
    num_goals, per_goal = sources.seeds.shape
    width = max(1, min(per_goal, LARGEST_POOL // num_goals))
    shape = (len(policies), num_goals, per_goal, actor.steps + 1)
    observations = np.full((*shape, environment.observation_size), np.nan, np.float32)
    positions = np.full((*shape, 2), np.nan, np.float32)
    draw, act = kept_program(_host_program, actor)
    for first in range(0, per_goal, width):
        wave = slice(first, min(first + width, per_goal))
        seeds = sources.seeds[:, wave]
        goals = np.repeat(np.arange(num_goals), seeds.shape[1])
        noise = draw(sources.acting[:, wave].reshape(-1))
        # One pool for all members: `reset` begins the episodes of the same seeds once more.
        with environment.pool(seeds.size, seeds.ravel().tolist()) as pool:
            for member, policy in enumerate(policies):
                policy = jax.tree.map(jnp.asarray, policy)
                try:
                    seen, places = _run_wave(pool, partial(act, policy), goals, noise, actor.steps)
                except EnvironmentFailure as failure:
                    goal, index = divmod(failure.member, seeds.shape[1])
                    failure.add_note(
                        f"in trajectory {first + index} of goal {goal} of member {members[member]}"
                    )
                    raise
                observations[member, :, wave] = seen.reshape(*seeds.shape, *seen.shape[1:])
                positions[member, :, wave] = places.reshape(*seeds.shape, *places.shape[1:])
    return _Sampled(observations, None if np.isnan(positions).all() else positions)


def _run_wave(
    pool: Any, act: Any, goals: np.ndarray, noise: Any, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """One trajectory in each environment: observations [rows, steps + 1, observation], positions."""
    observation = pool.reset()
    seen = np.full((len(goals), steps + 1, observation.shape[1]), np.nan, np.float32)
    places = np.full((len(goals), steps + 1, 2), np.nan, np.float32)
    seen[:, 0], places[:, 0] = observation, _positions(pool.informations)
    going = np.ones(len(goals), bool)
    for time in range(steps):
        step = pool.step(np.asarray(act(observation, goals, noise, np.int32(time))))
        seen[going, time + 1] = step.next_observation[going]
        places[going, time + 1] = _positions(pool.informations)[going]
        going &= ~(step.terminated | step.truncated)
        if not going.any():
            break
        observation = step.observation
    return seen, places


def _positions(informations: Sequence[dict[str, Any]]) -> np.ndarray:
    """x and y where the environments give them, otherwise NaN; [rows, 2]."""
    names = ("x_position", "y_position")
    return np.array([[i.get(name, np.nan) for name in names] for i in informations], np.float32)
