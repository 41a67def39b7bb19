"""Beside a cliff a learner of places stays alive: falling never pays."""

from pathlib import Path

import pytest

from benchmarks.cliff import LEARNERS, outcomes, setting


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sac sparse", "gmm-sac sparse"])
def test_learners_of_places_do_not_jump(name: str, tmp_path: Path):
    (found,) = outcomes(setting(*LEARNERS[name], num_goals=6), range(1, 2), 12, tmp_path / "run")
    assert found.success > 0.9
    assert found.falls < 0.05
