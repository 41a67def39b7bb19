"""The held-out classifier: right where skills differ, at chance where they do not, split by trajectory."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from autotelic.evaluation.classifier import halves, held_out_accuracy, held_out_judgements
from autotelic.evaluation.metrics import accuracy, mutual_information_bound, per_trajectory
from autotelic.evaluation.statistics import interquartile_mean_interval
from autotelic.evaluation.trajectories import Trajectories


def walks(centres: np.ndarray, trajectories: int, steps: int, seed: int = 0) -> np.ndarray:
    """Noise about a centre for each goal: [goals, trajectories, steps + 1, observation]."""
    noise = np.random.default_rng(seed).normal(
        size=(len(centres), trajectories, steps + 1, centres.shape[1])
    )
    return (centres[:, None, None] + noise).astype(np.float32)


def test_separate_skills_are_told_apart_and_equal_ones_are_not():
    apart = walks(20.0 * np.eye(4), trajectories=6, steps=10)
    lengths = np.full((4, 6), 10)
    judgements = held_out_judgements(apart, lengths)
    assert judgements.log_probabilities.shape == (4, 3, 10, 4)
    assert accuracy(judgements) == 1.0
    assert mutual_information_bound(judgements) == pytest.approx(np.log(4), abs=0.02)
    same = held_out_judgements(walks(np.zeros((4, 4)), 40, 10), np.full((4, 40), 10))
    assert accuracy(same) == pytest.approx(0.25, abs=0.05)
    assert mutual_information_bound(same) == pytest.approx(0.0, abs=0.02)


def test_shuffled_goals_have_no_information_within_its_interval():
    found = []
    for seed in range(6):
        apart = walks(20.0 * np.eye(4), trajectories=20, steps=5, seed=seed)
        shuffled = np.random.default_rng(seed).permutation(apart.reshape(80, 6, 4))
        judged = held_out_judgements(shuffled.reshape(apart.shape), np.full((4, 20), 5))
        found.append(mutual_information_bound(judged))
    interval = interquartile_mean_interval(found, np.random.default_rng(0))
    assert interval.low == 0.0
    assert interval.high < 0.05


def test_per_step_accuracy_comes_near_the_best_there_is():
    # Two unit Gaussians 2 apart: no classifier is right more often than Phi(1) = 0.841 of the time.
    observations = walks(np.array([[-1.0], [1.0]]), trajectories=100, steps=20)
    judgements = held_out_judgements(observations, np.full((2, 100), 20))
    assert accuracy(judgements) == pytest.approx(0.841, abs=0.02)
    assert accuracy(per_trajectory(judgements)) == 1.0


def test_the_split_is_by_trajectory():
    # Each trajectory stands still at a random place of its own, in so many dimensions that any
    # labels of the places seen in the fit are told apart: accuracy would be 1 if a trajectory had
    # steps on both sides of the split.
    places = np.random.default_rng(1).normal(size=(2, 40, 1, 100))
    judgements = held_out_judgements(np.repeat(places, 11, axis=2), np.full((2, 40), 10))
    assert accuracy(judgements) == pytest.approx(0.5, abs=0.2)


def test_starts_and_what_lies_beyond_the_end_are_not_looked_at():
    observations = walks(np.zeros((3, 2)), trajectories=20, steps=6)
    lengths = np.random.default_rng(0).integers(1, 7, size=(3, 20))
    expected = held_out_judgements(observations, lengths)
    changed = observations.copy()
    changed[:, :, 0] = 100.0 * np.arange(3)[:, None, None]  # would give every goal away
    changed[:, :, 1:][np.arange(6) >= lengths[..., None]] = np.nan
    found = held_out_judgements(changed, lengths)
    np.testing.assert_array_equal(found.log_probabilities, expected.log_probabilities)


def test_the_same_seed_gives_the_same_judgements_and_another_splits_anew():
    observations, lengths = walks(np.eye(3), 10, 5), np.full((3, 10), 5)
    first, again, other = (held_out_judgements(observations, lengths, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.log_probabilities, again.log_probabilities)
    assert not np.array_equal(first.log_probabilities, other.log_probabilities)


def test_the_fit_looks_at_enough_steps_not_at_all(monkeypatch: pytest.MonkeyPatch):
    observations, lengths = walks(2.0 * np.eye(3), 40, 30), np.full((3, 40), 30)
    every = held_out_judgements(observations, lengths)  # 600 of a goal, and 300 are enough
    monkeypatch.setattr("autotelic.evaluation.classifier.PER_ENTRY", 50)
    half = held_out_judgements(observations, lengths)
    assert not np.array_equal(half.log_probabilities, every.log_probabilities)
    assert accuracy(half) == pytest.approx(accuracy(every), abs=0.01)
    monkeypatch.setattr("autotelic.evaluation.classifier.LARGEST_FIT", 1)
    far = walks(50.0 * np.eye(3), 40, 30)
    assert accuracy(held_out_judgements(far, lengths)) == 1.0  # from one step of each goal


def test_a_largest_fit_is_shared_by_the_goals(monkeypatch: pytest.MonkeyPatch):
    # 180 steps of three goals are 60 of each; so are 20 for each of three entries.
    observations, lengths = walks(2.0 * np.eye(3), 40, 30), np.full((3, 40), 30)
    with monkeypatch.context() as patch:
        patch.setattr("autotelic.evaluation.classifier.LARGEST_FIT", 180)
        shared = held_out_judgements(observations, lengths)
    monkeypatch.setattr("autotelic.evaluation.classifier.PER_ENTRY", 20)
    own = held_out_judgements(observations, lengths)
    np.testing.assert_array_equal(shared.log_probabilities, own.log_probabilities)


def test_members_are_judged_one_by_one():
    good, poor = walks(20.0 * np.eye(3), 8, 5), walks(np.zeros((3, 3)), 8, 5)
    observations = np.stack([good, poor])
    trajectories = Trajectories(
        (("DP", 0), ("DP", 1)), observations, np.full((2, 3, 8), 5, np.int32), None
    )
    found = held_out_accuracy(trajectories)
    assert found.per_step[0] == found.per_trajectory[0] == 1.0
    assert found.per_step[1] < 0.6


def test_a_trajectory_tells_more_than_a_state():
    observations = walks(np.array([[-1.0], [1.0]]), trajectories=100, steps=20)
    lengths = np.full((1, 2, 100), 20, np.int32)
    found = held_out_accuracy(Trajectories((("DP", 0),), observations[None], lengths, None))
    again = held_out_accuracy(Trajectories((("DP", 0),), observations[None], lengths, None), seed=0)
    assert found.per_step[0] == again.per_step[0]
    assert found.per_step[0] < 0.9  # Phi(1) is the best there is
    assert found.per_trajectory[0] == 1.0


def test_every_goal_is_split_at_random_and_the_larger_half_is_held_out():
    fitted, held_out = halves((50, 5), np.random.default_rng(0))
    assert (fitted.shape, held_out.shape) == ((50, 2), (50, 3))
    together = np.sort(np.concatenate([fitted, held_out], axis=1), axis=1)
    np.testing.assert_array_equal(together, np.tile(np.arange(5), (50, 1)))
    # Each of 5 is among the 2 of 50 goals in 20 cases, give or take 3.5.
    assert np.all(np.abs(np.bincount(fitted.ravel(), minlength=5) - 20) < 4 * 3.5)


def test_two_trajectories_are_enough_to_split():
    found = held_out_judgements(walks(20.0 * np.eye(3), 2, 5), np.full((3, 2), 5))
    assert found.log_probabilities.shape == (3, 1, 5, 3)


def test_too_little_to_split_is_refused():
    with pytest.raises(ValueError, match="seed must be at least 0"):
        held_out_judgements(walks(np.eye(3), 4, 5), np.full((3, 4), 5), seed=-1)
    with pytest.raises(ValueError, match="2 goals with 2 trajectories each, got 3 goals with 1"):
        held_out_judgements(walks(np.eye(3), 1, 5), np.full((3, 1), 5))
    with pytest.raises(ValueError, match="lengths"):
        held_out_judgements(walks(np.eye(3), 4, 5), np.full((3, 5), 5))


def test_judgements_are_those_of_scikit_learns_regression_on_standardised_steps():
    # All trajectories of a goal are the same, so that it does not matter which half is fitted. Entries
    # lie far from 0, are narrower and wider than 1, and the last never changes.
    centres = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    steps = np.random.default_rng(0).normal(size=(3, 12, 2)) + centres[:, None]
    steps = np.concatenate([100.0 + steps * [0.25, 8.0], np.full((3, 12, 1), 5.0)], axis=-1)
    start = np.full((3, 1, 3), 1e6)  # no skill has had a say in it
    observations = np.repeat(np.concatenate([start, steps], axis=1)[:, None], 4, axis=1)
    found = held_out_judgements(observations, np.full((3, 4), 12))

    rows = steps.reshape(-1, 3)[:, :2]
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    fitted, labels = np.tile(scaled, (2, 1)), np.tile(np.repeat(np.arange(3), 12), 2)
    # -(1/n) sum log p + |W|^2 / (2 v n) is scikit-learn's objective over n C, with C = v = 10.
    reference = LogisticRegression(C=10.0, tol=1e-10, max_iter=10_000).fit(fitted, labels)
    expected = reference.predict_log_proba(scaled).reshape(3, 1, 12, 3)
    np.testing.assert_allclose(
        found.log_probabilities, np.repeat(expected, 2, axis=1), rtol=1e-2, atol=1e-3
    )


def test_the_seed_of_the_split_is_0_unless_given():
    overlapping = walks(np.eye(2), trajectories=6, steps=4), np.full((2, 6), 4)
    by_default = held_out_judgements(*overlapping).log_probabilities
    np.testing.assert_array_equal(
        by_default, held_out_judgements(*overlapping, 0).log_probabilities
    )
    assert (by_default != held_out_judgements(*overlapping, 1).log_probabilities).any()
