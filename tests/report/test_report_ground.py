"""Traces on open ground: a part of the page, and a figure of the shell, where there is such ground."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from walkers import Field, setting

from autotelic.commands.figures import drawings
from autotelic.evaluation import Trajectories
from autotelic.report.ground import ground
from autotelic.runs.run import Runs
from autotelic.selectors import Uniform
from autotelic.training.train import train


@pytest.fixture(scope="module")
def walkers(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    ours = dataclasses.replace(setting(Field()), steps_per_epoch=10, hidden_units=4, frozen=True)
    folder: Path = tmp_path_factory.mktemp("walkers") / "run"
    methods = {"<one>": Uniform(), "other": Uniform()}
    return train(ours, methods, seeds=(3, 4), epochs=1, out=folder)


def some(positions: bool) -> Trajectories:
    places = np.zeros((1, 4, 1, 2, 2), np.float32)
    lengths = np.ones((1, 4, 1), np.int32)
    return Trajectories((("other", 3),), places, lengths, places if positions else None)


def test_one_learner_of_each_method_is_drawn_into_the_page(walkers: Runs):
    part = ground(walkers, some(positions=True))
    assert part.count("data:image/png;base64,") == 1 and "<img" not in part
    assert "traces on the ground of &lt;one&gt;, other" in part and "<one>" not in part
    assert "48 trajectories of up to 200 steps" in part and "seed 3 of each method" in part


def test_bounds_and_unknown_positions_leave_it_out(walkers: Runs, runs: Runs):
    assert ground(walkers, some(positions=False)) == ""
    assert ground(runs, some(positions=True)) == ""  # 2D navigation
    assert "ground_traces" not in dict(drawings(runs))


def test_the_shell_draws_a_panel_for_each_method(walkers: Runs):
    figure = dict(drawings(walkers))["ground_traces"]()
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles[:2] == ["<one>", "other"]
    assert figure.axes[0].get_xlim() == pytest.approx((0.5 - 224, 0.5 + 224), abs=0.1)
