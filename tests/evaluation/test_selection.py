"""Selection counts, calibration and the worth of a signal, at known truths."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.selection import (
    Visits,
    calibration_error,
    effective_number_of_selections,
    predictiveness,
    selection_counts,
    selection_gini,
    signal_to_noise,
    successive_visits,
    trailing_mean,
)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_every_choice_of_a_goal_counts():
    assert selection_counts([0, 2, 2, 0, 2], 4).tolist() == [2, 0, 3, 0]
    assert selection_counts([1], 2).tolist() == [0, 1]


def test_counts_may_be_a_list():
    assert effective_number_of_selections([2, 2, 0]) == pytest.approx(2.0)


def test_rounds_practise_every_goal_and_uniform_draws_almost():
    rounds = selection_counts(np.tile(np.arange(5), 4), 5)
    assert effective_number_of_selections(rounds) == pytest.approx(5.0)
    draws = [generator(seed).integers(20, size=200) for seed in range(50)]
    numbers = [effective_number_of_selections(selection_counts(own, 20)) for own in draws]
    # The null value that its docstring states.
    assert np.mean(numbers) == pytest.approx(20 * np.exp(-19 / 400), abs=0.1)


def test_gini_of_equality_of_one_goal_and_by_hand():
    assert selection_gini([3, 3, 3]) == 0.0
    assert selection_gini([0, 0, 7, 0, 0]) == pytest.approx(4 / 5)
    # Differences of 1, 2 and 1, each twice: 8 / (2 * 3 * 6).
    assert selection_gini([1, 2, 3]) == pytest.approx(8 / 36)
    counts = generator().multinomial(4000, np.full(20, 0.05), size=50)
    mean = np.mean([selection_gini(row) for row in counts])
    assert mean == pytest.approx(np.sqrt(20 / (np.pi * 4000)), rel=0.05)


def judgements(probabilities: Any, lengths: Any) -> Judgements:
    return Judgements(np.log(np.asarray(probabilities)), np.asarray(lengths))


def test_calibration_error_by_hand():
    # Goal 0: sure by 0.8, right and wrong: gap 0.5 - 0.8; goal 1: one step, right, sure by 0.6.
    found = judgements([[[[0.8, 0.2], [0.2, 0.8]]], [[[0.4, 0.6], [np.nan, np.nan]]]], [[2], [1]])
    # Each goal has weight 1/2, in bins of their own.
    assert calibration_error(found, bins=10) == pytest.approx(0.5 * 0.3 + 0.5 * 0.4)
    # In one bin the two gaps, of opposite signs, are added before their size is taken.
    assert calibration_error(found, bins=1) == pytest.approx(abs(0.5 * -0.3 + 0.5 * 0.4))


def test_a_certain_step_is_in_the_last_bin():
    # Certain and wrong, sure by 0.95 and right: both above 0.9.
    found = Judgements(
        np.array([[[[-np.inf, 0.0]]], [[np.log([0.05, 0.95])]]]), np.ones((2, 1), int)
    )
    assert calibration_error(found, bins=10) == pytest.approx(abs(-0.5 + 0.5 * 0.05))


def test_a_calibrated_classifier_has_no_error_and_an_overconfident_one_has():
    # States x are uniform; p(goal 1 | x) = x, so the same number of steps of both goals.
    random = generator()
    x = random.random(40_000)
    goal = random.random(40_000) < x
    count = min(goal.sum(), (~goal).sum())
    x = np.stack([x[~goal][:count], x[goal][:count]])[:, None]
    calibrated = judgements(np.stack([1 - x, x], axis=-1), [[count]] * 2)
    assert calibration_error(calibrated) < 0.015
    sharpened = judgements(np.stack([(1 - x) ** 4, x**4], axis=-1), [[count]] * 2)
    total = np.exp(sharpened.log_probabilities).sum(axis=-1, keepdims=True)
    overconfident = Judgements(sharpened.log_probabilities - np.log(total), sharpened.lengths)
    # E max(p) = 3/4 is the accuracy of both; the sharpened one says E 1 / (1 + (1/x - 1)^4), x > 1/2.
    grid = (np.arange(10_000) + 0.5) / 20_000 + 0.5
    expected = (1 / (1 + (1 / grid - 1) ** 4)).mean() - 0.75
    assert calibration_error(overconfident) == pytest.approx(expected, abs=0.01)


def test_each_visit_is_paired_with_the_next_one_to_its_goal():
    goals = [0, 1, 0, 0, 1, 2]
    certainty = [0.1, 0.2, 0.4, 0.3, 0.9, 0.5]
    nan = np.nan
    signal = [[1, nan, nan], [1, 2, nan], [3, 2, nan], [4, 2, nan], [4, 5, nan], [4, 5, 6]]
    visits = successive_visits(goals, signal, certainty)
    assert visits.goal.tolist() == [0, 0, 1]
    assert visits.signal.tolist() == [1.0, 3.0, 2.0]
    assert visits.improvement == pytest.approx([0.3, -0.1, 0.7])
    # A signal that is still unknown after a visit (as on a first visit) pairs with nothing.
    unknown = np.full((6, 3), nan)
    assert len(successive_visits(goals, unknown, certainty).goal) == 0


def test_goals_may_be_more_than_visits():
    visits = successive_visits([2, 2], [[np.nan, np.nan, 1.0]] * 2, [0.5, 0.75])
    assert (visits.goal.tolist(), visits.improvement.tolist()) == ([2], [0.25])


def test_successive_visits_equal_a_plain_loop_over_the_epochs():
    random = generator()
    goals = random.integers(6, size=300)
    signal, certainty = random.standard_normal((300, 6)), random.random(300)
    expected, last = [], {}
    for epoch, goal in enumerate(goals.tolist()):
        if goal in last:
            before = last[goal]
            change = certainty[epoch] - certainty[before]
            expected.append((goal, before, signal[before, goal], change))
        last[goal] = epoch
    _, _, values, changes = zip(*sorted(expected), strict=True)
    visits = successive_visits(goals, signal, certainty)
    assert np.array_equal(visits.signal, values)
    assert np.array_equal(visits.improvement, changes)


def visits_of(signal: Any, improvement: Any, goals: int = 10) -> Visits:
    return Visits(np.arange(len(signal)) % goals, np.asarray(signal), np.asarray(improvement))


def test_predictiveness_is_spearmans_correlation():
    signal, noise = generator().standard_normal((2, 200))
    improvement = np.exp(signal) + noise
    found = predictiveness([visits_of(signal, improvement)], generator(), resamples=200)
    assert found.correlation == pytest.approx(stats.spearmanr(signal, improvement).statistic)
    assert 0 < found.low < found.correlation < found.high < 1
    assert found.p_value == pytest.approx(1 / 201)  # no shuffle comes near
    assert found.pairs == 200


def test_shuffles_that_are_correlated_just_as_strongly_count():
    # Two of the 24 orders of four pairs are as strong as this one: itself and its reverse.
    four = visits_of([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], goals=2)
    found = predictiveness([four], generator(), resamples=1200)
    assert found.correlation == pytest.approx(1.0)
    assert found.p_value == pytest.approx(1 / 12, abs=4 * np.sqrt(1 / 12 / 1200))


def test_a_correlation_below_zero_is_as_unlikely_as_one_above():
    four = visits_of([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], goals=2)
    found = predictiveness([four], generator(), resamples=300)
    assert found.p_value == pytest.approx(1 / 12, abs=4 * np.sqrt(1 / 12 / 300))


def test_two_pairs_have_a_correlation():
    two = visits_of([1.0, 2.0], [3.0, 4.0], goals=2)
    assert predictiveness([two], generator(), resamples=5).correlation == pytest.approx(1.0)


def test_goals_of_different_learners_are_different():
    signal, improvement = generator().standard_normal((2, 18))
    rows = (slice(0, 6), slice(6, 12), slice(12, 18))
    apart = [Visits(np.arange(6) % 3, signal[own], improvement[own]) for own in rows]
    goals = np.concatenate([number + np.arange(6) % 3 for number in (0, 3, 6)])
    together = Visits(goals, signal, improvement)
    found, expected = (
        predictiveness(visits, generator(), resamples=20) for visits in (apart, [together])
    )
    assert found == expected


def test_goals_drawn_again_that_do_not_differ_are_not_correlated():
    # Half of the resamples hold one of the two goals alone, and with it one value of the signal.
    two = Visits(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 2.0, 2.0]), np.arange(4.0))
    found = predictiveness([two], generator(), resamples=200)
    assert (found.low, found.high) == (0.0, found.correlation)


def test_the_interval_leaves_out_as_much_on_either_side_as_its_confidence_says():
    # Many goals: replicates are normal, so 95 % are within 1.96 of what 68.27 % are within.
    signal = generator().standard_normal(100)
    visits = visits_of(signal, signal + generator(1).standard_normal(100), goals=50)
    wide, narrow = (
        predictiveness([visits], generator(), resamples=400, confidence=share)
        for share in (0.95, 0.6827)
    )
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(1.96, abs=0.1)


def test_a_signal_of_noise_predicts_nothing():
    p_values, held = [], 0
    for seed in range(100):
        signal, improvement = generator(seed).standard_normal((2, 60))
        visits = [
            visits_of(signal[:30], improvement[:30]),
            visits_of(signal[30:], improvement[30:]),
        ]
        found = predictiveness(visits, generator(seed), resamples=99)
        p_values.append(found.p_value)
        held += found.low <= 0 <= found.high
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert held >= 85  # of 95 expected, standard deviation 2.2; few goals, plain percentiles


def test_visits_to_one_goal_are_resampled_together():
    # The same two goals, their pairs repeated: no new evidence, so the interval stays.
    signal, improvement = generator().standard_normal((2, 8))
    groups = np.arange(8) // 2
    once = Visits(groups, signal, improvement)
    often = Visits(np.tile(groups, 20), np.tile(signal, 20), np.tile(improvement, 20))
    narrow, wide = (predictiveness([v], generator(), resamples=300) for v in (often, once))
    assert narrow.high - narrow.low == pytest.approx(wide.high - wide.low, rel=0.15)


def rounds_of(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """A history that visits all goals in turn, their values [rounds, goals] seen at each visit."""
    values = np.asarray(values, float)
    rounds, num_goals = values.shape
    goals = np.tile(np.arange(num_goals), rounds)
    signal = np.full((len(goals), num_goals), np.nan)
    current = np.full(num_goals, np.nan)
    for epoch, goal in enumerate(goals):
        current[goal] = values.ravel()[epoch]
        signal[epoch] = current
    return goals, signal


def test_signal_to_noise_by_hand():
    # After epoch 3 the values are (5, 7), before it (5, 4): variances 2 and 1/2; (1, 4) has 9/2.
    goals, signal = rounds_of([[1.0, 4.0], [5.0, 7.0]])
    ratio = signal_to_noise(goals, signal, window=3)
    assert np.isnan(ratio[:2]).all()  # no goal visited twice
    # Epoch 2: variances 9/2, 1/2 so far; one change of 4, half its square 8. 2.5 / 8 is under 1.
    assert ratio[2] == 0.0
    # Epoch 3: mean of 9/2, 1/2 and 2; changes of 4 and 3.
    assert ratio[3] == max(0.0, (7 / 3) / ((8 + 4.5) / 2) - 1)
    goals, signal = rounds_of([[0.0, 10.0], [1.0, 11.0]])
    # Variances 50, 40.5, 50; changes 1 and 1, half the square 1/2 each.
    assert signal_to_noise(goals, signal, 4)[-1] == pytest.approx((140.5 / 3) / 0.5 - 1)


def test_the_last_visit_may_be_all_that_is_looked_at():
    goals, signal = rounds_of([[0.0, 10.0], [1.0, 14.0]])
    # After the last visit the values are 1 and 14; the change of the last visit is 4.
    assert signal_to_noise(goals, signal, window=1)[-1] == pytest.approx((13**2 / 2) / 8 - 1)
    assert np.isnan(signal_to_noise([0], [[1.0, np.nan]], window=1)).all()


def test_without_any_change_there_is_no_noise_to_compare_with():
    goals, signal = rounds_of([[1.0, 4.0], [1.0, 4.0]])
    assert np.isnan(signal_to_noise(goals, signal, window=4)).all()


def test_a_trailing_mean_by_hand():
    found = trailing_mean(np.array([np.nan, 1.0, 2.0, 6.0, np.nan, 3.0]), 2)
    np.testing.assert_allclose(found, [np.nan, 1.0, 1.5, 4.0, 6.0, 3.0])


def test_a_change_is_counted_from_the_visit_just_before():
    # Goal 0 is visited twice in a row: changes of 1 and 3, half their squares 1/2 and 9/2.
    nan = np.nan
    signal = [[1.0, nan], [1.0, 104.0], [2.0, 104.0], [5.0, 104.0]]
    variances = [103**2 / 2, 102**2 / 2, 99**2 / 2]
    found = signal_to_noise([0, 1, 0, 0], signal, window=4)
    assert found[-1] == pytest.approx(np.mean(variances) / 2.5 - 1)


def test_signal_to_noise_finds_the_ratio_that_was_put_in():
    random = generator()
    for level in (0.0, 1.0, 4.0):
        difference = np.sqrt(level) * stats.zscore(np.arange(40.0), ddof=1)
        goals, signal = rounds_of(difference + random.standard_normal((60, 40)))
        ratio = signal_to_noise(goals, signal, window=40 * 50)[-1]
        assert ratio == pytest.approx(level, abs=0.1 + 0.1 * level)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: selection_counts([0, 3], 3), "from 0 to 2"),
        (lambda: selection_counts([-1, 0], 3), "from 0 to 2"),
        (lambda: selection_counts([0, 1], 0), "num_goals must be at least 1"),
        (lambda: selection_gini([3, -1]), "not negative"),
        (lambda: selection_gini([0, 0]), "at least one above 0"),
        (lambda: calibration_error(judgements([[[[1.0]]]], [[1]]), bins=0), "bins"),
        (lambda: successive_visits([0], [[1.0]], [0.5, 0.5]), r"\[1\], \[1, 1\] and \[2\]"),
        (lambda: successive_visits([0, 5], [[1.0, 1.0]] * 2, [0.5] * 2), "from 0 to 1"),
        (lambda: successive_visits([-1, 0], [[1.0, 1.0]] * 2, [0.5] * 2), "from 0 to 1"),
        (lambda: successive_visits([0, 2], [[1.0, 1.0]] * 2, [0.5] * 2), "from 0 to 1"),
        (lambda: successive_visits([0, 2], [[1.0, 1.0]] * 3, [0.5] * 2), r"\[3, 2\]"),
        (lambda: predictiveness([], generator()), "0 pairs of visits to 0 goals"),
        (lambda: predictiveness([visits_of([1.0] * 4, [1, 2, 3, 4])], generator()), "differ"),
        (lambda: predictiveness([visits_of([1, 2, 3, 4], [1.0] * 4)], generator()), "differ"),
        (lambda: predictiveness([], generator(), resamples=0), "resamples must be at least"),
        (lambda: signal_to_noise([0], [[1.0]], 5), "at least 2 goals"),
        (lambda: signal_to_noise([0], [[1.0, 2.0]], 0), "window must be at least 1"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
