"""Estimates and comparisons of a made-up table, by hand."""

from typing import Any

import numpy as np
import pandas
import pytest

from studies.analysis import compare, summarise
from studies.tables import METRICS, TIMES


def table(areas: dict[tuple[str, str], list[float]], **columns: Any) -> pandas.DataFrame:
    """A table of learners with these areas by condition and arm; the other metrics are 0."""
    rows = [
        {
            **dict.fromkeys(METRICS, 0.0),
            **dict.fromkeys(TIMES, np.nan),
            "condition": condition,
            "arm": arm,
            "seed": seed,
            "area": area,
        }
        for (condition, arm), values in areas.items()
        for seed, area in enumerate(values)
    ]
    return pandas.DataFrame(rows).assign(**columns)


def only(found: Any, **keys: str) -> Any:
    for name, value in keys.items():
        found = found[found[name] == value]
    assert len(found) == 1
    return found.iloc[0]


def test_levels_are_interquartile_means() -> None:
    found = summarise(table({("", "DP"): [0.0, 0.1, 0.2, 0.9]}), epochs=10)
    row = only(found, arm="DP", metric="area")
    assert row["estimate"] == pytest.approx(0.15)
    assert 0.0 <= row["low"] < 0.15 < row["high"] <= 0.9
    assert row["seeds"] == 4


def test_a_learner_that_did_not_get_there_counts_as_long_as_it_was_watched() -> None:
    seeds = table({("", "DP"): [0.1, 0.2, 0.3]}, epochs_to_90=[10.0, 40.0, np.nan])
    assert only(summarise(seeds, epochs=100), metric="epochs_to_90")["estimate"] == 50.0
    # Asked for by name a time is the same, and there once, also where everybody got there.
    everybody = seeds.fillna({"epochs_to_90": 60.0})
    named = summarise(everybody, epochs=100, more=["epochs_to_90"])
    pandas.testing.assert_frame_equal(named, summarise(everybody, epochs=100))


def test_a_metric_that_some_learner_does_not_have_is_left_out() -> None:
    seeds = table({("", "DP"): [0.1, 0.2]}, signal_correlation=[0.5, np.nan])
    assert "signal_correlation" not in set(summarise(seeds, epochs=10)["metric"])


def test_arms_are_compared_in_pairs_of_seeds() -> None:
    seeds = table({("", "uniform"): [0.1, 0.5, 0.3], ("", "DP"): [0.2, 0.6, 0.4]})
    row = only(compare(seeds, ["uniform"]), arm="DP", metric="area")
    # Every pair differs by 0.1, however much the seeds differ among themselves.
    assert (row["difference"], row["difference_low"], row["difference_high"]) == (0.1, 0.1, 0.1)
    # 0.2 beats one of three, 0.6 three, 0.4 two: 6 of 9.
    assert row["improvement"] == pytest.approx(2 / 3, abs=1e-6)


def test_only_seeds_that_both_have_are_paired() -> None:
    seeds = table({("", "uniform"): [0.1, 0.5, 0.3], ("", "DP"): [0.2, 0.6]})
    row = only(compare(seeds, ["uniform"]), arm="DP", metric="area")
    assert row["seeds"] == 2
    assert row["difference"] == 0.1


def test_arms_are_compared_within_their_condition_and_not_with_themselves() -> None:
    areas = {
        ("noise", "uniform"): [0.1, 0.2],
        ("noise", "DP"): [0.4, 0.5],
        ("calm", "uniform"): [0.6, 0.7],
        ("calm", "DP"): [0.6, 0.7],
        ("frozen", "DP"): [0.0, 0.0],
    }
    found = compare(table(areas), ["uniform"])
    assert set(found["arm"]) == {"DP"}
    assert set(found["condition"]) == {"noise", "calm"}
    assert only(found, condition="noise", metric="area")["difference"] == 0.3
    assert only(found, condition="calm", metric="area")["difference"] == 0.0


def test_an_interval_does_not_depend_on_what_else_is_in_the_table() -> None:
    two = {("", "uniform"): [0.1, 0.5, 0.3], ("", "DP"): [0.2, 0.4, 0.4]}
    alone = only(compare(table(two), ["uniform"]), arm="DP", metric="area")
    three = {("", "uniform"): two["", "uniform"], ("", "RR"): [0.0, 0.1, 0.2]} | two
    beside = compare(table(three), ["uniform"])
    assert list(only(beside, arm="DP", metric="area")) == list(alone)


def without(seeds: pandas.DataFrame, arm: str, seed: int) -> pandas.DataFrame:
    """The table with one learner that diverged: it has no number."""
    lost = (seeds["arm"] == arm) & (seeds["seed"] == seed)
    seeds = seeds.copy()
    seeds.loc[lost, [*METRICS, *TIMES]] = np.nan
    return seeds


def test_a_learner_that_diverged_is_left_out_and_the_seeds_say_so() -> None:
    three = {("", "uniform"): [0.1, 0.5, 0.3], ("", "DP"): [0.2, 0.6, 0.9]}
    two = {("", "uniform"): [0.1, 0.5, 0.3], ("", "DP"): [0.2, 0.6]}
    whole, left = without(table(three), "DP", 2), table(two)
    pandas.testing.assert_frame_equal(summarise(whole, epochs=10), summarise(left, epochs=10))
    pandas.testing.assert_frame_equal(compare(whole, ["uniform"]), compare(left, ["uniform"]))
    assert only(compare(whole, ["uniform"]), arm="DP", metric="area")["seeds"] == 2
    alone = without(whole, "DP", 1)
    assert set(summarise(alone, epochs=10)["arm"]) == {"uniform"}
    assert compare(alone, ["uniform"]).empty
