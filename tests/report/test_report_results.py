"""The tables of results, from evaluations made by hand."""

import re

import pandas
import pytest

from autotelic.evaluation.results import COLUMNS, Estimate, Evaluation, EvaluationSetting
from autotelic.report import results as module
from autotelic.report.results import best_method, by_method, evaluation_of, results
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
    rows = rows_of(page_of(["A", "B", "C"], evaluation()))
    assert [row[0] for row in rows] == ["A", "B", "C", "untrained skills (null)"]
    assert [" ".join(row[1].split()) for row in rows[:2]] == [
        *("0.900 0.900 to 0.900", "0.500 0.500 to 0.500"),
    ]
    assert rows[3][1].startswith("0.100")


def test_bold_are_those_whose_intervals_overlap_with_the_best():
    page = page_of(["A", "B", "C"], evaluation())
    bold = re.findall(r'<td class="best">([\d.]+)', page)
    assert bold == ["0.900", "0.910"]  # (0.88 + 0.9 + 0.95) / 3 of three seeds, none cut off


def test_one_seed_has_no_interval_and_no_winner():
    page = page_of(["A", "B"], evaluation({"A": [0.9], "B": [0.5]}))
    assert 'class="best"' not in page
    assert "There is one seed" in page
    assert rows_of(page)[0][1] == "0.900"


def test_the_best_method_is_told_apart_best():
    assert best_method(["A", "B", "C"], by_method(evaluation())) == "C"
    assert best_method(["A", "B", "C"], {}) == "A"


def test_where_goals_are_places_the_best_method_reaches_most_of_them():
    measured = {"A": (0.9, 0.3), "B": (0.4, 0.6)}
    found = {
        (method, metric): Estimate(method, True, metric, 1, value, None, None)
        for method, values in measured.items()
        for metric, value in zip(("trajectory_accuracy", "success"), values, strict=True)
    }
    assert best_method(["A", "B"], found) == "B"


def test_an_evaluation_on_disk_is_used_while_it_is_of_the_latest_epoch(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
):
    made = evaluation()
    monkeypatch.setenv("AUTOTELIC_CORES", "3")
    monkeypatch.setattr(
        module,
        "evaluate",
        lambda runs, per_goal, steps, processes: (per_goal, steps, processes),
    )
    monkeypatch.setattr(module, "load_evaluation", lambda folder: made)
    whole = (20, runs.description["sizes"]["episode_length"], 3)
    assert evaluation_of(runs) == whole  # there is none on disk
    (runs.folder / "evaluation.json").touch()
    try:
        assert evaluation_of(runs) is made
        older = evaluation(epochs=5)
        monkeypatch.setattr(module, "load_evaluation", lambda folder: older)
        assert evaluation_of(runs) == whole
    finally:
        (runs.folder / "evaluation.json").unlink()
