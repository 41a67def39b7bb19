"""An evaluation's summary and its files."""

import json
from pathlib import Path

import numpy as np
import pandas
import pytest

from autotelic._documents import FileError
from autotelic.evaluation import results
from autotelic.evaluation.health import Alarm
from autotelic.evaluation.results import Evaluation, EvaluationSetting, load_evaluation

SETTING = EvaluationSetting(epochs=9, per_goal=4, steps=6, seed=0)
ALARM = Alarm("collapse", ("VIC", 1), 3, "raise the temperature")


def evaluation(values: dict[str, list[float]], metric: str = "knn_f1") -> Evaluation:
    """One metric of some methods, one value a seed; the untrained skills have half of it."""
    rows = [
        (len(own) * index + seed, method, seed, trained, metric, value if trained else value / 2)
        for trained in (True, False)
        for index, (method, own) in enumerate(values.items())
        for seed, value in enumerate(own)
    ]
    columns = pandas.Index(["member", "method", "seed", "trained", "metric", "value"])
    return Evaluation(SETTING, pandas.DataFrame(rows, columns=columns), [ALARM])


def test_estimates_are_interquartile_means_within_their_intervals():
    found = evaluation({"VIC": [0.0, 1.0, 2.0, 6.0, 100.0], "DP": [3.0] * 5}).summary()
    assert [(row.method, row.trained, row.metric, row.seeds) for row in found] == [
        ("VIC", True, "knn_f1", 5),
        ("VIC", False, "knn_f1", 5),
        ("DP", True, "knn_f1", 5),
        ("DP", False, "knn_f1", 5),
    ]
    assert [row.estimate for row in found] == [3.0, 1.5, 3.0, 1.5]
    assert found[0].low is not None and found[0].high is not None
    assert 0.0 <= found[0].low < 3.0 < found[0].high <= 100.0
    assert (found[2].low, found[2].high) == (3.0, 3.0)


def test_one_seed_has_values_but_no_interval():
    (trained, untrained) = evaluation({"DP": [0.5]}).summary()
    assert trained == ("DP", True, "knn_f1", 1, 0.5, None, None)
    assert untrained.estimate == 0.25


def test_a_metric_that_a_seed_lacks_is_not_summarised():
    whole = evaluation({"VIC": [0.1, 0.2], "DP": [0.3, 0.4]})
    part = whole.table.drop(whole.table.index[0])  # VIC's first seed, trained
    left = Evaluation(SETTING, part, []).summary()
    assert [(row.method, row.trained) for row in left] == [
        ("VIC", False),
        ("DP", True),
        ("DP", False),
    ]


def test_what_was_saved_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    saved = evaluation({"VIC": [0.1, 1 / 3], "DP": [0.3, 0.4]})
    saved.save(tmp_path)
    loaded = load_evaluation(tmp_path)
    pandas.testing.assert_frame_equal(loaded.table, saved.table)
    assert (loaded.setting, loaded.alarms) == (SETTING, [ALARM])
    assert loaded.summary() == saved.summary()
    monkeypatch.setattr(results, "interquartile_mean", None)  # a summary is computed once
    assert load_evaluation(tmp_path).summary() == saved.summary()
    monkeypatch.undo()
    content = json.loads((tmp_path / "evaluation.json").read_text())
    assert [row["estimate"] for row in content["summary"]] == [
        row.estimate for row in saved.summary()
    ]
    assert content["metrics"]["knn_f1"]["label"] == "KNN-F1"
    evaluation({"DP": [0.5]}).save(tmp_path)  # in place of the first
    np.testing.assert_array_equal(load_evaluation(tmp_path).table["value"], [0.5, 0.25])


def test_what_is_no_evaluation_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"has no evaluation.json: the run is not evaluated yet"):
        load_evaluation(tmp_path)
    evaluation({"DP": [0.5]}).save(tmp_path)
    path = tmp_path / "evaluation.json"
    whole = path.read_text()
    path.write_text(whole[:-20])
    with pytest.raises(FileError, match=r"it is no JSON.*make it again with `autotelic evaluate`"):
        load_evaluation(tmp_path)
    path.write_text('{"format": 2}')
    with pytest.raises(FileError, match="it has changed since"):
        load_evaluation(tmp_path)
    path.write_text(whole.replace('"format": 2', '"format": 7'))
    with pytest.raises(FileError, match="it has format 7"):
        load_evaluation(tmp_path)
    path.write_text(whole)
    table = tmp_path / "evaluation.csv"
    table.write_text(table.read_text().replace("0.5", "0.6"))
    with pytest.raises(FileError, match=r"evaluation\.csv: it has changed since"):
        load_evaluation(tmp_path)
