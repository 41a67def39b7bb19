"""Every objective with every selector: three tiny epochs of one population each."""

from pathlib import Path

import numpy as np
import pytest
from tiny_runs import run, tiny

import autotelic as at
from autotelic.agents import Sac
from autotelic.learner.plan import make_plan
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES
from autotelic.runs.history import vector
from autotelic.selectors import parse_method
from autotelic.selectors.spelling import NAMES

pytestmark = pytest.mark.usefixtures("same_crews")

USUAL = ("diayn", "vic", "dads", "metra", "csf", "reach")
"""Of every family one; the others are `make test-all`'s."""
EPOCHS = 3
WINDOWS = {name: f"{name}:offset=10,smoothing=5" for name in ("dp", "exp3s")}
"""That fit in a tiny epoch."""


def possible_methods(setting: Setting) -> dict[str, at.GoalSelector]:
    """The catalogue, without selectors whose evidence this objective and agent cannot give."""
    found = {}
    for name in NAMES:
        _, selector = parse_method(WINDOWS.get(name, name))
        try:
            make_plan(setting, {name: selector}, [0], EPOCHS)
        except ValueError as refusal:
            assert "cannot give" in str(refusal), refusal
        else:
            found[name] = selector
    return found


@pytest.mark.parametrize(
    "name",
    [
        name if name in USUAL else pytest.param(name, marks=pytest.mark.thorough)
        for name in OBJECTIVES
        if name != "task"  # it has one goal
    ],
)
def test_every_selector_works_with_the_objective(name: str, tmp_path: Path):
    setting = tiny(objective=OBJECTIVES[name](), agent=Sac())
    methods = possible_methods(setting)
    assert len(methods) >= 10
    runs = run(tmp_path, setting=setting, methods=methods, epochs=EPOCHS)
    assert not runs.diverged
    history = runs.history
    assert len(history) == EPOCHS * len(methods) and set(history.method) == set(methods)
    assert np.isfinite(history.filter(like="loss_")).all(axis=None)
    assert history.certainty.between(0.0, 1.0).all()
    for column in ("prior", "selection"):
        np.testing.assert_allclose(vector(history, column).sum(axis=1), 1.0, rtol=1e-9)
    last = history[history.epoch == EPOCHS - 1]
    learned = last.loss_discriminator if OBJECTIVES[name].learns else last.loss_q
    assert learned.nunique() > 1  # they learn, each from its own goals
