"""The comparison of methods: marks, bars and dots stand at their values."""

import subprocess
import sys

import numpy as np
import pandas
import pytest

from autotelic.evaluation.results import COLUMNS, Evaluation, EvaluationSetting
from autotelic.figures import comparison

VALUES = {"VIC": [0.1, 0.2, 0.3, 0.3, 0.3], "DP": [0.7, 0.8, 0.9, 0.9, 0.9]}


def evaluation(seeds: int) -> Evaluation:
    rows = [
        (0, method, seed, trained, metric, value if trained else 0.05)
        for metric in ("knn_f1", "silhouette", "held_out_accuracy")
        for method, own in VALUES.items()
        for seed, value in enumerate(own[:seeds])
        for trained in (True, False)
    ]
    table = pandas.DataFrame(rows, columns=pandas.Index(COLUMNS))
    return Evaluation(EvaluationSetting(9, 4, 6, 0), table, [])


def test_marks_bars_and_dots_are_where_they_belong():
    found = evaluation(seeds=5)
    figure = comparison(found)
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["accuracy, one state", "KNN-F1"]  # the short table's
    axes = figure.axes[1]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["VIC", "DP"]
    dots = [np.asarray(c.get_offsets())[:, 0].tolist() for c in axes.collections]
    assert dots[-2:] == list(VALUES.values())
    summary = {row.method: row for row in found.summary() if row.trained and row.metric == "knn_f1"}
    lines = [np.asarray(line.get_xdata()).tolist() for line in axes.get_lines()]
    for method in VALUES:
        assert [summary[method].low, summary[method].high] in lines
        assert [summary[method].estimate] * 2 in lines
    assert "bar: 95 % interval;" in figure.get_supxlabel()
    figure.draw_without_rendering()


@pytest.mark.parametrize(("seeds", "middle"), [(1, [0.1, 0.7]), (3, [0.2, 0.8])])
def test_few_seeds_have_marks_alone(seeds: int, middle: list[float]):
    figure = comparison(evaluation(seeds), ["silhouette"])
    lines = figure.axes[0].get_lines()
    assert "interval" not in figure.get_supxlabel()
    # The median of the untrained, and one mark for each method.
    assert [np.unique(np.asarray(line.get_xdata()).round(12)).tolist() for line in lines] == [
        [0.05],
        *([value] for value in middle),
    ]


def test_unknown_metrics_are_refused():
    with pytest.raises(ValueError, match=r"unknown metric 'knn'; .* Did you mean 'knn_f1'"):
        comparison(evaluation(seeds=1), ["knn"])
    with pytest.raises(ValueError, match="at least one metric"):
        comparison(evaluation(seeds=1), [])


def test_figures_load_without_jax():
    code = "import sys, autotelic.figures\nprint('jax' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "False\n", result.stderr


def test_values_that_are_all_the_same_have_a_scale_of_their_own_size():
    rows = [(0, "DP", 0, trained, "zero_shot_hit", 0.0) for trained in (True, False)]
    table = pandas.DataFrame(rows, columns=pandas.Index(COLUMNS))
    figure = comparison(Evaluation(EvaluationSetting(1, 2, 5, 0), table, []))
    assert figure.axes[0].get_xlim() == (-0.5, 0.5)
