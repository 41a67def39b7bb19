"""Fresh trajectories: what is sampled, from which randomness, and where it ends."""

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.environments import EnvironmentFailure, EnvironmentStep
from autotelic.evaluation.rollouts import discriminator_judgements, roll_out, sample_trajectories
from autotelic.evaluation.trajectories import Trajectories, load_trajectories
from autotelic.learner.setting import Setting
from autotelic.objectives import Context
from autotelic.runs.run import Runs
from autotelic.selectors import Uniform
from autotelic.training.train import train

FROZEN = Setting(
    environment_options={"episode_length": 6},
    num_goals=3,
    steps_per_epoch=4,
    hidden_units=8,
    frozen=True,
)
MEMBERS = [("DIAYN", 0), ("DIAYN", 1)]


@pytest.fixture(scope="module")
def sampled(runs: Runs) -> Trajectories:
    return sample_trajectories(runs, per_goal=4, seed=7)


def in_environment(runs: Runs, environment: Any, **options: Any) -> Setting:
    return dataclasses.replace(runs.setting, environment=environment, environment_options=options)


def test_every_goal_gets_as_many_episodes_from_the_start_on(sampled: Trajectories):
    assert sampled.observations.shape == (2, 3, 4, 7, 2)
    assert sampled.observations.dtype == np.float32
    assert sampled.members == tuple(MEMBERS)
    np.testing.assert_array_equal(sampled.lengths, 6)
    np.testing.assert_array_equal(sampled.observations[..., 0, :], 0.5)
    moved = np.abs(np.diff(sampled.observations, axis=-2))
    assert moved.max() <= 0.05 + 1e-6
    assert moved.reshape(2, 3, 4, -1).max(axis=-1).min() > 0.001
    np.testing.assert_array_equal(sampled.positions, sampled.observations)


def test_the_seed_decides_and_the_choice_of_members_does_not(runs: Runs, sampled: Trajectories):
    alone = sample_trajectories(runs, per_goal=4, seed=7, members=MEMBERS[1:])
    np.testing.assert_array_equal(alone.observations[0], sampled.observations[1])
    other = sample_trajectories(runs, per_goal=4, seed=8)
    assert not np.isclose(other.observations[..., 1:, :], sampled.observations[..., 1:, :]).any()


def test_no_two_trajectories_share_their_noise(sampled: Trajectories):
    ends = sampled.observations[..., -1, :].reshape(24, 2)
    assert len(np.unique(ends.round(6), axis=0)) == 24


def test_untrained_skills_are_those_the_run_began_with(runs: Runs, sampled: Trajectories):
    # Nothing was learned in a frozen run, so its skills are still the first ones.
    untrained = sample_trajectories(runs, per_goal=4, seed=7, untrained=True)
    np.testing.assert_array_equal(untrained.observations, sampled.observations)


def test_untrained_skills_see_observations_on_the_scale_that_the_run_began_with(tmp_path: Path):
    fixed = dataclasses.replace(FROZEN, normalize_observations="fixed")
    frozen = train(fixed, {"DIAYN": Uniform()}, seeds=(0,), epochs=1, out=tmp_path / "fixed")
    assert frozen.skills.normalizer.number > 0
    trained, untrained = (
        sample_trajectories(frozen, per_goal=2, untrained=untrained) for untrained in (False, True)
    )
    np.testing.assert_array_equal(untrained.observations, trained.observations)


def test_deterministic_steps_follow_the_policys_most_probable_action(runs: Runs):
    found = sample_trajectories(runs, per_goal=2, deterministic=True, steps=1)
    agent, objective = runs.setting.agent, runs.setting.objective
    for member in range(2):
        policy = jax.tree.map(lambda leaf, m=member: leaf[m], runs.skills.policy)
        for goal in range(3):
            skill = objective.embed(jnp.asarray(goal), 3)
            action = agent.act_deterministically(policy, jnp.array([0.5, 0.5]), skill)
            for trajectory in found.observations[member, goal]:
                np.testing.assert_allclose(trajectory[1], 0.5 + 0.05 * action, atol=1e-6)


def test_a_gymnasium_environment_gives_the_same_in_any_number_of_waves(
    runs: Runs, sampled: Trajectories, monkeypatch: pytest.MonkeyPatch
):
    setting = in_environment(runs, "autotelic/Navigation2D-v0", max_episode_steps=6)
    for largest_pool in (64, 7):  # one wave; two waves of two trajectories of each goal
        monkeypatch.setattr("autotelic.evaluation.rollouts.LARGEST_POOL", largest_pool)
        host = roll_out(setting, runs.skills, MEMBERS, per_goal=4, seed=7)
        np.testing.assert_allclose(host.observations, sampled.observations, atol=1e-5)
        assert host.positions is not None
        np.testing.assert_allclose(host.positions, host.observations, atol=1e-6)
        np.testing.assert_array_equal(host.lengths, sampled.lengths)


def test_a_trajectory_ends_with_its_episode(runs: Runs):
    found = sample_trajectories(runs, per_goal=2, steps=9)
    np.testing.assert_array_equal(found.lengths, 6)
    assert np.isfinite(found.observations[..., :7, :]).all()
    assert np.isnan(found.observations[..., 7:, :]).all()


