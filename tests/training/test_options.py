"""Options of the loop: whose q is judged, new episodes with every goal, and learning that stops."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_learner import HERE, THERE, make_bench, moved
from tiny_runs import (
    EPOCHS,
    GOALS,
    Corridor,
    SaveableCorridor,
    Stop,
    StopAfter,
    assert_same_run,
    copied,
    replay_rows,
    run,
    tiny,
    tiny_gymnasium,
)

import autotelic as at
from autotelic.learner.setting import Setting
from autotelic.objectives import Context
from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")
ONE = {"DIAYN": at.Uniform()}


@pytest.mark.parametrize("judged", ["before_update", "after_update"])
def test_the_posterior_is_of_q_before_or_after_the_steps_update(judged: str):
    bench = make_bench(tiny(judged=judged))
    learner, record = bench.step(30, moved())
    context = Context(None, HERE, THERE)
    by = {
        "before_update": bench.learner.discriminator,
        "after_update": learner.discriminator,
    }
    log_q = bench.functions.setting.objective.log_posteriors
    np.testing.assert_allclose(record.posterior, jnp.exp(log_q(by[judged], context)), rtol=1e-6)
    other = by["after_update" if judged == "before_update" else "before_update"]
    assert np.abs(record.posterior - jnp.exp(log_q(other, context))).max() > 1e-5


def starts_of_visits(folder: Path, setting: Setting) -> np.ndarray:
    """Observations that the visits to goals began with, [visits, observation]."""
    run(folder, setting=setting, methods=ONE)
    rows = replay_rows(load(folder))["observation"][0]
    return rows[:: setting.steps_per_visit]


@pytest.mark.parametrize("resets", [True, False])
def test_a_goal_begins_a_new_episode_if_it_is_to(resets: bool, tmp_path: Path):
    setting = tiny(steps_per_goal=10, replay_capacity=80, reset_on_goal_switch=resets)
    begins = starts_of_visits(tmp_path / "jax", setting)
    assert (begins == 0.5).all() == resets


@pytest.mark.parametrize("resets", [True, False])
@pytest.mark.thorough
def test_so_it_does_in_a_host_environment(resets: bool, tmp_path: Path):
    # Episodes end after 4 and 6 steps by turns: visits of 5 begin within them.
    setting = tiny_gymnasium(
        Corridor, steps_per_goal=5, replay_capacity=80, reset_on_goal_switch=resets
    )
    begins = starts_of_visits(tmp_path / "host", setting)
    assert (begins[:, 1] == 0.0).all() == resets


@pytest.mark.thorough
def test_new_episodes_survive_a_stop(tmp_path: Path):
    setting = tiny_gymnasium(SaveableCorridor, steps_per_goal=5, reset_on_goal_switch=True)
    run(tmp_path / "whole", setting=setting, methods=ONE)
    with pytest.raises(Stop):
        run(tmp_path / "stopped", setting=setting, methods=ONE, observers=[StopAfter(2)])
    run(tmp_path / "stopped", setting=setting, methods=ONE, resume=True)
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_nothing_is_learned_after_the_freeze_and_everything_before(tmp_path: Path, finished: Path):
    froze = run(tmp_path / "frozen", setting=tiny(freeze_after=2))
    until = run(tmp_path / "until", setting=tiny(freeze_after=2), epochs=2)
    for own, other in zip(
        jax.tree.leaves(froze.skills), jax.tree.leaves(until.skills), strict=True
    ):
        np.testing.assert_array_equal(own, other)
    whole = load(finished)
    first = froze.history["epoch"] < 2
    np.testing.assert_array_equal(froze.history["goal"][first], whole.history["goal"][first])
    # A program that can freeze is another one: the same numbers, rounded elsewhere.
    for column in ("certainty", "loss_discriminator"):
        np.testing.assert_allclose(
            froze.history[column][first], whole.history[column][first], rtol=1e-5
        )
    assert not np.array_equal(
        froze.history["certainty"][~first], whole.history["certainty"][~first]
    )


def test_a_finished_run_goes_on_frozen(tmp_path: Path, finished: Path):
    folder = copied(finished, tmp_path / "run")
    frozen = run(folder, setting=tiny(freeze_after=EPOCHS), epochs=EPOCHS + 2, resume=True)
    np.testing.assert_array_equal(
        jax.tree.leaves(frozen.skills)[0], jax.tree.leaves(load(finished).skills)[0]
    )
    assert frozen.setting.freeze_after == EPOCHS and len(frozen.history) == 2 * (EPOCHS + 2)


def test_a_freeze_in_the_past_of_a_run_is_refused(tmp_path: Path, finished: Path):
    folder = copied(finished, tmp_path / "run")
    with pytest.raises(ValueError, match="freeze_after was None, now 2"):
        run(folder, setting=tiny(freeze_after=2), epochs=EPOCHS + 2, resume=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"replay": "balanced"}, "unknown replay 'balanced'; choose from uniform, goal_balanced"),
        ({"judged": "never"}, "unknown judged 'never'; choose from before_update, after_update"),
        ({"warm_up": 1}, "warm_up must be True or False"),
        ({"freeze_after": 0}, "freeze_after must be at least 1, got 0"),
        ({"freeze_after": 2, "frozen": True}, "frozen learners never learn; leave one out"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict, words: str):
    with pytest.raises((ValueError, TypeError), match=words):
        tiny(**changes)


def test_a_balanced_replay_needs_room_for_a_visit():
    with pytest.raises(ValueError, match="whole visits of 20 steps, and replay_capacity is 16"):
        tiny(replay="goal_balanced", replay_capacity=16).capacity(4)


def test_balanced_batches_hold_every_goal_met_alike(tmp_path: Path):
    setting = tiny(replay="goal_balanced", steps_per_goal=5, replay_capacity=80, num_goals=GOALS)
    bench = make_bench(setting)
    functions = bench.functions
    # Fifteen visits: goal 0 thirteen times, goals 1 and 2 once; now goal 2 is pursued again.
    goals = np.array([0] * 6 + [1] + [0] * 4 + [2] + [0] * 3)
    rows = functions.layout.pack(
        {
            **{
                name: jnp.zeros((75, max(size, 1))) if size else jnp.zeros(75)
                for name, size in functions.layout.fields
            },
            "goal": jnp.repeat(jnp.asarray(goals, jnp.float32), 5),
        }
    )
    ring = bench.learner.replay.at[:75].set(rows)
    inserted = jnp.int32(75)
    visits = functions.visits(ring, inserted, jnp.int32(2))
    noise = functions.update_noise(jax.random.key(1), 200)
    chosen = jax.vmap(lambda n: ring[functions._drawn(ring, inserted, n, visits)])(noise)
    found = np.asarray(functions.layout.unpack(chosen)["goal"]).ravel()
    share = np.bincount(found.astype(int), minlength=GOALS) / len(found)
    # Three standard errors of a share of 3200 draws.
    np.testing.assert_allclose(share, 1 / 3, atol=3 * np.sqrt(2 / 9 / len(found)))
