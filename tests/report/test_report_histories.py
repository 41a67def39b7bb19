"""What the page takes from a history."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from autotelic.evaluation.statistics import interquartile_mean, interquartile_mean_interval
from autotelic.report import histories
from autotelic.report.histories import (
    compact,
    dynamics,
    learning_curves,
    smoothed_curves,
    trained_history,
)
from autotelic.runs.history import History, read_curve
from autotelic.runs.run import Runs, load
from autotelic.runs.store import SKILLS_FILE


def two_learners(epochs: int = 3) -> tuple[Any, History]:
    """Methods A (uniform) and B (which chooses) with one seed and two goals."""
    runs = SimpleNamespace(
        folder=Path("nowhere"),
        methods=["A", "B"],
        seeds=[7],
        members=[("A", 7), ("B", 7)],
        sound_members=[("A", 7), ("B", 7)],
        diverged=[],
        learning_curve=None,
        setting=SimpleNamespace(num_goals=2),
    )
    rows = [
        {
            **{"member": m, "method": "AB"[m], "seed": 7, "epoch": e, "goal": (e + m) % 2},
            **{
                "certainty": 0.1 * e + m,
                "effective_selection": 2.0 - m,
                "loss_q": 1.0,
                "loss_policy": e,
            },
            **{"prior_0": [0.5, 0.9][m], "prior_1": [0.5, 0.1][m]},
            **{"selection_0": [0.5, 0.9][m], "selection_1": [0.5, 0.1][m]},
            **{"signal_0": float("nan") if e == 0 else 0.25, "signal_1": -e},
        }
        for m in range(2)
        for e in range(epochs)
    ]
    return runs, History(pandas.DataFrame(rows))


def test_curves_are_by_method_seed_and_epoch():
    curves = learning_curves(*two_learners())
    assert [curve["label"] for curve in curves] == [
        *("Certainty q(g|s)", "Effective number of skills", "Q loss", "Policy loss"),
    ]
    (own,) = curves[0]["smoothed"]
    assert own["width"] == 1
    assert own["seeds"] == [[[0.0, 0.1, 0.2]], [[1.0, 1.1, 1.2]]]
    assert own["middle"] == [[0.0, 0.1, 0.2], [1.0, 1.1, 1.2]]
    assert own["low"] == own["high"] == [[None] * 3] * 2  # one seed
    assert curves[0]["epochs"] == [1, 2, 3]
    assert curves[0]["reference"] == {"value": 0.5, "label": "chance, 1/2"}


def test_several_visits_of_an_epoch_are_one_point_of_a_curve_and_each_a_selection():
    runs, history = two_learners(epochs=4)
    visits = History(
        history.table.assign(epoch=history.table.epoch // 2, visit=history.table.epoch % 2)
    )
    curves = learning_curves(runs, visits)
    assert curves[0]["epochs"] == [1, 2]
    assert curves[0]["smoothed"][0]["seeds"] == [[[0.05, 0.25]], [[1.05, 1.25]]]
    found = dynamics(runs, visits)
    assert (found["unit"], found["epochs"]) == ("visit", [1, 2, 3, 4])
    assert "the visit's goal was drawn from" in found["note"]
    assert "An epoch has 2 visits" in found["note"]
    assert found["members"][0]["goals"] == [0, 1, 0, 1]
    assert dynamics(runs, history)["unit"] == "epoch"


def test_measurements_come_first_without_what_was_torn_or_came_later(tmp_path: Path):
    runs, history = two_learners(epochs=4)
    (tmp_path / "learning_curve.csv").write_text(
        "member,method,seed,epoch,held_out_accuracy,mutual_information\n"
        "0,A,7,0,0.5,0.01\n1,B,7,0,0.25,0.0\n"
        "0,A,7,2,0.75,0.5\n1,B,7,2,0.5,0.25\n"
        "0,A,7,4,1.0,0.7\n1,B,7,4,0.9"
    )
    runs.learning_curve = read_curve(tmp_path / "learning_curve.csv")
    accuracy, information, *_ = learning_curves(runs, history)
    assert (accuracy["label"], information["label"]) == (
        *("Accuracy, one state", "Mutual information, nats"),
    )
    assert accuracy["epochs"] == information["epochs"] == [0, 2]
    assert accuracy["smoothed"][0]["seeds"] == [[[0.5, 0.75]], [[0.25, 0.5]]]
    assert accuracy["reference"]["value"] == 0.5
    table = history.table
    earlier, *_ = learning_curves(runs, History(table[table["epoch"] < 1]))
    assert earlier["epochs"] == [0]


def test_the_smoothing_to_begin_with_is_among_those_offered():
    offered = [
        [one["width"] for one in curve["smoothed"]]
        for epochs in (1, 3, 7, 60)
        for curve in learning_curves(*two_learners(epochs))
        if curve["smoothing"] in [one["width"] for one in curve["smoothed"]]
    ]
    assert len(offered) == 16
    assert offered[-1] == [1, 2, 6]  # of a loss: none, a round of two goals, and a tenth of the run


def test_curves_have_the_estimates_and_intervals_of_the_tables():
    values = np.random.default_rng(0).random((1, 6, 3))
    values[0, :2, 2] = np.nan  # at the last point two seeds have no value, and too few are left
    found = smoothed_curves(values)
    expected = interquartile_mean_interval(values[0, :, 1], np.random.default_rng(0))
    assert [found[name][0][1] for name in ("middle", "low", "high")] == compact(np.array(expected))
    assert found["middle"][0][2] == compact(np.array(interquartile_mean(values[0, 2:, 2])))
    assert found["low"][0][2] is found["high"][0][2] is None


def test_long_curves_are_drawn_at_some_epochs_the_first_and_last_among_them():
    curve = learning_curves(*two_learners(epochs=1000))[0]
    assert len(curve["epochs"]) == len(curve["smoothed"][0]["middle"][0]) == 200
    assert (curve["epochs"][0], curve["epochs"][-1]) == (1, 1000)


def test_dynamics_begin_with_a_method_that_chooses():
    found = dynamics(*two_learners())
    assert found["start"] == 1
    assert found["members"][0]["goals"] == [0, 1, 0]
    assert found["members"][1]["selection"] == [[0.9, 0.1]] * 3
    assert found["members"][1]["signal"] == [[None, 0.0], [0.25, -1.0], [0.25, -2.0]]


def test_long_runs_are_thinned_to_the_last_epoch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(histories, "LARGEST_DYNAMICS", 10)  # 2 learners x 8 epochs x 2 goals = 32
    found = dynamics(*two_learners(epochs=8))
    assert found["epochs"] == [4, 8]
    assert "One epoch in 4 is shown" in found["note"]
    assert found["members"][0]["certainty"] == [0.3, 0.7]
    assert len(found["members"][0]["goals"]) == 8


def test_what_a_kill_tore_is_not_read(runs: Runs, tmp_path: Path):
    folder = Path(shutil.copytree(runs.folder, tmp_path / "run"))
    (folder / SKILLS_FILE).unlink()  # which is written when a run is done
    whole = trained_history(load(folder))
    with open(folder / "history.csv", "a") as file:
        file.write("0,torn,0,6,")
    pandas.testing.assert_frame_equal(trained_history(load(folder)).table, whole.table)
    assert whole.table["epoch"].to_numpy().reshape(4, -1).tolist() == [[0, 1, 2, 3, 4, 5]] * 4


def test_a_finished_run_without_checkpoints_is_read_to_its_end(runs: Runs, tmp_path: Path):
    folder = Path(shutil.copytree(runs.folder, tmp_path / "run"))
    shutil.rmtree(folder / "checkpoints")
    again = trained_history(load(folder))
    pandas.testing.assert_frame_equal(again.table, trained_history(runs).table)


def test_numbers_keep_four_digits_and_gaps():
    assert histories.compact(np.array([0.123456, -np.inf, 98765.4])) == [0.1235, None, 98770.0]