class Falling:
    """Ends for good after two steps, in either kind of environment."""

    observation_size, action_size, episode_length = 2, 2, None

    def reset(self, key: jax.Array) -> Any:
        return jnp.zeros((), jnp.int32), jnp.zeros(2)

    def step(self, state: jax.Array, action: jax.Array, key: jax.Array) -> Any:
        time = state + 1
        terminated = time == 2
        seen = jnp.full(2, time, jnp.float32)
        following = jnp.where(terminated, 0, time)
        step = EnvironmentStep(seen, terminated, jnp.zeros((), bool), jnp.full(2, following))
        return following, step._replace(observation=step.observation.astype(jnp.float32))


class FallingGymnasium(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-9.0, 9.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.time = 0
        return np.zeros(2, np.float32), {}

    def step(self, action: np.ndarray) -> Any:
        self.time += 1
        return np.full(2, self.time, np.float32), 0.0, self.time == 2, False, {}


@pytest.mark.parametrize("environment", [Falling(), FallingGymnasium])
def test_an_early_end_is_kept_and_nothing_after_it(runs: Runs, environment: Any):
    found = roll_out(in_environment(runs, environment), runs.skills, MEMBERS, per_goal=2)
    assert found.steps == runs.setting.steps_per_epoch  # no time limit: an epoch
    np.testing.assert_array_equal(found.lengths, 2)
    trajectory = [[0, 0], [1, 1], [2, 2], [np.nan] * 2, [np.nan] * 2]
    np.testing.assert_array_equal(
        found.observations, np.broadcast_to(trajectory, found.observations.shape)
    )
    assert found.positions is None


class Elsewhere(FallingGymnasium):
    """Begins where its seed says."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return self.np_random.uniform(size=2).astype(np.float32), {}


def test_waves_of_a_size_share_their_environments_and_begin_where_their_seeds_say(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
):
    setting = in_environment(runs, Elsewhere)
    alone = roll_out(setting, runs.skills, MEMBERS, per_goal=5, seed=7)
    monkeypatch.setattr("autotelic.evaluation.rollouts.LARGEST_POOL", 7)
    environment = setting.make_environment()
    Elsewhere.made = 0
    found = roll_out(setting, runs.skills, MEMBERS, per_goal=5, seed=7, environment=environment)
    # Waves of 2, 2 and 1 trajectories of each of 3 goals: pools of 6 and 3, which look at one more each.
    assert Elsewhere.made == (6 + 1) + (3 + 1)
    np.testing.assert_array_equal(found.observations, alone.observations)
    assert len(np.unique(found.observations[0, ..., 0, 0])) == 15


class Breaking(FallingGymnasium):
    def step(self, action: np.ndarray) -> Any:
        raise RuntimeError("a joint came loose")


def test_a_failing_environment_says_whose_trajectory_it_was(runs: Runs):
    with pytest.raises(EnvironmentFailure, match="a joint came loose") as failure:
        roll_out(in_environment(runs, Breaking), runs.skills, MEMBERS, per_goal=2)
    assert "trajectory 0 of goal 0 of member ('DIAYN', 0)" in failure.value.__notes__[-1]


def test_the_discriminator_judges_each_state_that_was_reached(runs: Runs, sampled: Trajectories):
    judged = list(discriminator_judgements(runs, sampled))
    assert [j.log_probabilities.shape for j in judged] == [(3, 4, 6, 3)] * 2
    discriminator = jax.tree.map(lambda leaf: leaf[1], runs.skills.discriminator)
    states = sampled.observations[1, 2, 3]
    expected = runs.setting.objective.log_posteriors(
        discriminator, Context(None, states[4], states[5])
    )
    np.testing.assert_allclose(judged[1].log_probabilities[2, 3, 4], expected, rtol=1e-5)


def test_trajectories_come_back_from_their_file(sampled: Trajectories, tmp_path: Path):
    path = tmp_path / "trajectories.npz"
    for saved in (sampled, dataclasses.replace(sampled, positions=None)):
        saved.save(path)
        loaded = load_trajectories(path)
        assert loaded.members == saved.members
        np.testing.assert_array_equal(loaded.observations, saved.observations)
        np.testing.assert_array_equal(loaded.lengths, saved.lengths)
        assert (loaded.positions is None) == (saved.positions is None)
    with np.load(path, allow_pickle=False) as arrays:
        assert set(arrays) == {"observations", "lengths", "members_json"}


def test_another_file_and_unfit_arrays_are_refused(sampled: Trajectories, tmp_path: Path):
    np.savez(tmp_path / "other.npz", observations=np.zeros(3))
    with pytest.raises(ValueError, match="lacks lengths, members_json"):
        load_trajectories(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="with 1 members, got"):
        dataclasses.replace(sampled, members=(("DIAYN", 0),))
    with pytest.raises(ValueError, match="lengths must have"):
        dataclasses.replace(sampled, lengths=sampled.lengths[:1])
    with pytest.raises(ValueError, match=r"no trajectories of \('DP', 0\)"):
        sampled.index("DP", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per_goal": 0}, "per_goal must be at least 1, got 0"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"members": []}, "members must name at least one"),
        ({"members": [("DIAYN", 9)]}, r"unknown member .*9.*choose from \('DIAYN', 0\)"),
    ],
)
def test_what_cannot_be_sampled_is_refused(runs: Runs, arguments: Any, message: str):
    with pytest.raises(ValueError, match=message):
        sample_trajectories(runs, **arguments)
