"""Figure 2's form: the numbers of one learner's history, and no other's."""

import matplotlib
import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure

from autotelic.figures import goal_dynamics
from autotelic.figures.goal_dynamics import dynamics_of
from autotelic.runs.history import History

NAN = float("nan")
# A first round over two goals, then two epochs of goal 1.
GOALS = [1, 0, 1, 1]
SELECTION = [[0.5, 0.5], [1.0, 0.0], [0.3, 0.7], [0.4, 0.6]]
SIGNAL = [[NAN, 0.2], [0.1, 0.2], [0.1, 0.4], [0.1, 0.3]]


def history() -> pandas.DataFrame:
    def rows(seed: int, selection: list) -> pandas.DataFrame:
        columns = {"method": "DP", "seed": seed, "epoch": range(4), "goal": GOALS}
        frame = pandas.DataFrame({**columns, "effective_selection": 2.0, "certainty": 0.5})
        for name, values in (("selection", selection), ("prior", selection), ("signal", SIGNAL)):
            for goal in range(2):
                frame[f"{name}_{goal}"] = np.array(values)[:, goal]
        return frame

    return pandas.concat([rows(3, SELECTION), rows(4, [[0.5, 0.5]] * 4)])


def drawn(figure: Figure, panel: int) -> np.ndarray:
    """The heights of a panel's lines, [goals, epochs]."""
    return np.array([patch.get_data().values for patch in figure.axes[panel].patches[:2]])


def test_the_three_panels_show_signal_probabilities_and_counts():
    style = dict(matplotlib.rcParams)
    figure = goal_dynamics(history(), "DP", 3)
    upper, lower, right = (axes.get_ylabel() for axes in figure.axes)
    assert (upper, lower, right) == ("Diversity Progress", "Selection probability", "Times chosen")
    np.testing.assert_array_equal(drawn(figure, 0), np.transpose(SIGNAL))
    np.testing.assert_array_equal(drawn(figure, 1), np.transpose(SELECTION))
    # The scale is that of what follows the first round, whose probabilities end at 1.
    assert figure.axes[1].get_ylim()[1] == pytest.approx(1.15 * 0.7)
    # Counts are integers, and drawn as such; lines of different widths show where they are equal.
    np.testing.assert_array_equal(drawn(figure, 2), [[0, 1, 1, 1], [1, 1, 2, 3]])
    widths = [patch.get_linewidth() for patch in figure.axes[2].patches[:2]]
    assert widths[0] > widths[1]
    numbers = {text.get_text() for text in figure.axes[2].texts}
    assert {"0", "1"} <= numbers
    figure.canvas.draw()
    assert dict(matplotlib.rcParams) == style


def test_other_seeds_are_drawn_grey_behind_the_counts():
    own, other = (History(history()).learner("DP", seed) for seed in (3, 4))
    behind = dynamics_of(own, [other, other]).axes[2].patches
    grey = [patch for patch in behind if patch.get_edgecolor()[:3] == (0.8, 0.8, 0.8)]
    assert len(grey) == 2 * 2
    np.testing.assert_array_equal(grey[1].get_data().values, [1, 1, 2, 3])
    assert all(patch.get_zorder() == 1 for patch in grey)


def test_without_a_first_round_all_probabilities_are_drawn():
    np.testing.assert_array_equal(drawn(goal_dynamics(history(), "DP", 4), 1), np.full((2, 4), 0.5))


def test_visits_are_drawn_at_their_part_of_the_epoch():
    whole = history()
    figure = goal_dynamics(whole.assign(epoch=whole.epoch // 2, visit=whole.epoch % 2), "DP", 3)
    np.testing.assert_array_equal(drawn(figure, 2), [[0, 1, 1, 1], [1, 1, 2, 3]])
    for panel in (1, 2):
        edges = figure.axes[panel].patches[0].get_data().edges
        assert edges.tolist() == [1, 1.5, 2, 2.5, 3]
    assert figure.axes[2].get_xlim() == (1, 3)


def test_many_goals_are_drawn_with_the_labels_that_fit():
    goals = 30
    frame = pandas.DataFrame({"method": "DP", "seed": 0, "epoch": [0], "goal": 29})
    frame = frame.assign(effective_selection=30.0, certainty=0.5)
    names = ("selection", "prior", "signal")
    vectors = {f"{name}_{g}": [1 / goals] for name in names for g in range(goals)}
    figure = goal_dynamics(frame.assign(**vectors), "DP", 0)
    labels = {text.get_text() for text in figure.axes[2].texts} - {"goal"}
    assert len(labels) == 22
    assert "29" in labels  # the one chosen most often
    figure.canvas.draw()


def test_an_unknown_method_or_seed_is_refused():
    with pytest.raises(ValueError, match=r"unknown method 'DPP'; choose from DP"):
        goal_dynamics(history(), "DPP", 3)
    with pytest.raises(ValueError, match=r"seed 5; there are seeds \[3, 4\]"):
        goal_dynamics(history(), "DP", 5)
