"""A run whose learners never learn: cheap to make, and its skills are those it started with."""

import pytest

from autotelic.learner.setting import Setting
from autotelic.runs.run import Runs
from autotelic.selectors import Uniform
from autotelic.training.train import train

SETTING = Setting(
    environment="navigation2d",
    environment_options={"episode_length": 6},
    num_goals=3,
    steps_per_epoch=4,
    hidden_units=8,
    frozen=True,
)


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("evaluation") / "frozen"
    return train(SETTING, {"DIAYN": Uniform()}, seeds=(0, 1), epochs=1, out=folder)
