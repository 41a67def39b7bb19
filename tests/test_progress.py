"""Eqs. 3-6 against paper-and-pencil values, and their laws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autotelic import progress
from autotelic.progress import (
    NORMALIZATIONS,
    diversity_progress,
    learning_progress,
    normalize,
    prediction_errors,
    running_scale,
    sees_time,
    window_means,
)

# Three goals, five steps, goal 0 pursued.
POSTERIORS = np.array(
    [
        [0.2, 0.4, 0.4],
        [0.2, 0.6, 0.2],
        [0.4, 0.4, 0.2],
        [0.6, 0.2, 0.2],
        [0.8, 0.2, 0.0],
    ]
)
ERRORS = np.array(
    [
        [0.8, 0.4, 0.4],
        [0.8, 0.6, 0.2],
        [0.6, 0.4, 0.2],
        [0.4, 0.2, 0.2],
        [0.2, 0.2, 0.0],
    ]
)


def test_errors_are_one_minus_q_for_the_pursued_goal_and_q_for_the_others():
    assert prediction_errors(POSTERIORS, 0) == pytest.approx(ERRORS)
    assert POSTERIORS[0, 0] == 0.2  # the input is left alone


@pytest.mark.parametrize(
    ("offset", "smoothing", "window", "earlier", "recent"),
    [
        # Eq. 4 with smoothing + 1 = 2 samples: rows 1-2 and 3-4.
        (2, 1, "truncate", [0.7, 0.5, 0.2], [0.3, 0.2, 0.1]),
        # offset + smoothing = 5 = steps: rows -1..1 is one short, so rows 0-1; and rows 2-4.
        (3, 2, "truncate", [0.8, 0.5, 0.3], [0.4, 0.8 / 3, 0.4 / 3]),
        # smoothing = 1 sample: row 2 and row 4.
        (2, 1, "half_open", [0.6, 0.4, 0.2], [0.2, 0.2, 0.0]),
        # offset + smoothing = steps fits exactly: rows 0-1 and 3-4.
        (3, 2, "half_open", [0.8, 0.5, 0.3], [0.3, 0.2, 0.1]),
        # No smoothing: one sample each.
        (4, 0, "truncate", [0.8, 0.4, 0.4], [0.2, 0.2, 0.0]),
    ],
)
def test_windows(
    offset: int, smoothing: int, window: str, earlier: list[float], recent: list[float]
):
    found = window_means(ERRORS, offset, smoothing, window)
    assert found[0] == pytest.approx(earlier)
    assert found[1] == pytest.approx(recent)


# From the windows (2, 1, truncate): L = [0.4, 0.3, 0.1], earlier + recent = [1.0, 0.7, 0.3].
EARLIER, RECENT = np.array([0.7, 0.5, 0.2]), np.array([0.3, 0.2, 0.1])


@pytest.mark.parametrize(
    ("normalization", "expected"),
    [
        # + 1/3 in each denominator: 0.4 / (4/3), 0.3 / (31/30), 0.1 / (19/30)
        ("relative", [0.3, 9 / 31, 3 / 19]),
        # + 1/3: 0.4 / (31/30), 0.3 / (5/6), 0.1 / (8/15)
        ("relative_old", [12 / 31, 9 / 25, 3 / 16]),
        # The variance over goals is 0.26 / 3 - (0.8 / 3)^2 = 0.14 / 9.
        ("std", [1.2 / 0.14**0.5, 0.9 / 0.14**0.5, 0.3 / 0.14**0.5]),
        ("l2", [0.4 / 0.26**0.5, 0.3 / 0.26**0.5, 0.1 / 0.26**0.5]),
        ("l1", [0.5, 0.375, 0.125]),
        ("max", [1.0, 0.75, 0.25]),
        ("total", [0.6, 0.45, 0.15]),
        ("none", [0.4, 0.3, 0.1]),
        ("minmax", [1.0, 2 / 3, 0.0]),
    ],
)
def test_normalisations(normalization: str, expected: list[float]):
    assert learning_progress(EARLIER, RECENT) == pytest.approx([0.4, 0.3, 0.1])
    found = normalize(learning_progress(EARLIER, RECENT), EARLIER, RECENT, normalization)
    assert found == pytest.approx(expected)
    # Eq. 6 is their mean; own-goal attribution is the pursued goal's entry.
    mean = diversity_progress(EARLIER, RECENT, 1, normalization=normalization)
    assert mean == pytest.approx(sum(expected) / 3)
    own = diversity_progress(
        EARLIER, RECENT, 1, normalization=normalization, attribution="own_goal"
    )
    assert own == pytest.approx(expected[1])


def test_the_running_scale_is_the_mean_of_past_progress_without_bias():
    # Mean |L| is 4/15 in the first visit and 0.1 in the second; the rate is 1/3.
    first = running_scale(np.zeros(2), np.array([0.4, -0.3, 0.1]))
    assert first == pytest.approx([4 / 45, 1 / 3])
    second = running_scale(first, np.array([0.1, 0.1, -0.1]))
    assert second == pytest.approx([2 / 3 * 4 / 45 + 1 / 30, 5 / 9])
    # L = [0.4, 0.3, 0.1], over (4/45) / (1/3) = 4/15
    found = diversity_progress(EARLIER, RECENT, 0, normalization="running", scale=first)
    assert found == pytest.approx(1.0)


def test_the_running_scale_is_required():
    with pytest.raises(ValueError, match="needs scale"):
        diversity_progress(EARLIER, RECENT, 0, normalization="running")


def test_absolute_progress_counts_forgetting():
    earlier, recent = np.array([0.5, 0.2]), np.array([0.3, 0.6])  # L = [0.2, -0.4]
    assert diversity_progress(earlier, recent, 0, normalization="none") == pytest.approx(-0.1)
    absolute = diversity_progress(earlier, recent, 0, normalization="none", absolute=True)
    assert absolute == pytest.approx(0.3)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
def test_no_progress_is_zero_and_never_nan(normalization: str, level: float):
    errors = np.full(3, level)
    assert diversity_progress(errors, errors, 0, normalization=normalization) == 0.0


def test_progress_that_all_goals_share_has_no_spread_to_divide_by():
    earlier, recent = np.full(3, 0.75), np.full(3, 0.5)
    assert diversity_progress(earlier, recent, 0, normalization="minmax") == 0.0


def test_zscore_is_refused_with_its_reason():
    with pytest.raises(ValueError, match="mean of z-scores over goals is 0"):
        diversity_progress(EARLIER, RECENT, 0, normalization="zscore")


def test_an_unknown_normalisation_names_the_nearest():
    with pytest.raises(ValueError, match=r"Did you mean 'relative'"):
        progress.check_normalization("relativ")


@pytest.mark.parametrize(
    ("offset", "smoothing", "window", "message"),
    [
        (4, 2, "truncate", r"offset 4 \+ smoothing 2 = 6 exceeds the 5 steps"),
        (5, 0, "truncate", "leaves nothing to compare with"),
        (2, 0, "half_open", "smoothing of at least 1"),
    ],
)
def test_windows_that_do_not_fit_are_refused(
    offset: int, smoothing: int, window: str, message: str
):
    with pytest.raises(ValueError, match=message):
        window_means(ERRORS, offset, smoothing, window)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 1), "offset must be at least 0"),
        ((1, -1), "smoothing must be at least 0"),
        ((1.5, 1), "offset must be an integer"),
        ((1, 1, "Truncate"), "Did you mean 'truncate'"),
    ],
)
def test_windows_that_are_none_are_refused(arguments: Any, message: str):
    with pytest.raises((ValueError, TypeError), match=message):
        window_means(ERRORS, *arguments)


def test_an_unknown_attribution_or_goal_is_refused():
    with pytest.raises(ValueError, match="Did you mean 'own_goal'"):
        diversity_progress(EARLIER, RECENT, 0, attribution="own-goal")
    for goal, message in ((-1, "goal must be at least 0"), (len(EARLIER), "not among the 3 goals")):
        with pytest.raises(ValueError, match=message):
            diversity_progress(EARLIER, RECENT, goal, attribution="own_goal")


@st.composite
def epochs(draw: Any):
    """Random posteriors, a pursued goal and windows that fit."""
    steps, goals = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Powers of exponentials: from flat rows to nearly one-hot ones.
    weights = rng.exponential(size=(steps, goals)) ** draw(st.sampled_from([0.5, 1.0, 8.0]))
    offset = draw(st.integers(0, steps - 1))
    smoothing = draw(st.integers(0, steps - offset))
    goal = draw(st.integers(0, goals - 1))
    return weights / weights.sum(axis=1, keepdims=True), goal, offset, smoothing


@given(epochs())
def test_unnormalised_dp_is_the_own_goals_progress_times_two_over_the_number_of_goals(epoch: Any):
    posteriors, goal, offset, smoothing = epoch
    steps, goals = posteriors.shape
    found = diversity_progress(
        *window_means(prediction_errors(posteriors, goal), offset, smoothing),
        goal,
        normalization="none",
    )
    certainty = posteriors[:, goal]
    earlier = certainty[max(0, steps - offset - smoothing - 1) : steps - offset].mean()
    recent = certainty[max(0, steps - smoothing - 1) :].mean()
    # One goal alone is always certain, and then both sides are 0.
    assert found == pytest.approx(2 / goals * (recent - earlier), abs=1e-12)
    assert abs(found) <= 2 / goals + 1e-12


@given(epochs())
def test_progress_over_its_deviation_is_bounded(epoch: Any):
    posteriors, goal, offset, smoothing = epoch
    goals = posteriors.shape[1]
    if goals < 3:
        return
    earlier, recent = window_means(prediction_errors(posteriors, goal), offset, smoothing)
    dp = diversity_progress(earlier, recent, goal, normalization="std")
    # The errors of Eq. 5 add up to twice the pursued goal's; the deviation is smallest, and DP
    # largest, where all other goals gain alike.
    assert abs(dp) <= 2 * np.sqrt(goals - 1) / (goals - 2) + 1e-6


@given(epochs(), st.sampled_from(["none", "total", "l2", "l1", "max", "std"]))
def test_scaling_normalisations_keep_the_sign_of_the_own_progress(epoch: Any, normalization: str):
    posteriors, goal, offset, smoothing = epoch
    earlier, recent = window_means(prediction_errors(posteriors, goal), offset, smoothing)
    own = earlier[goal] - recent[goal]
    if abs(own) > 1e-9 and not (normalization == "std" and posteriors.shape[1] < 3):
        dp = diversity_progress(earlier, recent, goal, normalization=normalization)
        assert np.sign(dp) == np.sign(own)


BOUNDED = sorted({*NORMALIZATIONS} - {"relative_old", "std"})


@given(epochs(), st.sampled_from(BOUNDED), st.booleans())
def test_dp_is_finite_and_within_minus_one_and_one(epoch: Any, normalization: str, absolute: bool):
    posteriors, goal, offset, smoothing = epoch
    earlier, recent = window_means(prediction_errors(posteriors, goal), offset, smoothing)
    dp = diversity_progress(earlier, recent, goal, normalization=normalization, absolute=absolute)
    # Posteriors sum to 1 before and after, so all progress together is 2 at most: `total` fits too.
    assert abs(dp) <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("offset", "smoothing", "episode", "words"),
    [
        (250, 250, 100, "offset 250 is no multiple of an episode's 100 steps"),
        (25, 25, 100, "windows, 25 steps apart, lie within one episode of 100 steps"),
        (750, 250, 1000, "offset 750 is no multiple"),
        (740, 250, 1000, "windows, 740 steps apart, lie within one episode"),
        (75, 25, 100, "offset 75 is no multiple"),  # the earlier one begins in the episode before
        (0, 25, 100, "windows, 0 steps apart, lie within one episode"),
        (500, 250, 100, ""),
        (1, 0, 1, ""),
        (1000, 0, 1000, ""),
    ],
)
def test_windows_a_number_of_episodes_apart_see_no_time(
    offset: int, smoothing: int, episode: int, words: str
):
    found = sees_time(offset, smoothing, episode)
    assert found.startswith(words) or words in found
    assert bool(found) == bool(words)
