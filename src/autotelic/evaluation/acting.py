"""Policies act in fresh environments, without learning: the engine of all rollouts.

A row is one trajectory: what it aims at, and where its randomness comes from. What an aim is says the
`Pursuit`: a goal to `rollouts`, a place to `zero_shot`.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams
from autotelic._cores import IN_ONE_THREAD
from autotelic.agents import Agent
from autotelic.environments import (
    EnvironmentFailure,
    HostEnvironment,
    JaxEnvironment,
    positions_of,
)
from autotelic.learner.normalizer import Normalizer, normalize
from autotelic.objectives import Objective
from autotelic.runs.skills import SkillArrays


class Pursuit(Protocol):
    """Which skill a policy is given at a step."""

    def skill(self, own: SkillArrays, observation: jax.Array, aim: jax.Array) -> jax.Array:
        """The skill [skill] that leads one learner from an observation [observation] to its aim."""
        ...


@dataclass(frozen=True)
class GoalPursuit:
    """The aim is a goal, and its embedding the skill at every step."""

    objective: Objective
    num_goals: int

    def skill(self, own: SkillArrays, observation: jax.Array, aim: jax.Array) -> jax.Array:
        """The goal's embedding."""
        del observation
        if self.objective.moving_goals:
            return self.objective.goal_skills(own.discriminator, self.num_goals)[aim]
        return self.objective.embed(aim, self.num_goals)


@dataclass(frozen=True)
class Actor:
    """How a policy acts, for one trajectory.

    deterministic: by the policy's most probable action in place of a sample.
    """

    agent: Agent
    pursuit: Pursuit
    action_size: int
    steps: int
    deterministic: bool

    def noise(self, key: jax.Array) -> Any:
        """The acting noise of all steps."""
        return self.agent.acting_noise(key, (self.steps,), self.action_size)

    def act(
        self, own: SkillArrays, observation: jax.Array, aim: jax.Array, noise: Any
    ) -> jax.Array:
        """The action [action] of one step of one learner."""
        skill = self.pursuit.skill(own, observation, aim)
        observation = seen(own.normalizer, observation)
        if self.deterministic:
            return self.agent.act_deterministically(own.policy, observation, skill)
        return self.agent.act(own.policy, observation, skill, noise)


def seen(normalizer: Any, observations: Any) -> Any:
    """Observations as a learner sees them, [..., observation]."""
    return normalize(Normalizer(*normalizer), observations) if normalizer else observations


class Sources(NamedTuple):
    """The randomness of each trajectory, [rows]: three keys, and a host environment's seed."""

    start: jax.Array
    acting: jax.Array
    environment: jax.Array
    seeds: np.ndarray


def sources(purpose: str, seed: int, rows: int) -> Sources:
    """Of so many trajectories: purpose and seed decide it."""
    # Keys straight from NumPy: splitting them in JAX would cost seconds of compilation.
    words = _streams.sequence(purpose, seed).generate_state(7 * rows).reshape(rows, 7)
    keys = jax.random.wrap_key_data(
        jnp.asarray(words[:, :6].reshape(rows, 3, 2)), impl="threefry2x32"
    )
    return Sources(keys[:, 0], keys[:, 1], keys[:, 2], words[:, 6])


class Rows(NamedTuple):
    """Trajectories to sample.

    aims: [rows, ...]; sources: [rows]; waves: rows that host environments sample together;
    names: what a failure calls each row.
    """

    aims: np.ndarray
    sources: Sources
    waves: Sequence[np.ndarray]
    names: Sequence[str]


