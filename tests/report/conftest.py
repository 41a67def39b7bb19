"""One small run that all tests of the page read; none writes into it."""

from dataclasses import replace
from pathlib import Path

import pytest
from small_run import EPOCHS, GOALS, NASTY

import autotelic as at
from autotelic.learner.setting import Setting
from autotelic.presets import reaching
from autotelic.report import report_page
from autotelic.runs.run import Runs
from autotelic.training.train import train


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """2D navigation: two methods, two seeds, six epochs."""
    setting = Setting(
        environment_options={"episode_length": 10},
        num_goals=GOALS,
        steps_per_epoch=20,
        hidden_units=8,
        batch_size=8,
        first_update=8,
    )
    methods = {NASTY: at.DiversityProgress(offset=5, smoothing=5), "DIAYN": at.Uniform()}
    return train(setting, methods, [0, 1], EPOCHS, tmp_path_factory.mktemp("run") / "a & b")


@pytest.fixture(scope="session")
def page(runs: Runs) -> str:
    """The page of that run."""
    return report_page(runs)


@pytest.fixture(scope="session")
def page_file(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on disk, away from its run."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page)
    return path


@pytest.fixture(scope="session")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Places of a maze: one method, one seed, two epochs."""
    setting = replace(
        reaching("maze2d"), num_goals=24, steps_per_epoch=200, hidden_units=8, batch_size=8
    )
    return train(setting, {"uniform": at.Uniform()}, [0], 2, tmp_path_factory.mktemp("maze") / "m")
