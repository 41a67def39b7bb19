"""Figure 1's form draws what it is given."""

from typing import Any, cast

import matplotlib
import numpy as np
import pandas
import pytest

from autotelic.figures import effective_skills
from autotelic.figures.effective_skills import effective_skills_panels


def test_one_line_a_seed_one_colour_and_one_legend_entry_a_method():
    curves = {"DIAYN": np.full((3, 5), 20.0), "DP": np.arange(10.0).reshape(2, 5)}
    style = dict(matplotlib.rcParams)
    figure = effective_skills(curves, title="2D navigation")
    lines = figure.axes[0].get_lines()
    assert [np.asarray(line.get_ydata()).tolist() for line in lines] == [
        *curves["DIAYN"].tolist(),
        *curves["DP"].tolist(),
    ]
    assert np.asarray(lines[0].get_xdata()).tolist() == [1, 2, 3, 4, 5]
    colours = [line.get_color() for line in lines]
    assert len(set(colours[:3])) == len(set(colours[3:])) == 1
    assert colours[0] != colours[3]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["DIAYN", "DP"]
    assert dict(matplotlib.rcParams) == style


@pytest.mark.parametrize("curves", [{}, {"DP": [1.0, 2.0]}, {"DP": np.empty((0, 5))}])
def test_nothing_to_draw_is_refused(curves: Any):
    with pytest.raises(ValueError, match="curves"):
        effective_skills(curves)


def test_a_history_is_drawn_in_the_order_of_its_methods_seed_by_seed():
    history = pandas.DataFrame(
        {
            "method": ["VIC", "DP", "DP"] * 2,
            "seed": [0, 1, 0] * 2,
            "epoch": [0, 0, 0, 1, 1, 1],
            "effective_selection": [3.0, 5.0, 4.0, 2.0, 5.5, 4.5],
        }
    )
    figure = effective_skills(history)
    lines = [np.asarray(line.get_ydata()).tolist() for line in figure.axes[0].get_lines()]
    assert lines == [[3.0, 2.0], [4.0, 4.5], [5.0, 5.5]]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["VIC", "DP"]
    assert np.asarray(figure.axes[0].get_lines()[0].get_xdata()).tolist() == [1, 2]
    visits = history.assign(epoch=0, visit=history["epoch"])  # the same as two visits of one epoch
    lines = effective_skills(visits).axes[0].get_lines()
    assert np.asarray(lines[1].get_ydata()).tolist() == [4.0, 4.5]
    assert np.asarray(lines[1].get_xdata()).tolist() == [1, 1.5]
    with pytest.raises(ValueError, match="no epoch yet"):
        effective_skills(history[:0])
    with pytest.raises(TypeError, match=r"history table .* is needed, got int"):
        effective_skills(cast(Any, 3))


def test_rounds_after_the_first_are_drawn_by_their_prior():
    # Two goals in rounds without replacement: the selection has 2 goals, then 1, and so on.
    history = pandas.DataFrame(
        {
            "method": "round-robin",
            "seed": 0,
            "epoch": range(6),
            "effective_selection": [2.0, 1.0] * 3,
            "prior_0": [0.5] * 5 + [1.0],
            "prior_1": [0.5] * 5 + [0.0],
        }
    )
    (line,) = effective_skills(history).axes[0].get_lines()
    np.testing.assert_allclose(np.asarray(line.get_ydata()), [2, 1, 2, 2, 2, 1])


def test_names_are_taken_as_they_are():
    curves = {"_mine": np.ones((1, 3)), "DP $\\tau_{ 2$": np.ones((1, 3))}
    figure = effective_skills(curves)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [name.strip().replace("\\$", "$") for name in names] == list(curves)
    figure.draw_without_rendering()  # where a formula that is none would be refused


def test_curves_keep_their_room_beside_long_names():
    names = [f"dp:temperature=0.3,normalization=l2,reference=probe,offset={n}" for n in range(9)]
    figure = effective_skills({name: np.ones((1, 3)) for name in names})
    figure.draw_without_rendering()
    assert figure.axes[0].get_position().width > 0.4
    box = figure.legends[0].get_window_extent()
    assert box.y0 >= 0 and box.y1 <= figure.bbox.height


FULL = np.full((2, 12), 4.0)
NEARLY = np.vstack([[4, 3, 2, 1, *[3.9] * 8], [4, 3, 2, 1, *[3.5] * 8]])
COLLAPSED = np.vstack([[4, 2, *[0.5] * 10]] * 2)
HALF = np.vstack([[4, 3, 2, 1, *[2.0] * 8]] * 2)


def test_methods_that_lie_on_one_another_are_drawn_once_more_and_larger():
    curves = {"DIAYN": FULL, "DP": NEARLY, "VIC": COLLAPSED}
    (axes,) = effective_skills(curves, inset=True).axes
    (inset,) = axes.child_axes
    shown = [np.asarray(line.get_ydata()).tolist() for line in inset.get_lines()]
    assert shown == [*FULL.tolist(), *NEARLY.tolist()]
    assert inset.get_xlim() == (5, 12)  # after the first round
    assert 3.4 < inset.get_ylim()[0] < 3.5 and 4.0 < inset.get_ylim()[1] < 4.1
    assert not effective_skills(curves).axes[0].child_axes


@pytest.mark.parametrize("other", [HALF, NEARLY[:, :4]])
def test_there_is_no_inset_where_nothing_lies_on_one_another(other: np.ndarray):
    assert not effective_skills({"DIAYN": FULL, "DP": other}, inset=True).axes[0].child_axes


def test_what_uniform_selection_covers_shows_through_its_dashes():
    lines = effective_skills({"uniform": FULL[:1], "DP": NEARLY[:1]}).axes[0].get_lines()
    assert [line.is_dashed() for line in lines] == [True, False]
    assert lines[0].get_zorder() > lines[1].get_zorder()


def test_panels_share_their_scale_and_one_legend():
    panels = {"(a) 2D navigation": {"DIAYN": FULL}, "(c) Ant": {"DIAYN": FULL, "DP": HALF}}
    figure = effective_skills_panels(panels)
    assert [axes.get_title("left") for axes in figure.axes] == list(panels)
    assert [axes.get_xlabel() for axes in figure.axes] == ["Epoch", "Epoch"]
    assert figure.axes[0].get_ylabel() == "Effective number of skills"
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["DIAYN", "DP"]
    with pytest.raises(ValueError, match="at least one environment"):
        effective_skills_panels({})
