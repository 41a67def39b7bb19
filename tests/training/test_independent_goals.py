"""Goals and starts are drawn from streams of their own, where a reset takes one draw as a goal does."""

import importlib
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from tiny_runs import tiny

import autotelic as at
from autotelic.agents import GmmSac
from autotelic.training.train import train

pytestmark = pytest.mark.usefixtures("same_crews")
EPISODE, VISITS, GOALS = 5, 400, 20


class RecordedStarts(gymnasium.Wrapper):
    """Keeps the first entry of every episode's first observation."""

    starts: list[float]

    def reset(self, **options):
        observation, information = super().reset(**options)
        self.starts.append(float(observation[0]))
        return observation, information


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("autotelic/Navigation2D-v0", {"random_start": True}),
        ("MountainCarContinuous-v0", {}),
    ],
)
@pytest.mark.thorough
def test_a_goal_says_nothing_about_where_its_episode_starts(
    name: str, options: dict[str, bool], tmp_path: Path
):
    starts: list[float] = []

    def make() -> gymnasium.Env:
        importlib.import_module("autotelic.environments.gymnasium")  # registers 2D navigation
        inner = gymnasium.make(name, max_episode_steps=EPISODE, **options)
        recorded = RecordedStarts(inner)
        recorded.starts = starts
        return recorded

    setting = tiny(
        environment=make,
        environment_options={},
        num_goals=GOALS,
        agent=GmmSac(components=1),
        steps_per_epoch=EPISODE * 20,
        steps_per_goal=EPISODE,
        frozen=True,
    )
    runs = train(setting, {"uniform": at.Uniform()}, [0], VISITS // 20, tmp_path / "run")
    goals = runs.history["goal"].to_numpy()
    assert len(goals) == VISITS
    # A visit is an episode; the last reset begins one that nobody lives, and a first one may only have
    # been made to look at the environment.
    own = np.array(starts[-VISITS - 1 : -1])
    assert np.ptp(own) > 0
    # Five standard errors of the correlation of independent samples.
    assert abs(np.corrcoef(goals, own)[0, 1]) < 5 / np.sqrt(VISITS)
