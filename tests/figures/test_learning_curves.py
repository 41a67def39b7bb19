"""Learning curves: interquartile means of seeds in their intervals, from a run or from numbers."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas
import pytest

from autotelic.figures import Curve, learning_curves
from autotelic.figures.learning_curves import curves_of, legend_columns


def test_a_line_is_the_interquartile_mean_and_the_band_holds_it():
    seeds = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [6.0, 6.0], [100.0, 8.0]])
    one = np.array([[0.5, 0.75]])
    epochs = np.array([0, 10])
    figure = learning_curves({"accuracy": {"DP": Curve(epochs, seeds), "VIC": Curve(epochs, one)}})
    (axes,) = figure.axes
    dp, vic = axes.get_lines()
    assert np.asarray(dp.get_ydata()).tolist() == [3.0, 4.0]
    assert np.asarray(vic.get_ydata()).tolist() == [0.5, 0.75]
    assert dp.get_color() != vic.get_color()
    (band,) = axes.collections  # one seed has no interval
    edges = band.get_paths()[0].vertices
    assert np.asarray(edges)[:, 1].min() >= 0.0 and np.asarray(edges)[:, 1].max() <= 100.0
    assert band.get_paths()[0].contains_points([[5, 3.5]]).all()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["DP", "VIC"]
    figure.draw_without_rendering()


def test_long_curves_are_thinned_to_their_ends():
    epochs = np.arange(1, 501)
    figure = learning_curves({"accuracy": {"DP": Curve(epochs, epochs[None] / 500)}})
    (line,) = figure.axes[0].get_lines()
    drawn = np.asarray(line.get_xdata())
    assert len(drawn) == 60 and (drawn[0], drawn[-1]) == (1, 500)


def run_of(measured: bool) -> Any:
    history = pandas.DataFrame(
        {
            "member": [0, 1] * 3,
            "method": ["DP"] * 6,
            "seed": [0, 1] * 3,
            "epoch": [0, 0, 1, 1, 2, 2],
            "effective_selection": 2.0,
            "certainty": [0.2, 0.4, 0.4, 0.6, 0.8, 0.6],
            "prior_0": 0.5,
            "prior_1": 0.5,
        }
    )
    curve = history[["member", "method", "seed", "epoch"]].assign(knn_f1=0.5, unknown=1.0)
    found = curve if measured else None
    return cast(Any, SimpleNamespace(history=history, learning_curve=found, diverged=[]))


def test_a_run_has_its_certainty_over_a_round_and_what_was_measured():
    (certainty,) = curves_of(run_of(measured=False)).values()
    assert certainty["DP"].epochs.tolist() == [1, 2, 3]
    np.testing.assert_allclose(certainty["DP"].values, [[0.2, 0.3, 0.6], [0.4, 0.5, 0.6]])
    both = curves_of(run_of(measured=True))
    assert list(both) == ["certainty, mean of 2 epochs", "KNN-F1"]
    assert both["KNN-F1"]["DP"].epochs.tolist() == [0, 1, 2]


def test_places_have_success_and_coverage_alone():
    runs = run_of(measured=True)
    runs.history["success"] = [0.0, 0.5, 1.0, 0.5, 0.0, 0.5]
    runs.learning_curve[["held_out_accuracy", "grid_coverage", "success"]] = 0.5
    found = curves_of(runs)
    assert list(found) == [
        *("success in practice, mean of 2 epochs", "coverage of the box", "success"),
    ]
    practised = next(iter(found.values()))["DP"].values
    np.testing.assert_allclose(practised, [[0.0, 0.5, 0.5], [0.5, 0.5, 0.5]])


def test_nothing_to_draw_and_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="at least one metric of one method"):
        learning_curves({})
    with pytest.raises(ValueError, match=r"curve of 'DP' .* got \[2\] and \[3\]"):
        learning_curves({"accuracy": {"DP": Curve(np.arange(2), np.arange(3))}})


def test_long_names_get_fewer_columns_and_stay_in_the_picture():
    curve = Curve(np.arange(3), np.zeros((2, 3)))
    names = [f"GMM-SAC, K = {k}, reward on the next state of two" for k in range(6)]
    figure = learning_curves(
        {panel: dict.fromkeys(names, curve) for panel in ("first", "second", "third")}
    )
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width
    assert [legend_columns(["DP"] * 9, width) for width in (0.1, 1.2, 7.0)] == [1, 2, 4]


def test_one_panel_holds_the_legend_of_a_long_name():
    name = "dp:temperature=0.3,normalization=l2,reference=probe,absolute=true"
    figure = learning_curves({"accuracy": {name: Curve(np.arange(3), np.zeros((2, 3)))}})
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width


def test_the_legend_has_methods_of_every_panel_and_the_note_says_what_the_band_is():
    few, many = (Curve(np.arange(3), np.zeros((seeds, 3))) for seeds in (2, 5))
    figure = learning_curves({"first": {"DP": few}, "second": {"VIC": many, "DP": few}})
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["DP", "VIC"]
    assert figure.get_supxlabel() == (
        "thick line: interquartile mean of seeds; band: 95 % interval (of 5 seeds and more); "
        "thin lines: seeds"
    )
    assert learning_curves({"a": {"VIC": many}}).get_supxlabel().endswith("band: 95 % interval")
    first, second = figure.axes
    assert (len(first.lines), len(first.collections)) == (3, 0)  # a mean and two seeds
    assert (len(second.lines), len(second.collections)) == (4, 1)


@pytest.mark.parametrize(
    ("last", "ticks"), [(4, [0, 1, 2, 3, 4]), (25, [0, 10, 20]), (100, [0, 25, 50, 75, 100])]
)
def test_epochs_are_marked_at_round_numbers(last: int, ticks: list[int]) -> None:
    figure = learning_curves({"accuracy": {"DP": Curve(np.array([0, last]), np.eye(2))}})
    axes = figure.axes[0]
    left, right = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if left <= tick <= right] == ticks
