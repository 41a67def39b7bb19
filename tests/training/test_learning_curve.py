"""Evaluation while training: it changes nothing, and its curve survives interruptions."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tiny_runs import (
    EPOCHS,
    METHODS,
    SaveableCorridor,
    Stop,
    StopAfter,
    assert_same_run,
    copied,
    run,
    tiny,
    tiny_gymnasium,
)

from autotelic.evaluation import held_out_accuracy, sample_trajectories
from autotelic.evaluation.catalogue import curve_metrics
from autotelic.runs import atomic
from autotelic.runs.history import vector
from autotelic.runs.run import load
from autotelic.runs.store import CheckpointStore
from autotelic.selectors import effective_number_of_skills
from autotelic.training.learning_curve import EFFECTIVE, PER_GOAL, LearningCurve
from autotelic.training.run_state import RunState

pytestmark = pytest.mark.usefixtures("same_crews")
EVERY = 2


@pytest.fixture(scope="module")
def evaluated(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated") / "run"
    run(folder, evaluate_every=EVERY, checkpoint_every=3)
    return folder


def curve(folder: Path) -> pandas.DataFrame:
    return pandas.read_csv(folder / "learning_curve.csv")


def test_a_run_is_the_same_with_and_without_evaluation(evaluated: Path, finished: Path):
    assert_same_run(evaluated, finished)
    assert not (finished / "learning_curve.csv").exists()


def test_so_is_one_in_a_gymnasium_environment(tmp_path: Path):
    setting = tiny_gymnasium(SaveableCorridor)
    run(tmp_path / "with", setting=setting, evaluate_every=1)
    run(tmp_path / "without", setting=setting)
    assert_same_run(tmp_path / "with", tmp_path / "without")
    assert len(curve(tmp_path / "with")) == (EPOCHS + 1) * len(METHODS)


def test_the_curve_has_every_member_from_the_untrained_skills_to_the_last(evaluated: Path):
    found = curve(evaluated)
    assert list(found.columns) == ["member", "method", "seed", "epoch", *curve_metrics(), EFFECTIVE]
    assert found["epoch"].tolist() == [0, 0, 2, 2, 4, 4]
    assert found["method"].tolist() == [*METHODS] * 3
    runs = load(evaluated)
    for epoch, untrained in ((0, True), (EPOCHS, False)):
        fresh = held_out_accuracy(sample_trajectories(runs, PER_GOAL, untrained=untrained))
        rows = found[found["epoch"] == epoch]
        np.testing.assert_allclose(rows["held_out_accuracy"], fresh.per_step)
        np.testing.assert_allclose(rows["trajectory_accuracy"], fresh.per_trajectory)
    # Methods share their first networks, so they begin alike; what is learned moves the curve.
    assert found.loc[0, [*curve_metrics()]].equals(found.loc[1, [*curve_metrics()]])
    measured = found.drop(columns=["method", "seed", EFFECTIVE]).dropna(axis=1)
    # Of ground without bounds:
    without = {"cells_visited", "cells_visited_per_skill", "covered_cells"}
    assert {*measured.columns} == {"member", "epoch"} | (curve_metrics().keys() - without)
    assert measured["grid_coverage"].between(1 / 400, 1.0).all()
    assert found.loc[0, "discriminator_accuracy"] != found.loc[4, "discriminator_accuracy"]


def test_selection_is_that_of_the_latest_goals(evaluated: Path):
    found = curve(evaluated).set_index(["epoch", "member"])[EFFECTIVE]
    assert found.loc[0].isna().all()
    for epoch in (2, 4):
        rows = load(evaluated).history.query("epoch == @epoch - 1")
        np.testing.assert_allclose(
            found.loc[epoch], effective_number_of_skills(vector(rows, "prior"))
        )


def test_members_are_measured_alike_however_many_at_once(
    evaluated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("autotelic.evaluation.rollouts.LARGEST_CHUNK", 1)
    run(tmp_path, evaluate_every=EVERY, checkpoint_every=3)
    assert curve(tmp_path).equals(curve(evaluated))


def test_a_kill_between_measurement_and_checkpoint_leaves_nothing_twice(
    evaluated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def killed(state: RunState) -> None:
        if state.crews[0].epoch == 4:
            raise Stop
        checkpoint(state)

    checkpoint = RunState.checkpoint
    with monkeypatch.context() as patched, pytest.raises(Stop):
        patched.setattr(RunState, "checkpoint", killed)
        run(tmp_path, evaluate_every=EVERY, checkpoint_every=2)
    assert curve(tmp_path)["epoch"].max() == 4
    assert CheckpointStore(tmp_path).epochs == [2]
    run(tmp_path, resume=True)
    assert curve(tmp_path).equals(curve(evaluated))
    assert_same_run(tmp_path, evaluated)


@pytest.mark.parametrize(
    "after",
    [pytest.param(0, marks=pytest.mark.thorough), 2, pytest.param(3, marks=pytest.mark.thorough)],
)
def test_a_resumed_run_has_the_same_curve(evaluated: Path, tmp_path: Path, after: int):
    with pytest.raises(Stop):
        run(tmp_path, evaluate_every=EVERY, checkpoint_every=3, observers=[StopAfter(after)])
    with open(tmp_path / "learning_curve.csv", "a") as file:
        file.write("0,DIAYN,0,")  # torn by a kill
    run(tmp_path, resume=True)  # goes on evaluating without being told
    assert (tmp_path / "learning_curve.csv").read_bytes() == (
        evaluated / "learning_curve.csv"
    ).read_bytes()
    assert_same_run(tmp_path, evaluated)


def test_a_finished_run_is_not_measured_twice_and_a_longer_one_goes_on(
    evaluated: Path, tmp_path: Path
):
    folder = copied(evaluated, tmp_path / "run")
    run(folder, resume=True, evaluate_every=EVERY)
    assert curve(folder).equals(curve(evaluated))
    run(folder, resume=True, epochs=EPOCHS + 3)
    longer = curve(folder)
    assert longer[: len(curve(evaluated))].equals(curve(evaluated))
    assert longer["epoch"].unique().tolist() == [0, 2, 4, 6]


def test_checkpoints_are_where_they_were_asked_for(tmp_path: Path):
    run(tmp_path, epochs=7, checkpoint_every=3, evaluate_every=2)
    assert CheckpointStore(tmp_path).epochs == [6, 7]  # the last two of 3, 6 and the end


def test_other_epochs_than_the_run_was_begun_with_are_refused(
    evaluated: Path, finished: Path, tmp_path: Path
):
    before = (evaluated / "learning_curve.csv").read_bytes()
    with pytest.raises(ValueError, match=r"is 3, but the run on disk was evaluated every 2 epochs"):
        run(evaluated, resume=True, evaluate_every=3)
    assert (evaluated / "learning_curve.csv").read_bytes() == before
    with pytest.raises(ValueError, match="was evaluated not at all"):
        run(copied(finished, tmp_path / "run"), resume=True, evaluate_every=2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"evaluate_every": 0}, "evaluate_every must be at least 1, got 0"),
        ({"evaluate_every": 1, "setting": tiny(num_goals=1)}, "num_goals is 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_a_folder_is_made(
    tmp_path: Path, changes: dict[str, Any], said: str
):
    with pytest.raises(ValueError, match=said):
        run(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


def test_without_scikit_learn_it_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.neighbors", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'autotelic\[report\]'"):
        run(tmp_path / "run", evaluate_every=1)
    assert not (tmp_path / "run").exists()


def test_a_run_begun_with_fewer_metrics_goes_on_with_them(tmp_path: Path):
    columns = ["member", "method", "seed", "epoch", "knn_f1", EFFECTIVE]
    lines = [",".join(columns), "0,DP,0,0,0.5,", "0,DP,0,2,0.6,1.0"]
    data = "".join(f"{line}\n" for line in lines).encode()
    written = atomic.write_bytes(tmp_path / "learning_curve.csv", data)
    setting = tiny()
    environment = setting.make_environment()
    found = LearningCurve(tmp_path, setting, environment, [("DP", 0)], EVERY, 2, written)
    assert list(found.metrics) == ["knn_f1"]
    assert found.writer.columns == columns