def waves(rows: int, largest: int) -> list[np.ndarray]:
    """Rows in as few waves as there can be, of nearly the same size: few programs are compiled.

    >>> [wave.tolist() for wave in waves(5, largest=3)]
    [[0, 1, 2], [3, 4]]
    """
    return np.array_split(np.arange(rows), -(-rows // largest))


class Sampled(NamedTuple):
    """Observations [members, rows, steps + 1, observation], NaN after the end; positions [..., 2]; what
    each step was paid [members, rows, steps], 0 after the end, if that was asked for.
    """

    observations: np.ndarray
    positions: np.ndarray | None
    rewards: np.ndarray | None = None


def act_out(
    environment: JaxEnvironment | HostEnvironment,
    actor: Actor,
    skills: SkillArrays,
    members: Sequence[tuple[str, int]],
    rows: Rows,
    rewarded: bool = False,
) -> Sampled:
    """Every row once for each member, all members with the same randomness.

    skills: with a leading axis of the members; rewarded: whether to keep what the environment pays.
    """
    each = [jax.tree.map(lambda leaf, m=m: leaf[m], skills) for m in range(len(members))]
    if isinstance(environment, HostEnvironment):
        return _in_host_environments(environment, actor, each, members, rows, rewarded)
    program = kept_program(_jax_program, environment, actor, rewarded)
    found = [program(own, rows.aims, rows.sources[:3]) for own in each]
    observations = np.stack([np.asarray(one) for one, _ in found])
    rewards = np.stack([np.asarray(paid) for _, paid in found]) if rewarded else None
    return Sampled(observations, positions_of(environment, observations), rewards)


def kept_program(make: Any, *settings: Any) -> Any:
    """The program for these settings, the one compiled before where they can be compared."""
    try:
        return make(*settings)
    except TypeError:  # an agent, objective or environment of the user's that has no hash
        return make.__wrapped__(*settings)


@lru_cache(maxsize=8)
def _jax_program(environment: JaxEnvironment, actor: Actor, rewarded: bool) -> Any:
    """skills, aims [rows, ...] and keys [rows] x 3 -> observations [rows, ...] and, where asked for, rewards
    [rows, steps]; compiled.
    """

    def one_trajectory(own: SkillArrays, aim: jax.Array, keys: Sequence[jax.Array]) -> Any:
        start_key, acting_key, environment_key = keys
        state, start = environment.reset(start_key)

        def one_step(carry: Any, randomness: Any) -> Any:
            state, observation, over = carry
            noise, step_key = randomness
            action = actor.act(own, observation, aim, noise)
            state, step = environment.step(state, action, step_key)
            reached = jnp.where(over, jnp.nan, step.next_observation)
            paid = jnp.where(over, 0.0, step.reward) if rewarded else None
            over = over | step.terminated | step.truncated
            return (state, step.observation, over), (reached, paid)

        step_keys = jax.random.split(environment_key, actor.steps)
        begin = (state, start, jnp.zeros((), bool))
        _, (reached, paid) = jax.lax.scan(one_step, begin, (actor.noise(acting_key), step_keys))
        return jnp.concatenate([start[None], reached]), paid

    return jax.jit(jax.vmap(one_trajectory, in_axes=(None, 0, 0)))


@lru_cache(maxsize=8)
def _host_program(actor: Actor) -> tuple[Any, Any]:
    """The acting noise of trajectories from their keys, and their actions at a time; compiled."""

    def act(own: SkillArrays, observation: Any, aim: Any, noise: Any, time: Any) -> jax.Array:
        return actor.act(own, observation, aim, jax.tree.map(lambda leaf: leaf[time], noise))

    # A product is too small for several threads, which other processes keep from their cores.
    alone: Any = IN_ONE_THREAD if jax.default_backend() == "cpu" else None
    together = jax.vmap(act, in_axes=(None, 0, 0, 0, None))
    return jax.jit(jax.vmap(actor.noise)), jax.jit(together, compiler_options=alone)


def _in_host_environments(
    environment: HostEnvironment,
    actor: Actor,
    each: Sequence[SkillArrays],
    members: Sequence[tuple[str, int]],
    rows: Rows,
    rewarded: bool,
) -> Sampled:
    """Waves of environments in lock-step."""
    shape = (len(each), len(rows.aims), actor.steps + 1)
    observations = np.full((*shape, environment.observation_size), np.nan, np.float32)
    positions = np.full((*shape, 2), np.nan, np.float32)
    rewards = np.zeros((*shape[:2], actor.steps), np.float32) if rewarded else None
    draw, act = kept_program(_host_program, actor)
    with ExitStack() as open_pools:
        pools: dict[int, Any] = {}
        for wave in rows.waves:
            seeds, aims = rows.sources.seeds[wave].tolist(), rows.aims[wave]
            noise = draw(rows.sources.acting[wave])
            # To make an environment takes as long as many steps, so all members and all waves of a size
            # have one pool: `reset` begins the episodes of these seeds in it.
            size = len(wave)
            if size not in pools:
                pools[size] = open_pools.enter_context(environment.pool(size, seeds))
            for member, own in enumerate(each):
                own = jax.tree.map(jnp.asarray, own)
                try:
                    found = _run_wave(
                        pools[size], seeds, partial(act, own), aims, noise, actor.steps, rewarded
                    )
                except EnvironmentFailure as failure:
                    failure.add_note(
                        f"in {rows.names[wave[failure.member]]} of member {members[member]}"
                    )
                    raise
                observations[member, wave], positions[member, wave] = found[:2]
                if rewards is not None:
                    rewards[member, wave] = found[2]
    return Sampled(observations, None if np.isnan(positions).all() else positions, rewards)


def _run_wave(
    pool: Any,
    seeds: Sequence[int],
    act: Any,
    aims: np.ndarray,
    noise: Any,
    steps: int,
    rewarded: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One trajectory in each environment: observations [rows, steps + 1, observation], positions, and what
    was paid [rows, steps], 0 unless asked for.
    """
    observation, given = pool.reset(seeds), jnp.asarray(aims)
    reached = np.full((len(aims), steps + 1, observation.shape[1]), np.nan, np.float32)
    places = np.full((len(aims), steps + 1, 2), np.nan, np.float32)
    reached[:, 0], places[:, 0] = observation, _positions(pool.informations)
    going, paid = np.ones(len(aims), bool), np.zeros((len(aims), steps), np.float32)
    for time in range(steps):
        step = pool.step(np.asarray(act(observation, given, noise, np.int32(time))))
        reached[going, time + 1] = step.next_observation[going]
        places[going, time + 1] = _positions(pool.informations)[going]
        if rewarded:
            paid[going, time] = pool.paid()[going]
        going &= ~(step.terminated | step.truncated)
        if not going.any():
            break
        observation = step.observation
    return reached, places, paid


def _positions(informations: Sequence[dict[str, Any]]) -> np.ndarray:
    """x and y where the environments give them, otherwise NaN; [rows, 2]."""
    found = [(i.get("x_position", np.nan), i.get("y_position", np.nan)) for i in informations]
    return np.array(found, np.float32)
