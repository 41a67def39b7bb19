"""Epochs to a threshold: by hand, with runs that never get there."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from autotelic.evaluation.statistics import percentile_interval
from autotelic.evaluation.survival import (
    Times,
    epochs_to_threshold,
    kaplan_meier,
    restricted_mean,
    restricted_mean_interval,
)


def times(epochs: Any, reached: Any) -> Times:
    return Times(np.array(epochs, float), np.array(reached, bool))


def test_the_first_epoch_at_the_threshold_counts():
    found = epochs_to_threshold(
        [0, 10, 20], [[0.1, 0.5, 0.4], [0.6, 0.9, 0.9], [0.1, 0.2, 0.49]], threshold=0.5
    )
    assert found.epochs.tolist() == [10.0, 0.0, 20.0]
    assert found.reached.tolist() == [True, True, False]
    assert epochs_to_threshold([0, 10, 20], [[0.1, 0.2, 0.9]], 0.5).epochs.tolist() == [20.0]


def test_kaplan_meier_by_hand():
    # 6 runs: at 2 one of 6 gets there; at 3 one is censored; at 4 two of 4, one censored with them.
    curve = kaplan_meier(times([2, 3, 4, 4, 4, 9], [1, 0, 1, 1, 0, 0]))
    assert curve.epochs.tolist() == [2.0, 4.0]
    assert curve.share == pytest.approx([5 / 6, 5 / 6 * 2 / 4])
    # Area to 9: 2 at 1, 2 at 5/6, 5 at 5/12.
    mean = restricted_mean(times([2, 3, 4, 4, 4, 9], [1, 0, 1, 1, 0, 0]))
    assert mean == pytest.approx(2 + 10 / 6 + 25 / 12)


def test_runs_that_fail_are_never_dropped():
    assert restricted_mean(times([50, 50, 50], [0, 0, 0])) == 50.0
    assert kaplan_meier(times([50, 50], [0, 0])).share.tolist() == []
    quick_but_rare = restricted_mean(times([10, 100, 100, 100], [1, 0, 0, 0]))
    slow_but_sure = restricted_mean(times([70, 70, 70, 70], [1, 1, 1, 1]), limit=100)
    assert quick_but_rare == pytest.approx(77.5)
    assert slow_but_sure == pytest.approx(70.0)


def test_what_happens_after_the_limit_does_not_count():
    assert restricted_mean(times([2, 8, 9], [1, 1, 0]), limit=5) == pytest.approx((2 + 5 + 5) / 3)


def test_times_may_be_lists_and_two_runs_have_an_interval():
    given: Any = Times([10.0, 20.0], [True, False])  # type: ignore[arg-type]
    assert restricted_mean(given) == 15.0
    found = restricted_mean_interval(given, np.random.default_rng(0), resamples=50)
    assert found.low <= found.estimate == 15.0 <= found.high


EPOCHS = st.lists(st.integers(0, 20), min_size=1, max_size=8)


@given(EPOCHS, st.integers(1, 15))
def test_with_one_common_limit_the_restricted_mean_is_the_mean_of_cut_off_times(
    epochs: Any, limit: int
):
    cut = np.minimum(epochs, limit)
    found = restricted_mean(
        Times(cut.astype(float), np.array(epochs) < limit), limit=cut.max() or 1
    )
    assert found == pytest.approx(cut.mean())


@given(st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=9))
def test_kaplan_meier_is_scipys(runs: Any):
    epochs, reached = (np.array(column) for column in zip(*runs, strict=True))
    censored = stats.CensoredData(uncensored=epochs[reached], right=epochs[~reached])
    curve = kaplan_meier(times(epochs, reached))
    expected = stats.ecdf(censored).sf.evaluate(curve.epochs)
    assert curve.share == pytest.approx(expected)


def test_the_interval_covers_the_restricted_mean_as_often_as_it_says():
    # Uniform on [0, 20], cut off at 10: the mean of min(T, 10) is 5 * 1/2 + 10 * 1/2.
    hits = 0
    for seed in range(300):
        random = np.random.default_rng(seed)
        epochs = random.uniform(0, 20, 12)
        runs = Times(np.minimum(epochs, 10.0), epochs < 10.0)
        found = restricted_mean_interval(runs, random, limit=10.0, resamples=500)
        hits += found.low <= 7.5 <= found.high
    assert abs(hits - 285) < 3 * np.sqrt(300 * 0.95 * 0.05)


def test_of_runs_that_all_get_there_it_is_the_interval_of_their_mean():
    epochs = np.array([3.0, 4.0, 8.0, 9.0])
    found = restricted_mean_interval(
        Times(epochs, np.ones(4, bool)), np.random.default_rng(0), resamples=200
    )
    drawn = np.random.default_rng(0).multinomial(4, np.full(4, 0.25), size=200) @ epochs / 4
    assert found == pytest.approx(percentile_interval(6.0, drawn, [(4, 1)], 0.95))


def test_a_resample_with_nobody_left_to_watch_stays_where_it_is():
    class Draws:
        def multinomial(self, *_: Any, **__: Any) -> np.ndarray:
            return np.array([[3, 0, 0]])  # the first run alone, which was watched up to 1

    generator: Any = Draws()
    found = restricted_mean_interval(times([1, 5, 9], [0, 1, 0]), generator, resamples=1)
    assert (found.low, found.high) == (9.0, 9.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: restricted_mean(times([10, 50], [1, 0]), limit=60),
            "at most 50, the last epoch .* got 60",
        ),
        (
            lambda: restricted_mean_interval(times([10], [1]), np.random.default_rng(0)),
            "at least 2 runs, got 1",
        ),
        (lambda: restricted_mean(times([10], [1]), limit=0.0), "limit must be greater than 0"),
        (
            lambda: restricted_mean_interval(
                times([1, 2], [1, 1]), np.random.default_rng(0), resamples=0
            ),
            "resamples must be at least 1",
        ),
        (lambda: kaplan_meier(times([1, np.nan], [1, 1])), "epochs from 0 on"),
        (lambda: kaplan_meier(times([1, -1], [1, 1])), "epochs from 0 on"),
        (lambda: epochs_to_threshold([0], [[1.0]], np.nan), "threshold must be a finite"),
        (lambda: kaplan_meier(times([], [])), r"shape \[runs\]"),
        (lambda: kaplan_meier(Times(np.array([1.0]), np.array([1.0]))), "True or False"),
        (lambda: epochs_to_threshold([0, 1], [0.1, 0.2], 0.5), r"\[runs, n\], got \[2\]"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
