"""The ratio of learning to acting: updates per step, several environments, normalised observations."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from tiny_runs import (
    CAPACITY,
    EPOCHS,
    GOALS,
    STEPS,
    SaveableCorridor,
    Stop,
    StopAfter,
    assert_same_run,
    replay_rows,
    run,
    tiny,
    tiny_gymnasium,
)

from autotelic.evaluation.rollouts import sample_trajectories
from autotelic.learner.setting import Setting
from autotelic.runs.run import load
from autotelic.training.learners import environment_seeds
from autotelic.training.statistics import observation_statistics

pytestmark = pytest.mark.usefixtures("same_crews")

MOSTLY_ACTING = {"environments": 2, "updates_per_step": 1 / 10, "normalize_observations": "running"}


@pytest.fixture(scope="module")
def acted(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two Corridors a learner, an update every ten steps."""
    folder = tmp_path_factory.mktemp("acted")
    run(folder, setting=tiny_gymnasium(SaveableCorridor, **MOSTLY_ACTING))
    return folder


def test_rows_of_two_environments_alternate(acted: Path):
    """A Corridor's observation has the time: both stand at the same step, each in its own place."""
    rows = replay_rows(load(acted))
    assert rows["goal"].shape == (2, CAPACITY)
    one, other = rows["observation"][:, ::2], rows["observation"][:, 1::2]
    np.testing.assert_array_equal(one[..., 1], other[..., 1])
    assert (one[..., 0] != other[..., 0]).all()
    # The run has 80 steps in two environments: number 60 of the ring's 60 rows is step 30 of each.
    expected = np.array([step % 10 if step % 10 < 4 else step % 10 - 4 for step in range(10, 40)])
    order = (np.arange(20, 80) % CAPACITY)[::2]
    np.testing.assert_allclose(rows["observation"][0, order, 1], expected / 10, atol=1e-6)


def test_an_update_every_ten_steps(acted: Path):
    """Learning begins after ten steps, so 7 updates follow in 80 steps: Adam has counted them."""
    from autotelic.runs.store import CheckpointStore

    checkpoint = CheckpointStore(acted).load_latest()
    assert checkpoint is not None
    counted = [a for name, a in checkpoint.arrays.items() if name.endswith(".steps")]
    assert counted and all((steps == EPOCHS * STEPS // 10 - 1).all() for steps in counted)


def test_two_updates_a_step(tmp_path: Path):
    from autotelic.runs.store import CheckpointStore

    run(tmp_path, setting=tiny(updates_per_step=2))
    checkpoint = CheckpointStore(tmp_path).load_latest()
    assert checkpoint is not None
    counted = [a for name, a in checkpoint.arrays.items() if name.endswith(".steps")]
    assert counted and all((steps == 2 * (EPOCHS * STEPS - 10)).all() for steps in counted)


def test_it_resumes_to_the_same_end(acted: Path, tmp_path: Path):
    setting = tiny_gymnasium(SaveableCorridor, **MOSTLY_ACTING)
    with pytest.raises(Stop):
        run(tmp_path, setting=setting, observers=[StopAfter(2)])
    run(tmp_path, setting=setting, resume=True)
    assert_same_run(tmp_path, acted)


def test_running_statistics_are_those_of_all_that_was_seen(tmp_path: Path):
    """With a ring that holds the whole run, the rows are what was seen."""
    setting = tiny(normalize_observations="running", replay_capacity=EPOCHS * STEPS)
    runs = run(tmp_path, setting=setting)
    seen = replay_rows(runs)["next_observation"]
    count, mean, squares = runs.skills.normalizer
    np.testing.assert_array_equal(count, EPOCHS * STEPS)
    np.testing.assert_allclose(mean, seen.mean(axis=1), rtol=1e-4)
    np.testing.assert_allclose(squares / EPOCHS / STEPS, seen.var(axis=1), rtol=1e-3)


@pytest.mark.thorough
def test_fixed_statistics_are_those_of_random_actions_and_never_move(tmp_path: Path):
    setting = tiny(normalize_observations="fixed")
    runs = run(tmp_path, setting=setting)
    expected = observation_statistics(setting.make_environment())
    for found, known in zip(runs.skills.normalizer, expected, strict=True):
        np.testing.assert_allclose(found, np.broadcast_to(known, found.shape), rtol=1e-6)
    assert (np.asarray(expected.squares) > 0).all()


@pytest.mark.thorough
def test_evaluation_acts_on_what_the_policy_saw(tmp_path: Path):
    """A trajectory's actions are the policy's on normalised observations, and on no others."""
    runs = run(tmp_path, setting=tiny(normalize_observations="running"))
    path = sample_trajectories(runs, 1, steps=1, deterministic=True, members=[("DIAYN", 0)])
    start, end = path.observations[0, :, 0, 0], path.observations[0, :, 0, 1]
    skills = jax.tree.map(lambda leaf: leaf[0], runs.skills)
    count, mean, squares = skills.normalizer
    agent, objective = runs.setting.agent, runs.setting.objective
    codes = objective.embed(np.arange(GOALS), GOALS)
    act = jax.vmap(agent.act_deterministically, (None, 0, 0))
    seen = (start - mean) / np.sqrt(squares / count)
    np.testing.assert_allclose(end, start + 0.05 * act(skills.policy, seen, codes), atol=1e-5)
    other = start + 0.05 * act(skills.policy, start, codes)
    assert np.abs(end - other).max() > 1e-4


def test_every_environment_of_a_learner_has_a_seed_of_its_own():
    seeds = environment_seeds([3, 4], 0, environments=3)
    assert len(set(seeds)) == 6
    assert [seeds[0], seeds[3]] == environment_seeds([3, 4])  # the first as where there is one


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"environments": 3}, r"environments 3 must divide the 20 steps"),
        ({"updates_per_step": 0.3}, r"one over a whole number of steps, got 0.3; near it: 1/3"),
        ({"updates_per_step": 1.5}, r"whole number.* got 1.5; near it: 2"),
        ({"updates_per_step": 0}, r"updates_per_step must be .*0"),
        ({"updates_per_step": 1 / 8}, r"1 updates every 8 steps.* fill the 20"),
        ({"updates_per_step": 1 / 10, "environments": 4}, r"environments 4 .* fill the 20"),
        ({"environments": 0}, r"environments must be at least 1"),
        ({"normalize_observations": "fix"}, r"normalize_observations.*fixed"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        Setting(**{"steps_per_epoch": 20, "steps_per_goal": 20, **changes})
