"""Estimates over runs: closed forms, other libraries' point estimates, and intervals that cover."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from autotelic.evaluation.statistics import (
    improvement,
    improvement_interval,
    interquartile_mean,
    interquartile_mean_band,
    interquartile_mean_interval,
    mean_interval,
    normalised_area,
    paired_difference,
    percentile_interval,
)

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=9)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(SCORES)
def test_the_interquartile_mean_is_scipys_trimmed_mean(scores: Any):
    assert interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores, 0.25))


@given(SCORES, SCORES)
def test_improvement_is_the_mann_whitney_statistic_over_its_maximum(scores: Any, baseline: Any):
    statistic = stats.mannwhitneyu(scores, baseline, method="asymptotic").statistic
    expected = statistic / (len(scores) * len(baseline))
    assert improvement(scores, baseline) == pytest.approx(expected)
    assert improvement(baseline, scores) == pytest.approx(1 - expected)


def test_improvement_is_averaged_over_tasks_and_halves_ties():
    scores = [[1.0, 0.0], [2.0, 0.0]]
    baseline = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]
    # Task 1: run 1 beats one, ties one; run 2 beats two: (1.5 + 2) / 6. Task 2: all ties.
    assert improvement(scores, baseline) == pytest.approx((3.5 / 6 + 0.5) / 2)


RLIABLE = """
import json, sys
import numpy as np
from rliable import metrics
scores, baseline = (np.array(part) for part in json.load(sys.stdin))
found = metrics.aggregate_iqm(scores), metrics.probability_of_improvement(scores, baseline)
print(json.dumps([float(value) for value in found]))
"""


def test_point_estimates_equal_those_of_rliable(tmp_path: Path):
    # Without what rliable depends on: its estimates need SciPy, its intervals and plots are not used.
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(tmp_path))
    pip = [sys.executable, "-m", "pip", "install", *options, "rliable==1.2.0"]
    installed = subprocess.run(pip, capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"rliable cannot be installed here: {installed.stderr.strip()[-300:]}")
    scores, baseline = generator().standard_normal((2, 7, 3)).round(1)
    theirs = subprocess.run(
        [sys.executable, "-c", RLIABLE],
        input=json.dumps([scores.tolist(), baseline[:5].tolist()]),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    ours = [interquartile_mean(scores), improvement(scores, baseline[:5])]
    assert ours == pytest.approx(json.loads(theirs.stdout))


def covered(interval: Any, draw: Any, truth: float, replications: int = 400) -> float:
    """How often the interval holds the truth, in standard deviations from 95 of 100."""
    hits = 0
    for replication in range(replications):
        random = generator(replication)
        found = interval(draw(random), random)
        hits += found.low <= truth <= found.high
    return (hits - 0.95 * replications) / np.sqrt(replications * 0.95 * 0.05)


def of_pairs(scores: Any, random: np.random.Generator) -> Any:
    del random  # nothing is resampled
    return paired_difference(scores, np.ones_like(scores))


def iqm_interval(scores: Any, random: np.random.Generator) -> Any:
    return interquartile_mean_interval(scores, random, resamples=1000)


def against_itself(scores: Any, random: np.random.Generator) -> Any:
    return improvement_interval(scores[:8], scores[8:], random, resamples=300)


@pytest.mark.parametrize(
    ("interval", "draw", "truth"),
    [
        (iqm_interval, lambda random: random.normal(3.0, 2.0, 10), 3.0),
        (iqm_interval, lambda random: random.normal(3.0, 2.0, (6, 2)), 3.0),
        (iqm_interval, lambda random: random.uniform(0.0, 1.0, 20), 0.5),
        (of_pairs, lambda random: random.normal(3.0, 2.0, 10), 2.0),
        (of_pairs, lambda random: random.normal(3.0, 2.0, 5), 2.0),
        (of_pairs, lambda random: random.normal(3.0, 2.0, 2), 2.0),
        (against_itself, lambda random: random.standard_normal(16), 0.5),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(interval: Any, draw: Any, truth: float):
    assert abs(covered(interval, draw, truth)) < 3.0


@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_the_interval_of_a_mean_difference_is_students(confidence: float):
    differences = generator().normal(1.0, 2.0, 12)
    found = paired_difference(differences, np.zeros(12), confidence=confidence)
    expected = stats.t.interval(confidence, 11, differences.mean(), stats.sem(differences))
    assert found == pytest.approx((differences.mean(), *expected))
    # Of several tasks the seeds' means over them count.
    tasks = np.stack([differences - 1.0, differences + 1.0], axis=1)
    assert paired_difference(tasks, np.zeros((12, 2)), confidence=confidence) == pytest.approx(
        found
    )


def test_the_interval_of_a_mean_is_students_of_the_runs_means_over_tasks():
    # Means of 1 and 3: standard error 1, and Student's 97.5th percentile of one degree is tan(0.475 pi).
    expected = (2.0, 2.0 - np.tan(0.475 * np.pi), 2.0 + np.tan(0.475 * np.pi))
    assert mean_interval([[0.0, 2.0], [2.0, 4.0]]) == pytest.approx(expected)


def test_runs_that_all_beat_the_baseline_leave_no_doubt_and_the_other_way_round():
    better, worse = [5.0, 6.0, 7.0], [1.0, 2.0, 3.0]
    assert improvement_interval(better, worse, generator(), resamples=1) == (1.0, 1.0, 1.0)
    assert improvement_interval(worse, better, generator(), resamples=1) == (0.0, 0.0, 0.0)


def test_equal_differences_leave_no_doubt():
    assert paired_difference([0.5, 0.75], [0.25, 0.5]) == (0.25, 0.25, 0.25)


def test_pairs_see_what_two_samples_do_not():
    seeds = generator().normal(0.0, 5.0, 10)  # what is due to the seed, and shared
    scores, baseline = seeds + 1.0 + generator(1).normal(0.0, 0.1, 10), seeds
    paired = paired_difference(scores, baseline)
    assert 0.8 < paired.low < 1.0 < paired.high < 1.2
    unpaired = improvement_interval(scores, baseline, generator())
    assert unpaired.low < 0.5 < unpaired.high


def test_runs_are_resampled_within_their_task():
    # Within a task all runs agree, so nothing is in doubt although tasks differ greatly.
    scores = np.tile([0.0, 1.0, 50.0, 100.0], (5, 1))
    found = interquartile_mean_interval(scores, generator(), resamples=100)
    assert found == (25.5, 25.5, 25.5)


@pytest.mark.parametrize("runs", [2, 5, 9])
def test_a_band_is_an_interval_at_every_point(runs: int):
    curves = generator(3).standard_normal((runs, 4))
    band = interquartile_mean_band(curves, generator(), resamples=500)
    for point, found in enumerate(zip(*band, strict=True)):
        alone = interquartile_mean_interval(curves[:, point], generator(), resamples=500)
        assert found == pytest.approx(alone, rel=1e-12, abs=1e-12)


def test_the_same_seed_gives_the_same_interval():
    scores = generator().standard_normal(8)
    first, again, other = (
        interquartile_mean_interval(scores, generator(seed), resamples=200) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_areas_of_lines():
    epochs = [10, 20, 60]
    assert normalised_area(epochs, [0.3, 0.3, 0.3]) == pytest.approx(0.3)
    assert normalised_area(epochs, np.array([0.0, 0.2, 1.0])) == pytest.approx(0.5)
    # Up to epoch 40 the line rises to 0.6, up to 15 to 0.1, up to 20 to 0.2.
    for limit, end in [(40, 0.6), (15, 0.1), (20, 0.2)]:
        assert normalised_area(epochs, [0.0, 0.2, 1.0], limit) == pytest.approx(end / 2)
    several = normalised_area(epochs, [[0.0, 0.2, 1.0], [1.0, 1.0, 1.0]])
    assert several == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize(
    ("shapes", "fewest", "freedom"),
    [([(5, 1)], 5, 4), ([(5, 1), (3, 1)], 3, 6), ([(4, 3)], 4, 9), ([(2, 1)], 2, 1)],
)
def test_percentiles_are_moved_outwards_to_students(shapes: Any, fewest: int, freedom: int):
    # The quantiles of an even grid on [0, 1] are the probabilities themselves.
    found = percentile_interval(0.5, np.linspace(0, 1, 1001), shapes, confidence=0.9)
    student = stats.t.ppf(0.95, freedom) * np.sqrt(fewest / (fewest - 1))
    expected = [stats.norm.cdf(-student), stats.norm.cdf(student)]
    assert [found.low, found.high] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: interquartile_mean_interval([0.5], generator()),
            "at least 2 runs, got 1 in scores",
        ),
        (lambda: improvement_interval([1.0, 2.0], [0.5], generator()), "got 1 in baseline"),
        (lambda: paired_difference([1.0], [1.0]), "at least 2 runs, got 1"),
        (lambda: paired_difference([1.0, 2.0], [1.0, 2.0, 3.0]), "got 2 and 3"),
        (lambda: paired_difference([1.0, 2.0], [1.0, 3.0], confidence=0.0), "confidence must be"),
        (
            lambda: paired_difference([1.0, 2.0], [1.0, 3.0], confidence=1.5),
            r"lie in \(0, 1\], got 1.5",
        ),
        (lambda: mean_interval([1.0, 2.0], confidence=0.0), "confidence must be"),
        (lambda: mean_interval([1.0, 2.0], confidence=1.5), r"lie in \(0, 1\], got 1.5"),
        (
            lambda: improvement_interval([1.0, 2.0], [1.0, 3.0], generator(), resamples=0),
            "resamples must be at least 1, got 0",
        ),
        (lambda: improvement([[1.0, 2.0]], [1.0]), "same tasks, got 2 and 1"),
        (lambda: interquartile_mean([1.0, np.nan]), "a run that failed needs a score"),
        (lambda: interquartile_mean(np.zeros((2, 2, 2))), r"got \[2, 2, 2\]"),
        (
            lambda: interquartile_mean_interval([1.0, 2.0], generator(), confidence=1.5),
            "confidence",
        ),
        (lambda: normalised_area([0, 10], [0, 1], limit=20), "up to epoch 20 .* up to epoch 10"),
        (lambda: normalised_area([0, 10], [0, 1], limit=0), "limit must be greater than 0"),
        (lambda: normalised_area([10, 0], [0, 1]), "epochs must increase"),
        (lambda: normalised_area([0, 2, 1], [0, 1, 1]), "epochs must increase"),
        (lambda: normalised_area([0, 1, 1], [0, 1, 1]), "epochs must increase"),
        (lambda: normalised_area([], []), r"got \[0\] and \[0\]"),
        (lambda: normalised_area([0, 10], [0, np.nan]), "values hold NaN"),
        (lambda: normalised_area([0, 10], [0, 1, 2]), r"got \[2\] and \[3\]"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("times", "low", "high"), [(1.0, 0.47, 0.53), (1.4, 0.71, 0.77)])
def test_a_difference_of_the_half_width_is_found_in_half_of_studies(times, low, high):
    generator = np.random.default_rng(0)
    pages = [paired_difference(own, np.zeros(10)) for own in generator.normal(size=(2000, 10))]
    size = times * np.array([page.high - page.estimate for page in pages])
    again = generator.permutation(pages)  # the same study with other seeds
    found = np.mean([later[1] + true > 0 for later, true in zip(again, size, strict=True)])
    # Three standard errors of 2000 studies around 1/2, and around the 0.742 of 400,000 of ten seeds.
    assert low < found < high
