"""The map of goals: what is drawn of made-up learners."""

import matplotlib
import numpy as np
import pandas
import pytest

from autotelic.figures.goal_map import (
    PRACTICE_COLOURS,
    SUCCESS_COLOURS,
    GoalMap,
    goal_map,
    in_practice,
)


def made_up(dimensions: int, goals: int = 6, members: int = 2) -> GoalMap:
    generator = np.random.default_rng(0)
    success = generator.random((members, 3, goals))
    success[:, 0, 0] = np.nan
    return GoalMap(
        [("a", 0), ("a_rather_long:name=1,of=2", 1)][:members],
        np.array([10, 20, 30]),
        success,
        generator.integers(0, 50, (members, goals)),
        generator.uniform(-1, 1, (members, goals, dimensions)),
        np.arange(goals) < goals - 2,
        None if dimensions > 2 else np.eye(13, dtype=bool),
        (-1.0, 1.0),
        measured=dimensions > 1,
    )


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_a_row_for_each_learner_and_a_panel_for_each_time(dimensions: int):
    figure = goal_map(made_up(dimensions))
    figure.canvas.draw()
    panels = [axes for axes in figure.axes if axes.get_subplotspec() is not None][:8]
    assert len(panels) == 8
    assert [axes.get_title(loc="left") for axes in panels[:3]] == [
        "epoch 10",
        "epoch 20",
        "epoch 30",
    ]
    assert panels[0].get_ylabel() and panels[4].get_ylabel()


def test_a_point_has_the_colour_of_its_success():
    found = made_up(2, members=1)
    first = goal_map(found).axes[0]
    shown = [drawn for drawn in first.collections if drawn.get_array() is not None]
    values = np.concatenate([np.asarray(drawn.get_array()) for drawn in shown])
    known = found.success[0, 0]
    np.testing.assert_allclose(np.sort(values), np.sort(known[np.isfinite(known)]))


def test_darker_is_more_of_success_and_of_practice():
    for name in (SUCCESS_COLOURS, PRACTICE_COLOURS):
        brightness = matplotlib.colormaps[name](np.linspace(0, 1, 9))[:, :3].mean(axis=1)
        assert (np.diff(brightness) < 0).all(), name


def test_success_in_practice_is_that_of_the_last_visits():
    table = pandas.DataFrame(
        {
            "epoch": [0, 0, 1, 1, 1, 2, 2, 3],
            "goal": [0, 1, 0, 0, 0, 0, 0, 2],
            "success": [1.0, 0.5, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
        }
    )
    # Goal 0 has six visits in the first three epochs, of which the last five count.
    np.testing.assert_allclose(in_practice(table, 4, 3), [0.6, 0.5, np.nan, np.nan])
