"""A run in which one learner diverged, from the shell and from Python: it is left out, and named."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from running import TINY
from tiny_runs import poison

from autotelic import figures
from autotelic.cli import main
from autotelic.evaluation import sample_trajectories
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.health import history_alarms
from autotelic.evaluation.results import load_evaluation
from autotelic.figures.learning_curves import curves_of
from autotelic.report import report_page
from autotelic.report.histories import dynamics, learning_curves, trained_history
from autotelic.runs.diverged import (
    DIVERGED_FILE,
    LearnersDiverged,
    read_diverged,
    write_diverged,
)
from autotelic.runs.history import History
from autotelic.runs.run import load

METHODS = ("diayn", "dp:offset=5,smoothing=5")
WORDS = [*TINY[: TINY.index("--seeds")], "--seeds", "2", "--replay-capacity", "60"]
EPOCHS, SINCE = 4, 1
LOST = ("diayn", 0)
"""The first learner: what shows one learner alone takes the next."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which the first of four learners diverges in its second epoch; not to be changed."""
    out = tmp_path_factory.mktemp("diverged") / "run"
    words = ["train", "navigation2d", *WORDS, "--epochs", str(EPOCHS), "--evaluate-every", "2"]
    with pytest.MonkeyPatch.context() as patch:
        poison(patch, *LOST, SINCE)
        assert main([*words, "--out", str(out)]) == 1
    assert main(["evaluate", str(out), "--per-goal", "4"]) == 0
    return out


