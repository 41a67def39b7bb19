"""Metrics at known truths: hand-computed values, perfect and ignorant classifiers, their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.evaluation.metrics import (
    Judgements,
    accuracy,
    confusion,
    knn_f1,
    macro_f1,
    mean_certainty,
    mean_observations,
    mutual_information_bound,
    negative_log_likelihood,
    per_trajectory,
    standardised,
)


def judged(probabilities: list, lengths: list) -> Judgements:
    """Judgements from probabilities [goals, trajectories, steps, goals]."""
    return Judgements(np.log(np.array(probabilities)), np.array(lengths))


# Two goals. Goal 0 has trajectories of 2 and 1 steps, goal 1 of 1 and 1; the rest is padding.
PADDING = [1e-9, 1.0]
SMALL = judged(
    [
        [[[0.8, 0.2], [0.4, 0.6]], [[0.5, 0.5], PADDING]],
        [[[0.1, 0.9], PADDING], [[0.75, 0.25], PADDING]],
    ],
    [[2, 1], [1, 1]],
)


def test_golden_values_ignore_what_lies_beyond_a_trajectory():
    # Goal 0: steps say 0, 1, 0 (a tie goes to the first); goal 1: steps say 1, 0.
    np.testing.assert_allclose(confusion(SMALL), [[2 / 3, 1 / 3], [1 / 2, 1 / 2]])
    assert accuracy(SMALL) == pytest.approx((2 / 3 + 1 / 2) / 2)
    # F1 of goal 0: 2 (2/3) / (2/3 + 1/3 + 2/3 + 1/2); of goal 1: 2 (1/2) / (1/2 + 1/2 + 1/2 + 1/3).
    assert macro_f1(SMALL) == pytest.approx((8 / 13 + 6 / 11) / 2)
    nll = -(np.log(0.8 * 0.4 * 0.5) / 3 + np.log(0.9 * 0.25) / 2) / 2
    assert negative_log_likelihood(SMALL) == pytest.approx(nll)
    assert mutual_information_bound(SMALL) == pytest.approx(max(0.0, np.log(2) - nll))


def test_mean_certainty_by_hand():
    # Goal 0: 0.8, 0.4 and 0.5; goal 1: 0.9 and 0.25. Each goal counts the same.
    assert mean_certainty(SMALL) == pytest.approx((1.7 / 3 + 1.15 / 2) / 2)
    # As many steps of either trajectory, twice as many of goal 0.
    uneven = SMALL._replace(lengths=np.array([[2, 2], [1, 1]]))
    assert mean_certainty(uneven) == pytest.approx(((1.7 + 1e-9) / 4 + 1.15 / 2) / 2)


def test_a_classifier_worse_than_chance_bounds_the_information_by_zero():
    wrong = judged([[[[0.1, 0.9]]], [[[0.9, 0.1]]]], [[1], [1]])
    assert mutual_information_bound(wrong) == 0.0


def test_a_trajectory_is_judged_by_the_product_of_its_steps():
    whole = per_trajectory(SMALL)
    # The first trajectory of goal 0: 0.8 x 0.4 against 0.2 x 0.6.
    np.testing.assert_allclose(np.exp(whole.log_probabilities[0, 0, 0]), [0.32 / 0.44, 0.12 / 0.44])
    np.testing.assert_allclose(np.exp(whole.log_probabilities).sum(axis=-1), 1.0)
    assert whole.lengths.tolist() == [[1, 1], [1, 1]]
    assert accuracy(whole) == 0.75  # both of goal 0 (one by the tie), one of goal 1


def test_a_long_trajectory_is_judged_however_improbable_each_goal_is():
    # Each trajectory has a scale of its own; only differences between goals count.
    logs = np.array([[[[-1000.0, -1001.0]], [[0.0, -3000.0]]], [[[-2.0, -1.0]], [[-9.0, -9.0]]]])
    found = np.exp(per_trajectory(Judgements(logs, np.ones((2, 2), int))).log_probabilities)
    likelier = 1 / (1 + np.exp(-1.0))
    np.testing.assert_allclose(found[0, :, 0], [[likelier, 1 - likelier], [1.0, 0.0]])
    np.testing.assert_allclose(found[1, :, 0], [[1 - likelier, likelier], [0.5, 0.5]])


def test_a_perfect_and_an_ignorant_classifier():
    goals = 5
    perfect = np.full((goals, 2, 3, goals), -np.inf)
    perfect[np.arange(goals), :, :, np.arange(goals)] = 0.0
    lengths = np.full((goals, 2), 3)
    sure = Judgements(perfect, lengths)
    assert accuracy(sure) == macro_f1(sure) == 1.0
    assert negative_log_likelihood(sure) == 0.0
    assert mutual_information_bound(sure) == pytest.approx(np.log(goals))
    ignorant = Judgements(np.full(perfect.shape, -np.log(goals)), lengths)
    assert accuracy(ignorant) == pytest.approx(1 / goals)
    assert macro_f1(ignorant) == pytest.approx(2 / (goals * (goals + 1)))
    assert negative_log_likelihood(ignorant) == pytest.approx(np.log(goals))
    assert mutual_information_bound(ignorant) == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_ranges_hold_for_any_classifier(seed: int, goals: int):
    generator = np.random.default_rng(seed)
    probabilities = generator.dirichlet(np.full(goals, 0.3), size=(goals, 3, 4)) + 1e-12
    lengths = generator.integers(1, 5, size=(goals, 3))
    judgements = judged(probabilities.tolist(), lengths.tolist())
    for scope in (judgements, per_trajectory(judgements)):
        assert 0 <= accuracy(scope) <= 1
        assert 0 <= macro_f1(scope) <= 1
        assert 0 <= mutual_information_bound(scope) <= np.log(goals)


def test_knn_f1_is_one_for_clusters_and_near_chance_for_shuffled_goals():
    generator = np.random.default_rng(0)
    centres = 10.0 * np.arange(6)[:, None, None]
    clusters = centres + generator.normal(size=(6, 20, 2))
    assert knn_f1(clusters) == 1.0
    shuffled = generator.permutation(clusters.reshape(-1, 2)).reshape(clusters.shape)
    assert knn_f1(shuffled) == pytest.approx(1 / 6, abs=0.1)


def test_knn_f1_counts_votes_and_breaks_ties_by_the_nearest():
    # On a line: goal 0 at 0, 1, 2.9 and goal 1 at 3, 4.2, 5.5, each named by two others.
    # 0: 1, 2.9 -> 0. 1: 0, 2.9 (1.9 < 2) -> 0. 2.9: 3 and 4.2 -> 1. 3: 2.9 and 4.2, a tie, 2.9 is
    # nearest -> 0. 4.2: 3 (1.2), 2.9 (1.3) and 5.5 (1.3 + a hair): tie of 3 and 2.9 -> 1. 5.5 -> 1.
    features = np.array([[[0.0], [1.0], [2.9]], [[3.0], [4.2], [5.51]]])
    # Right: 2 of 3 for either goal; named: 3 times each. F1 = 2 x 2 / (3 + 3) for both.
    assert knn_f1(features, neighbours=2) == pytest.approx(2 / 3)


def test_knn_f1_asks_five_neighbours_unless_told():
    features = np.random.default_rng(3).normal(size=(3, 8, 2)) + np.arange(3)[:, None, None]
    assert knn_f1(features) == knn_f1(features, neighbours=5) != knn_f1(features, neighbours=1)


def test_knn_f1_may_ask_one_neighbour_and_all_others():
    # At 0 and 1 of goal 0 and at 5 and 6 of goal 1 the nearest is of one's own goal. Of all three
    # others two are of the other goal.
    features = np.array([[[0.0], [1.0]], [[5.0], [6.0]]])
    assert knn_f1(features.tolist(), neighbours=1) == 1.0
    assert knn_f1(features, neighbours=3) == 0.0
    with pytest.raises(ValueError, match=r"shape \[goals, trajectories, size\], got \[2, 2\]"):
        knn_f1(features[:, :, 0], neighbours=1)


@pytest.mark.parametrize("neighbours", [0, 6])
def test_knn_f1_refuses_impossible_neighbours(neighbours: int):
    with pytest.raises(ValueError, match=f"neighbours.*{neighbours}"):
        knn_f1(np.zeros((2, 3, 1)), neighbours)


def test_mean_observations_leave_out_the_start_and_what_was_not_lived():
    observations = [[[9.0], [1.0], [2.0], [6.0]], [[9.0], [4.0], [np.nan], [np.nan]]]
    np.testing.assert_array_equal(mean_observations(observations, [3, 1]), [[3.0], [4.0]])


def test_standardising_shares_one_scale_and_keeps_constants_at_zero():
    features = np.array([[[1.0, 7.0]], [[3.0, 7.0]]])  # two members
    np.testing.assert_array_equal(standardised(features.tolist()), [[[-1.0, 0.0]], [[1.0, 0.0]]])


@pytest.mark.parametrize("scale", [0.25, 1.0, 50.0])
def test_standardising_takes_mean_and_deviation_over_members_and_trajectories(scale: float):
    # Two members with the same two trajectories: the mean is 2, the standard deviation 2.
    features = scale * np.array([[[0.0], [4.0]], [[0.0], [4.0]]])
    np.testing.assert_allclose(standardised(features), [[[-1.0], [1.0]], [[-1.0], [1.0]]])


def test_nan_within_a_trajectory_and_unfit_shapes_are_refused():
    broken = SMALL.log_probabilities.copy()
    broken[0, 0, 1, 0] = np.nan
    with pytest.raises(ValueError, match="NaN within"):
        accuracy(Judgements(broken, SMALL.lengths))
    with pytest.raises(ValueError, match=r"got \[2, 2, 2, 2\] and \[2\]"):
        accuracy(Judgements(SMALL.log_probabilities, np.array([1, 1])))
    with pytest.raises(ValueError, match="between 1 and 2"):
        accuracy(Judgements(SMALL.log_probabilities, np.array([[3, 1], [1, 1]])))
    with pytest.raises(ValueError, match="between 1 and 2"):
        accuracy(Judgements(SMALL.log_probabilities, np.array([[0, 1], [1, 1]])))
    with pytest.raises(ValueError, match=r"got \[2, 2, 2\] and \[2, 2\]"):
        accuracy(Judgements(SMALL.log_probabilities[..., 0], SMALL.lengths))
    with pytest.raises(ValueError, match=r"got \[1, 2, 2, 2\] and \[1, 2\]"):
        accuracy(Judgements(SMALL.log_probabilities[:1], SMALL.lengths[:1]))
    with pytest.raises(ValueError, match="between 1 and 2"):
        accuracy(Judgements(SMALL.log_probabilities[:, :0], SMALL.lengths[:, :0]))
