"""The tables of results, from evaluations made by hand."""

import dataclasses
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import pytest

from autotelic.evaluation.results import COLUMNS, Evaluation, EvaluationSetting, load_evaluation
from autotelic.report import results as module
from autotelic.report.results import (
    Measured,
    best_methods,
    by_method,
    evaluation_of,
    keep_evaluation,
    results,
    shown_method,
)
from autotelic.runs.run import Runs

SCORES = {"A": [0.9, 0.9, 0.9], "B": [0.5, 0.5, 0.5], "C": [0.88, 0.9, 0.95]}


def evaluation(scores: dict[str, list[float]] = SCORES, epochs: int = 6) -> Evaluation:
    """Accuracies of three methods; untrained skills are at 0.1."""
    rows = [
        (number, method, seed, trained, "trajectory_accuracy", value if trained else 0.1)
        for trained in (True, False)
        for number, (method, values) in enumerate(scores.items())
        for seed, value in enumerate(values)
    ]
    setting = EvaluationSetting(epochs=epochs, per_goal=20, steps=100, seed=0)
    return Evaluation(setting, pandas.DataFrame(rows, columns=pandas.Index(COLUMNS)), [])


def page_of(methods: list[str], made: Evaluation) -> str:
    return results(methods, made.setting, by_method(made))


def rows_of(page: str) -> list[list[str]]:
    """The cells of the first table's body, without markup."""
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert body is not None
    return [
        [re.sub(r"<[^>]*>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", body[1], re.DOTALL)
    ]


def test_methods_stand_above_the_null_with_their_intervals():
    rows = rows_of(page_of(["A", "B"], evaluation({"A": [0.9] * 5, "B": [0.5] * 5})))
    assert [row[0] for row in rows] == ["A", "B", "untrained skills (null)"]
    assert [" ".join(row[1].split()) for row in rows[:2]] == [
        *("0.900 0.900 to 0.900", "0.500 0.500 to 0.500"),
    ]
    assert rows[2][1].startswith("0.100")


def test_fewer_than_five_seeds_are_drawn_themselves_without_an_interval():
    page = page_of(["A", "B", "C"], evaluation())
    assert [row[1] for row in rows_of(page)][:3] == ["0.900", "0.500", "0.910"]
    assert page.count('class="seed"') == 12  # three of each method, and of the untrained
    assert "3 seeds; dots are the seeds, too few for an interval" in page


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        # Differences of C from A: -0.02, 0, 0.05; Student's interval, 0.01 +- 4.30 x 0.021, holds 0.
        # Those of B are -0.4 throughout.
        (SCORES, ["C", "A"]),
        ({"A": [0.9, 0.8, 0.7], "B": [0.9, 0.8, 0.7], "C": [0.1, 0.2, 0.1]}, ["A", "B"]),
        # Ahead in every seed by 0.05 on average: -0.05 +- 4.30 x 0.0058 ends at -0.025.
        ({"A": [0.5, 0.7, 0.9], "B": [0.56, 0.75, 0.94]}, ["B"]),
        ({"A": [0.9], "B": [0.1]}, ["A", "B"]),  # one seed tells nothing
    ],
)
def test_the_best_methods_are_all_that_the_seeds_do_not_tell_from_the_best(
    scores: dict[str, list[float]], best: list[str]
):
    found = by_method(evaluation(scores))
    assert best_methods(list(scores), found, "trajectory_accuracy") == best


def test_where_less_is_better_the_lowest_is_best_and_where_neither_is_none():
    found = {
        (method, metric): Measured(value, None, None, {0: value, 1: value})
        for method, value in (("A", 0.5), ("B", 0.1))
        for metric in ("held_out_nll", "selection_gini")
    }
    assert best_methods(["A", "B"], found, "held_out_nll") == ["B"]
    assert best_methods(["A", "B"], found, "selection_gini") == []


def test_bold_are_the_best_methods():
    page = page_of(["A", "B", "C"], evaluation())
    bold = re.findall(r'<td class="best">([\d.]+)', page)
    assert bold == ["0.900", "0.910"]  # (0.88 + 0.9 + 0.95) / 3 of three seeds, none cut off


def test_one_seed_has_no_interval_and_no_winner():
    page = page_of(["A", "B"], evaluation({"A": [0.9], "B": [0.5]}))
    assert 'class="best"' not in page
    assert "There is one seed" in page
    assert rows_of(page)[0][1] == "0.900"


def test_the_method_shown_first_is_the_best_and_reaches_most_goals_where_goals_are_places():
    runs: Any = SimpleNamespace(sound_members=[("A", 0), ("A", 1), ("B", 0)])
    measured = {"A": (0.9, 0.3), "B": (0.4, 0.6)}
    found = {
        (method, metric): Measured(value, None, None, {0: value})
        for method, values in measured.items()
        for metric, value in zip(("trajectory_accuracy", "success"), values, strict=True)
    }
    assert shown_method(runs, found) == "B"
    assert shown_method(runs, {}) == "A"


def test_an_evaluation_on_disk_is_used_while_it_is_of_the_latest_epoch_and_one_is_kept(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = dataclasses.replace(runs, folder=tmp_path / "run")
    shutil.copytree(runs.folder, run.folder, ignore=shutil.ignore_patterns("evaluation.*"))
    asked = []

    def evaluate(runs: Runs, per_goal: int, steps: int, processes: int) -> Evaluation:
        asked.append((per_goal, steps, processes))
        return evaluation(epochs=runs.epochs)

    monkeypatch.setenv("AUTOTELIC_CORES", "3")
    monkeypatch.setattr(module, "evaluate", evaluate)
    made = evaluation_of(run)
    assert asked == [(20, runs.description["sizes"]["episode_length"], 3)]
    keep_evaluation(run)
    assert len(asked) == 2  # nothing was kept until now
    assert evaluation_of(run).summary() == made.summary()
    keep_evaluation(run)
    assert len(asked) == 2
    evaluation(epochs=run.epochs - 1).save(run.folder)
    keep_evaluation(run)
    assert len(asked) == 3 and load_evaluation(run.folder).setting.epochs == run.epochs


def test_a_page_of_a_run_that_nobody_may_write_to_keeps_no_evaluation(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = dataclasses.replace(runs, folder=tmp_path / "run")
    shutil.copytree(runs.folder, run.folder, ignore=shutil.ignore_patterns("evaluation.*"))
    monkeypatch.setattr(module, "evaluate", lambda *a, **k: pytest.fail("for nothing"))
    monkeypatch.setattr(module.os, "access", lambda path, mode: path != run.folder)
    keep_evaluation(run)
    assert not (run.folder / "evaluation.json").exists()
