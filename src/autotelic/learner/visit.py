"""One visit to a goal (the paper's UpdateDP loop): T times act, step, judge, learn.

One compiled scan, whatever the environment: a host environment's step is a call out of it.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autotelic.environments import JaxEnvironment
from autotelic.environments.callback import CallbackEnvironment
from autotelic.learner.learner import Learner, LearnerFunctions, StepRecord, over

LONGEST_BLOCK = 200
"""Steps whose update noise is drawn in one call: large enough to be quick, small enough for the cache."""


class VisitKeys(NamedTuple):
    """The streams of randomness of one visit; `start` is of its episodes, if it begins them."""

    acting: jax.Array
    updates: jax.Array
    environment: jax.Array
    start: jax.Array
    skill: jax.Array


def visit_keys(seed_key: jax.Array, visit: jax.Array) -> VisitKeys:
    """The keys of one visit: a function of the learner's seed and the visit's number alone, counted
    from the run's first.
    """
    # fold_in(key, n) equals split(key)[n], and split(seed_key) made the learner and its environment:
    # practice begins at 2, or the first visit's noise would be that of the initial weights.
    practice = jax.random.fold_in(seed_key, 2)
    return VisitKeys(*jax.random.split(jax.random.fold_in(practice, visit), 5))


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
    """T steps of one learner, in all its environments together; the record's arrays are [T, ...].

    inserted: [] rows of replay before the visit; goal: []; log_prior: [num_goals].
    The environment is not reset when the goal changes, unless the setting says so; a host environment
    then was, and its observation is the learner's.

    A turn is a step in every environment. `turns_per_update` of them are made, then they are judged
    and learned from; updates are drawn noise for in blocks.
    """
    setting = functions.setting
    steps, count = setting.steps_per_visit, setting.environments
    if setting.reset_on_goal_switch and not isinstance(environment, CallbackEnvironment):
        start_keys = keys.start if count == 1 else jax.random.split(keys.start, count)
        state, observation = over(count, environment.reset)(start_keys)
        learner = learner._replace(environment=state, observation=observation)
        learner = functions.forget_payment(learner)
    learner = learner._replace(start=learner.observation, reached=functions.nothing_reached())
    objective = setting.objective
    if objective.moving_goals:
        skill = objective.goal_skills(learner.discriminator, setting.num_goals)[goal]
    else:
        skill = objective.pursue(goal, setting.num_goals, keys.skill)
    visits = functions.visits(learner.replay, inserted, goal)
    turns, rows_per_update = setting.turns_per_update, setting.rows_per_update
    rounds = steps // rows_per_update
    length = block_length(rounds)
    blocks = rounds // length

    def one_turn(learner: Learner, noise: Any) -> tuple[Learner, jax.Array]:
        acting_noise, environment_keys, last, random = noise
        action = functions.act(learner, skill, acting_noise, random)
        step_environment = over(count, environment.step)
        state, step = step_environment(learner.environment, action, environment_keys)
        learner = learner._replace(environment=state)
        return functions.move(learner, action, step, goal, skill, log_prior, last)

    def one_round(carry: tuple[Learner, jax.Array], noise: Any) -> Any:
        learner, inserted = carry
        update_noise, *turn_noise = noise
        if turns == 1:
            learner, rows = one_turn(learner, turn_noise)
        else:
            learner, rows = jax.lax.scan(one_turn, learner, turn_noise)
            rows = rows.reshape(-1, rows.shape[-1])
        learner, record = functions.absorb(learner, inserted, rows, log_prior, update_noise, visits)
        return (learner, inserted + rows_per_update), (record, functions.observed(rows))

    def one_block(carry: tuple[Learner, jax.Array], block: Any) -> Any:
        index, *turn_noise = block
        update_noise = functions.update_noise(jax.random.fold_in(keys.updates, index), length)
        return jax.lax.scan(one_round, carry, (update_noise, *turn_noise))

    shape = (blocks, length) + (turns,) * (turns > 1) + (count,) * (count > 1)

    def in_blocks(tree: Any) -> Any:
        return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), tree)

    last = jnp.arange(steps // count) == steps // count - 1
    (learner, inserted), (record, observed) = jax.lax.scan(
        one_block,
        (learner, inserted),
        (
            jnp.arange(blocks),
            in_blocks(functions.acting_noise(keys.acting, steps)),
            in_blocks(jax.random.split(keys.environment, steps)),
            last.reshape(blocks, length, *((turns,) * (turns > 1))),
            in_blocks(functions.random_actions(keys.acting, steps)),
        ),
    )
    learner = functions.close_visit(functions.remember(learner, inserted), inserted)
    if observed is not None:
        learner = functions.take_in(learner, observed.reshape(-1, observed.shape[-1]))
    return learner, jax.tree.map(
        lambda x: x.reshape(steps, *x.shape[2 + (rows_per_update > 1) :]), record
    )
