"""A run that this machine could not hold is refused before a folder is made, by the setting to lower."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

import autotelic as at
from autotelic import _machine
from autotelic.learner.setting import Setting
from autotelic.training import limits
from autotelic.training.train import prepare, train

TINY = Setting(
    num_goals=3,
    steps_per_epoch=20,
    hidden_units=8,
    batch_size=8,
    first_update=8,
    replay_capacity=60,
)
METHODS = {"diayn": at.Uniform(), "round-robin": at.RoundRobin()}


class Disk(NamedTuple):
    total: int
    free: int


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hidden_units": 2**31 - 1}, "lower hidden_units or num_goals"),
        ({"replay_capacity": 2**31 - 1}, "lower replay_capacity"),
        (
            {"batch_size": 10**6, "replay_capacity": 10**6, "hidden_units": 50_000},
            "lower batch_size or hidden_units",
        ),
        ({"steps_per_epoch": 2**31 - 1, "num_goals": 1000}, "lower steps_per_goal or num_goals"),
    ],
)
def test_what_exceeds_all_memory_is_refused_by_its_largest_part(tmp_path: Path, changed, said):
    _machine_has_less_than_a_tebibyte()
    with pytest.raises(
        ValueError, match=r"the run \(2 learners; .* of memory, and this machine"
    ) as refused:
        train(replace(TINY, **changed), METHODS, [0], 1, tmp_path / "run")
    assert str(refused.value).endswith(f"{said}, or train fewer seeds or methods")
    assert not list(tmp_path.iterdir())


def test_a_run_counts_all_its_learners_and_fits_to_the_byte(tmp_path: Path, monkeypatch):
    one = prepare(TINY, METHODS, [0], 1, tmp_path).one
    batches, visits = 8 * 2 * 8 * 4, 20 * 3 * 4
    needed = 4 * one.total + batches + visits
    monkeypatch.setattr(_machine, "whole_memory", lambda: needed)
    prepare(TINY, METHODS, [0, 1], 1, tmp_path)
    monkeypatch.setattr(_machine, "whole_memory", lambda: needed - 1)
    with pytest.raises(ValueError, match="4 learners"):
        prepare(TINY, METHODS, [0, 1], 1, tmp_path)


def test_what_exceeds_the_whole_disk_is_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(limits.shutil, "disk_usage", lambda path: Disk(total=10**6, free=1))
    prepare(TINY, METHODS, [0], 1, tmp_path / "a" / "b")
    with pytest.raises(ValueError) as refused:
        prepare(TINY, METHODS, [0], 10_000, tmp_path / "a" / "b")
    assert f"that of {tmp_path} has 976.6 KiB (1 B of it free); lower epochs" in str(refused.value)


def test_fixed_statistics_are_not_taken_for_a_size(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("autotelic.training.program.observation_statistics", None)
    fixed = prepare(replace(TINY, normalize_observations="fixed"), METHODS, [0], 1, tmp_path).one
    plain = prepare(TINY, METHODS, [0], 1, tmp_path).one
    assert fixed.total - plain.total == 4 * (1 + 2 + 2)  # a count, two means, two sums of squares


@pytest.mark.parametrize(
    ("changed", "epochs", "said"),
    [
        ({}, 10**20, "epochs must be at most 2147483647, got 100000000000000000000"),
        (
            {},
            2**31 - 1,
            "x 20 steps = 42949672940, and a learner counts to 2147483647; lower epochs",
        ),
        ({"num_goals": 2**64}, 1, "num_goals must be at most 10000, got 18446744073709551616"),
        ({"hidden_units": 10**11}, 1, "hidden_units must be at most 2147483647"),
        (
            {"updates_per_step": 1e9},
            1,
            "updates_per_step must be at most 1000, got 1e.09: a step adds",
        ),
        ({"num_goals": 10**5000}, 1, "got an integer of 16610 bits"),
    ],
)
def test_numbers_beyond_all_bounds_are_refused(tmp_path: Path, changed, epochs, said):
    with pytest.raises(ValueError, match=said):
        train(replace(TINY, **changed), METHODS, [0], epochs, tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_the_nearest_divisors_of_a_long_epoch_are_found_at_once():
    with pytest.raises(ValueError, match="the nearest that do: 5 and 8"):
        Setting(steps_per_epoch=2_000_000_000, steps_per_goal=7)


def _machine_has_less_than_a_tebibyte() -> None:
    whole = _machine.whole_memory()
    if whole is None or whole > 2**36:
        pytest.skip("a machine with more memory may hold such a run")