def test_the_shell_names_it_and_ends_with_1_also_when_the_run_is_resumed_or_prolonged(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    before = (copy / "history.csv").read_bytes()
    for more in ((), ("--epochs", str(EPOCHS + 2))):
        assert main(["train", "--resume", "--out", str(copy), *more]) == 1
        told = capsys.readouterr()
        assert "holds the run" in told.out
        assert "1 of 4 learners diverged and is left out: diayn, seed 0" in told.err
        assert re.search(
            r"of member 0 \(diayn, seed 0\) became NaN or infinite in epoch 1", told.err
        )
        assert "LearnersDiverged" not in told.err
    assert (copy / "history.csv").read_bytes().startswith(before)
    history = load(copy).history
    assert history.groupby("member")["epoch"].max().tolist() == [EPOCHS + 1] * 4
    assert history.groupby("member")["certainty"].count().tolist() == [SINCE, *[EPOCHS + 2] * 3]


def test_the_display_says_how_many_and_leaves_their_numbers_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    poison(monkeypatch, *LOST, SINCE)
    words = ["train", "navigation2d", *WORDS, "--epochs", str(EPOCHS), "--out", str(tmp_path)]
    assert main(words) == 1
    told = capsys.readouterr().out
    assert "1 learner diverged" in told
    assert "It is left out from here on" in told
    assert "nan" not in told.lower().replace("became nan", "")


def test_its_skills_are_left_out_and_refused(folder: Path):
    runs = load(folder)
    assert runs.sound_members == runs.members[1:]
    with pytest.warns(LearnersDiverged, match=r"1 of 4 learners diverged .*: diayn, seed 0$"):
        found = sample_trajectories(runs, 2)
    assert list(found.members) == runs.members[1:]
    assert np.isfinite(found.observations[..., :2, :]).all()
    with pytest.raises(ValueError, match=r"\('diayn', 0\) has no skills, leave it out: the .* NaN"):
        sample_trajectories(runs, 2, members=[LOST])
    assert sample_trajectories(runs, 2, members=[LOST], untrained=True).members == (LOST,)


def test_an_evaluation_is_of_the_others_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    found = load_evaluation(folder)
    trained = found.table[found.table["trained"]]
    assert sorted(trained["member"].unique()) == [1, 2, 3]
    assert np.isfinite(trained.loc[trained["metric"] == "trajectory_accuracy", "value"]).all()
    seeds = {(row.method, row.trained): row.seeds for row in found.summary()}
    assert seeds == {(m, t): 1 if (m, t) == ("diayn", True) else 2 for m in METHODS for t in (1, 0)}
    assert json.loads((folder / "evaluation.json").read_text())["diverged"][0]["seed"] == 0
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert main(["evaluate", str(copy), "--per-goal", "4"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "1 of 4 learners diverged and is left out: diayn, seed 0" in told
    assert found.diverged[0].sentence in told


def test_no_alarm_sounds_for_it(folder: Path):
    history = load(folder).history
    found = {alarm.member for alarm in history_alarms(History(pandas.concat([history] * 20)))}
    assert found and LOST not in found  # the others are at chance for as long


@pytest.mark.thorough
def test_figures_leave_it_out_or_end_with_it(folder: Path, capsys: pytest.CaptureFixture[str]):
    runs = load(folder)
    curves = curves_of(runs)
    assert {len(panel["diayn"].values) for panel in curves.values()} == {1}
    assert {len(panel[METHODS[1]].values) for panel in curves.values()} == {2}
    assert all(np.isfinite(c.values).all() for panel in curves.values() for c in panel.values())
    measured = curves[METRICS["trajectory_accuracy"].label]
    assert measured["diayn"].epochs.tolist() == [0, 2, 4]
    lines = History(runs).effective_curves()["diayn"]
    assert np.isfinite(lines).sum(axis=1).tolist() == [SINCE + 1, EPOCHS]
    assert len(History(runs).learner(*LOST).goals) == SINCE + 1
    figures.goal_dynamics(runs, *LOST).draw_without_rendering()
    figures.comparison(load_evaluation(folder)).draw_without_rendering()
    out = folder.parent / "figures"
    assert main(["figures", str(folder), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 of 4 learners diverged and is left out: diayn, seed 0")
    assert (out / "skill_trajectories_0_diayn.png").exists()


def test_the_page_names_it_near_the_top_and_has_no_values_of_it(folder: Path):
    runs = load(folder)
    page = report_page(runs, render=False)
    sentence = runs.diverged[0].sentence
    assert 0 < page.index(sentence[1:].replace("'", "&#x27;")) < page.index("<h3>Alarms</h3>")
    assert "1 of 4 learners diverged and is left out: diayn, seed 0" in page
    history = trained_history(runs)
    for curve in learning_curves(runs, history):
        for smoothed in curve["smoothed"]:
            lost, sound = smoothed["seeds"][0]
            assert set(lost) == {None}, curve["label"]
            assert None not in sound, curve["label"]
            assert smoothed["middle"][0] == sound, curve["label"]
    found = dynamics(runs, history)["members"]
    assert [goal is None for goal in found[0]["goals"]] == [False] * (SINCE + 1) + [True] * 2
    assert None not in found[1]["goals"]
    data: Any = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    shown = [(one["method"], one["seed"]) for one in data["skills"]["members"]]
    assert shown == runs.members[1:]


@pytest.mark.thorough
def test_a_method_of_which_nobody_is_left_says_so(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    [lost] = read_diverged(copy)
    write_diverged(copy, [lost, lost._replace(member=1, seed=1)])
    runs = load(copy)
    with pytest.raises(ValueError, match="all learners of diayn have diverged; the first: the"):
        runs.example("diayn")
    assert main(["figures", str(copy)]) == 0
    told = capsys.readouterr().out
    assert "goal_dynamics_0_diayn is left out: all learners of diayn have diverged" in told
    assert "skill_trajectories_0_diayn is left out" in told
    assert (copy / "figures" / "skill_embedding.png").exists()
    (copy / "evaluation.json").unlink()
    page = report_page(runs, render=False)
    assert "2 of 4 learners diverged and are left out: diayn, seed 0; diayn, seed 1" in page


def test_a_damaged_list_is_named(folder: Path, tmp_path: Path):
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    for text in ("{", '[{"member": 1}]', '{"format": 2, "diverged": [{"member": 1}]}'):
        (copy / DIVERGED_FILE).write_text(text)
        with pytest.raises(ValueError, match=r"diverged\.json: "):
            _ = load(copy).diverged
