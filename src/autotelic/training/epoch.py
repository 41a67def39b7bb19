"""One epoch of practice (the paper's UpdateDP loop): T times act, step, judge, learn.

The same functions of one learner drive both kinds of environment: a JAX environment inside one
compiled scan, and host environments through one compiled call per step.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.environments import EnvironmentStep, JaxEnvironment
from autotelic.training.learner import Learner, LearnerFunctions, StepRecord

LONGEST_BLOCK = 200
"""Steps whose update noise is drawn in one call: large enough to be quick, small enough for the cache."""


class EpochKeys(NamedTuple):
    """The three streams of randomness of one epoch."""

    acting: jax.Array
    updates: jax.Array
    environment: jax.Array


def epoch_keys(seed_key: jax.Array, epoch: jax.Array) -> EpochKeys:
    """The keys of one epoch: a function of the learner's seed and the epoch's number alone."""
    # fold_in(key, n) equals split(key)[n], and split(seed_key) made the learner and its environment:
    # practice begins at 2, or the first epoch's noise would be that of the initial weights.
    practice = jax.random.fold_in(seed_key, 2)
    return EpochKeys(*jax.random.split(jax.random.fold_in(practice, epoch), 3))


def block_length(steps: int) -> int:
    """The largest divisor of `steps` up to LONGEST_BLOCK."""
    return next(n for n in range(min(steps, LONGEST_BLOCK), 0, -1) if steps % n == 0)


def run_epoch(
    functions: LearnerFunctions,
    environment: JaxEnvironment,
    learner: Learner,
    inserted: jax.Array,
    goal: jax.Array,
    log_prior: jax.Array,
    keys: EpochKeys,
) -> tuple[Learner, StepRecord]:
    """T steps of one learner in a JAX environment; the record's arrays are [T, ...].

    inserted: [] rows of replay before the epoch; goal: []; log_prior: [num_goals].
    The environment is not reset when the goal changes.
    """
    steps = functions.setting.steps_per_epoch
    length = block_length(steps)
    blocks = steps // length

    def one_step(carry: tuple[Learner, jax.Array], noise: Any) -> Any:
        learner, inserted = carry
        acting_noise, update_noise, environment_key = noise
        action = functions.act(learner, goal, acting_noise)
        state, step = environment.step(learner.environment, action, environment_key)
        learner, record = functions.absorb(
            learner._replace(environment=state),
            inserted,
            action,
            step,
            goal,
            log_prior,
            update_noise,
        )
        return (learner, inserted + 1), record

    def one_block(carry: tuple[Learner, jax.Array], block: Any) -> Any:
        index, acting_noise, environment_keys = block
        update_noise = functions.update_noise(jax.random.fold_in(keys.updates, index), length)
        return jax.lax.scan(one_step, carry, (acting_noise, update_noise, environment_keys))

    def in_blocks(tree: Any) -> Any:
        return jax.tree.map(lambda x: x.reshape(blocks, length, *x.shape[1:]), tree)

    (learner, _), record = jax.lax.scan(
        one_block,
        (learner, inserted),
        (
            jnp.arange(blocks),
            in_blocks(functions.acting_noise(keys.acting, steps)),
            in_blocks(jax.random.split(keys.environment, steps)),
        ),
    )
    return learner, jax.tree.map(lambda x: x.reshape(steps, *x.shape[2:]), record)


class HostProgram(NamedTuple):
    """The compiled pieces of an epoch in host environments, over a leading axis of members."""

    begin: Callable[..., Any]
    draw: Callable[..., Any]
    advance: Callable[..., Any]


def host_begin(
    functions: LearnerFunctions, learner: Learner, goal: jax.Array, keys: EpochKeys
) -> tuple[Any, jax.Array]:
    """The epoch's acting noise [T, ...] and its first action."""
    acting = functions.acting_noise(keys.acting, functions.setting.steps_per_epoch)
    return acting, functions.act(learner, goal, _at(acting, 0))


def host_draw(functions: LearnerFunctions, keys: EpochKeys, block: jax.Array) -> Any:
    """The update noise of one block of steps."""
    length = block_length(functions.setting.steps_per_epoch)
    return functions.update_noise(jax.random.fold_in(keys.updates, block), length)


def host_advance(
    functions: LearnerFunctions,
    learner: Learner,
    inserted: jax.Array,
    action: jax.Array,
    step: EnvironmentStep,
    goal: jax.Array,
    log_prior: jax.Array,
    acting: Any,
    updates: Any,
    time: jax.Array,
) -> tuple[Learner, StepRecord, jax.Array]:
    """Learn from the step just made, then choose the next action: one round trip a step.

    time: [] the step within the epoch; acting: the epoch's acting noise; updates: the block's noise.
    """
    steps = functions.setting.steps_per_epoch
    learner, record = functions.absorb(
        learner,
        inserted + time,
        action,
        step,
        goal,
        log_prior,
        _at(updates, time % block_length(steps)),
    )
    following = functions.act(learner, goal, _at(acting, jnp.minimum(time + 1, steps - 1)))
    return learner, record, following


def run_host_epoch(
    program: HostProgram,
    steps: int,
    step_environments: Callable[[np.ndarray, int], EnvironmentStep],
    learner: Learner,
    inserted: int,
    goal: np.ndarray,
    log_prior: np.ndarray,
    keys: EpochKeys,
) -> tuple[Learner, StepRecord]:
    """The same epoch in host environments, all members of the leading axis in lock-step.

    `step_environments(actions, time)` acts in all of them. The record's arrays are [members, T, ...].
    """
    length = block_length(steps)
    acting, action = program.begin(learner, goal, keys)
    updates, records = None, []
    for time in range(steps):
        if time % length == 0:
            updates = program.draw(keys, np.int32(time // length))
        step = step_environments(np.asarray(action), time)
        learner, record, action = program.advance(
            learner,
            np.int32(inserted),
            action,
            step,
            goal,
            log_prior,
            acting,
            updates,
            np.int32(time),
        )
        records.append(record)
    return learner, jax.tree.map(lambda *parts: np.stack(parts, axis=1), *records)


def _at(tree: Any, index: Any) -> Any:
    return jax.tree.map(lambda x: x[index], tree)
