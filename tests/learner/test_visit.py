from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_runs import EPISODE, GOALS, STEPS, tiny

from autotelic.learner import visit as visits
from autotelic.learner.learner import Learner, LearnerFunctions, StepRecord, learner_functions
from autotelic.learner.normalizer import Normalizer
from autotelic.learner.plan import sizes_of
from autotelic.runs.history import vector
from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")

SETTING = tiny()
ENVIRONMENT: Any = SETTING.make_environment()
FUNCTIONS = learner_functions(SETTING, sizes_of(ENVIRONMENT), epochs=4)


@pytest.fixture(scope="module")
def run_alone(same_crews: None):
    """`run_visit` of one learner, compiled."""
    return jax.jit(partial(visits.run_visit, FUNCTIONS, ENVIRONMENT))


def fresh(seed: int = 0) -> Learner:
    learner_key, environment_key = jax.random.split(jax.random.key(seed))
    state, observation = ENVIRONMENT.reset(environment_key)
    return jax.jit(FUNCTIONS.init)(learner_key, state, observation)


def _arguments(
    learner: Learner, epoch: int, goal: int = 1, prior: np.ndarray | None = None, seed: int = 0
) -> tuple[Any, ...]:
    prior = np.full(GOALS, 1 / GOALS) if prior is None else prior
    keys = visits.visit_keys(jax.random.key(seed), jnp.int32(epoch))
    log_prior = jnp.log(jnp.asarray(prior, jnp.float32) + 1e-6)
    return learner, jnp.int32(epoch * STEPS), jnp.int32(goal), log_prior, keys


def plain_loop(
    functions: LearnerFunctions,
    learner: Learner,
    inserted: jax.Array,
    goal: jax.Array,
    log_prior: jax.Array,
    keys: visits.VisitKeys,
) -> tuple[Learner, list[StepRecord]]:
    """Algorithm 1's inner loop as one would write it without a scan."""
    setting = functions.setting
    count, turns, rows = setting.environments, setting.turns_per_update, setting.rows_per_update
    act, move, absorb = map(jax.jit, (functions.act, functions.move, functions.absorb))
    step = jax.jit(ENVIRONMENT.step if count == 1 else jax.vmap(ENVIRONMENT.step))
    acting = functions.acting_noise(keys.acting, STEPS)
    environment_keys = jax.random.split(keys.environment, STEPS)
    skill = setting.objective.embed(goal, GOALS)
    block = visits.block_length(STEPS // rows)
    learner = learner._replace(start=learner.observation)
    records, made = [], []
    for time in range(0, STEPS, count):
        now = time if count == 1 else slice(time, time + count)
        action = act(learner, skill, at(acting, now))
        state, seen = step(learner.environment, action, environment_keys[now])
        moved = learner._replace(environment=state)
        learner, row = move(moved, action, seen, goal, skill, log_prior)
        made += [row] if count == 1 else list(row)
        if len(made) == rows:
            number = time // count // turns
            noise_key = jax.random.fold_in(keys.updates, number // block)
            noise = at(functions.update_noise(noise_key, block), number % block)
            before = inserted + number * rows
            learner, record = absorb(learner, before, jnp.stack(made), log_prior, noise)
            records.append(record)
            made = []
    return functions.remember(learner, inserted + STEPS), records


def at(tree: Any, index: Any) -> Any:
    return jax.tree.map(lambda x: x[index], tree)


def test_the_scan_equals_the_plain_loop(run_alone: Any):
    arguments = _arguments(fresh(), 0)
    learner, record = run_alone(*arguments)
    expected, records = plain_loop(FUNCTIONS, *arguments)
    assert record.posterior.shape == (STEPS, GOALS)
    close = partial(np.testing.assert_allclose, rtol=1e-3, atol=1e-5)
    jax.tree.map(close, record, jax.tree.map(lambda *parts: np.concatenate(parts), *records))
    jax.tree.map(close, learner, expected)
    assert int(learner.environment.time) == STEPS % EPISODE


@pytest.mark.parametrize(
    ("environments", "updates_per_step"),
    [
        pytest.param(1, 2.0, marks=pytest.mark.thorough),
        pytest.param(2, 1 / 10, marks=pytest.mark.thorough),
        (4, 1 / 2),
    ],
)
def test_the_scan_equals_the_plain_loop_at_other_ratios(environments: int, updates_per_step: float):
    setting = tiny(
        environments=environments,
        updates_per_step=updates_per_step,
        normalize_observations="running",
        steps_per_goal=STEPS,
    )
    functions = learner_functions(setting, sizes_of(ENVIRONMENT), epochs=4)
    keys = jax.random.split(jax.random.key(1), environments)
    reset = ENVIRONMENT.reset if environments == 1 else jax.vmap(ENVIRONMENT.reset)
    start = jax.jit(functions.init)(
        jax.random.key(0), *reset(keys[0] if environments == 1 else keys)
    )
    start = start._replace(normalizer=Normalizer(jnp.float32(9), jnp.ones(2) / 2, jnp.ones(2)))
    arguments = _arguments(start, 1)
    learner, record = jax.jit(partial(visits.run_visit, functions, ENVIRONMENT))(*arguments)
    expected, records = plain_loop(functions, *arguments)
    assert record.posterior.shape == (STEPS, GOALS)
    close = partial(np.testing.assert_allclose, rtol=2e-3, atol=2e-5)
    jax.tree.map(close, record, jax.tree.map(lambda *parts: np.concatenate(parts), *records))
    jax.tree.map(close, learner._replace(normalizer=()), expected._replace(normalizer=()))
    # What was seen counts from the next visit on.
    assert float(learner.normalizer.number) == 9 + STEPS
    if environments > 1:  # they are different places
        assert np.ptp(np.asarray(learner.observation), axis=0).max() > 0


def test_a_member_of_a_population_equals_the_same_learner_alone(finished: Path, run_alone: Any):
    """The run trained two members side by side; the second is trained again by itself."""
    runs = load(finished)
    history = runs.history.query("method == 'DP' and epoch < 2")
    learner = fresh()
    for epoch, (goal, prior) in enumerate(zip(history.goal, vector(history, "prior"), strict=True)):
        learner, record = run_alone(*_arguments(learner, epoch, goal, prior))
        row = history.query(f"epoch == {epoch}").iloc[0]
        assert float(record.posterior[:, goal].mean()) == pytest.approx(row.certainty, rel=1e-3)
        losses = {name: float(loss.mean()) for name, loss in record.losses.items()}
        expected = {name: row[f"loss_{name}"] for name in losses}
        assert losses == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_every_epoch_has_randomness_of_its_own():
    """No key is used twice: nor those that made the learner and its environment."""
    seed_key = jax.random.key(3)
    learner_key, environment_key = jax.random.split(seed_key)
    keys = [seed_key, learner_key, environment_key, *jax.random.split(learner_key)]
    for epoch in range(20):
        keys += visits.visit_keys(seed_key, jnp.int32(epoch))
    data = {tuple(np.asarray(jax.random.key_data(key)).tolist()) for key in keys}
    assert len(data) == len(keys)


@given(st.integers(2, 5000))
def test_a_block_is_the_largest_divisor_of_the_epoch_that_is_not_too_long(steps: int):
    length = visits.block_length(steps)
    assert length == max(n for n in range(1, visits.LONGEST_BLOCK + 1) if steps % n == 0)
