"""One visit to a goal (the paper's UpdateDP loop): T times act, step, judge, learn.

One compiled scan, whatever the environment: a host environment's step is a call out of it.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autotelic.environments import JaxEnvironment
from autotelic.environments.callback import CallbackEnvironment
from autotelic.learner.learner import Learner, LearnerFunctions, StepRecord

LONGEST_BLOCK = 200
"""Steps whose update noise is drawn in one call: large enough to be quick, small enough for the cache."""


class VisitKeys(NamedTuple):
    """The streams of randomness of one visit; `start` is of its episode, if it begins one."""

    acting: jax.Array
    updates: jax.Array
    environment: jax.Array
    start: jax.Array


def visit_keys(seed_key: jax.Array, visit: jax.Array) -> VisitKeys:
    """The keys of one visit: a function of the learner's seed and the visit's number alone, counted
    from the run's first.
    """
    # fold_in(key, n) equals split(key)[n], and split(seed_key) made the learner and its environment:
    # practice begins at 2, or the first visit's noise would be that of the initial weights.
    practice = jax.random.fold_in(seed_key, 2)
    return VisitKeys(*jax.random.split(jax.random.fold_in(practice, visit), 4))


def block_length(steps: int) -> int:
    """The largest divisor of `steps` up to LONGEST_BLOCK."""
    return next(n for n in range(min(steps, LONGEST_BLOCK), 0, -1) if steps % n == 0)


def run_visit(
    functions: LearnerFunctions,
    environment: JaxEnvironment | CallbackEnvironment,
    learner: Learner,
    inserted: jax.Array,
    goal: jax.Array,
    log_prior: jax.Array,
    keys: VisitKeys,
) -> tuple[Learner, StepRecord]:
    """T steps of one learner; the record's arrays are [T, ...].

    inserted: [] rows of replay before the visit; goal: []; log_prior: [num_goals].
    The environment is not reset when the goal changes, unless the setting says so; a host environment
    then was, and its observation is the learner's.
    """
    setting = functions.setting
    steps = setting.steps_per_visit
    if setting.reset_on_goal_switch and not isinstance(environment, CallbackEnvironment):
        state, observation = environment.reset(keys.start)
        learner = learner._replace(environment=state, observation=observation, start=observation)
    visits = functions.visits(learner.replay, inserted, goal)
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
            visits,
        )
        return (learner, inserted + 1), record

    def one_block(carry: tuple[Learner, jax.Array], block: Any) -> Any:
        index, acting_noise, environment_keys = block
        update_noise = functions.update_noise(jax.random.fold_in(keys.updates, index), length)
        return jax.lax.scan(one_step, carry, (acting_noise, update_noise, environment_keys))

    def in_blocks(tree: Any) -> Any:
        return jax.tree.map(lambda x: x.reshape(blocks, length, *x.shape[1:]), tree)

    (learner, inserted), record = jax.lax.scan(
        one_block,
        (learner, inserted),
        (
            jnp.arange(blocks),
            in_blocks(functions.acting_noise(keys.acting, steps)),
            in_blocks(jax.random.split(keys.environment, steps)),
        ),
    )
    learner = functions.remember(learner, inserted)
    return learner, jax.tree.map(lambda x: x.reshape(steps, *x.shape[2:]), record)
