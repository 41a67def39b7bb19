"""`autotelic evaluate`: a table for people, files for programs, and what it refuses."""

import io
import shutil
from pathlib import Path

import numpy as np
import pandas
import pytest
from rich.console import Console
from rich.progress import Progress
from running import train_words

from autotelic.cli import main
from autotelic.commands.evaluate import DASH, TimeLeft, as_table
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.results import Estimate, load_evaluation
from autotelic.runs.history import vector


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one seed; copy it before you write into it."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert main(train_words(folder, 4)) == 0
    return folder


def test_one_seed_has_values_without_intervals_and_says_so(trained: Path, tmp_path: Path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    assert main(["evaluate", str(folder), "--per-goal", "4", "--steps", "5"]) == 0
    output = capsys.readouterr().out
    assert "One seed: intervals need at least 5; train more seeds" in output
    assert "accuracy, one state" in output
    assert METRICS["spread_density"].label not in output  # only with --all
    found = load_evaluation(folder)
    assert found.setting == (4, 4, 5, 0)
    table = pandas.read_csv(folder / "evaluation.csv")
    assert table.columns.tolist() == ["member", "method", "seed", "trained", "metric", "value"]
    prior = vector(pandas.read_csv(folder / "history.csv").query("epoch == 3"), "prior")
    last = np.exp(-(prior * np.log(prior)).sum(axis=1))
    skills = table.query("metric == 'effective_skills'")
    assert skills["trained"].all()
    assert skills["value"].tolist() == pytest.approx(last.tolist())
    assert {row.low for row in found.summary()} == {None}


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys):
    assert main(["evaluate", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--steps", "0"], "--steps must be at least 1, got 0"),
        (["--per-goal", "0"], "--per-goal must be at least 2, got 0"),
        (["--per-goal", "1" + "0" * 18], "--per-goal must be at most 2147483647"),
        (["--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--per-goal", "2000000000"], "trajectories of 100 steps needs at least"),
    ],
)
def test_what_cannot_be_sampled_is_refused_before_work_starts(trained: Path, words, said, capsys):
    before = sorted(path.name for path in trained.iterdir())
    assert main(["evaluate", str(trained), *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in trained.iterdir()) == before


def test_a_run_without_a_checkpoint_or_of_another_version_is_refused(
    trained: Path, tmp_path: Path, capsys
):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    shutil.rmtree(folder / "checkpoints")
    (folder / "skills.npz").unlink()
    assert main(["evaluate", str(folder)]) == 2
    assert "has no checkpoint yet" in capsys.readouterr().err
    description = (folder / "run.json").read_text()
    (folder / "run.json").write_text(description.replace('"format": 2', '"format": 9'))
    assert main(["evaluate", str(folder)]) == 2
    assert "has format 9" in capsys.readouterr().err
    assert not (folder / "evaluation.json").exists()


def test_the_table_has_a_column_for_each_method_and_takes_names_as_they_are():
    summary = [
        Estimate("[red]VIC[/red]", False, "knn_f1", 2, 0.05, 0.04, 0.06),
        Estimate("[red]VIC[/red]", True, "knn_f1", 2, 0.5, 0.25, 0.75),
        Estimate("[red]VIC[/red]", True, "silhouette", 2, 0.5, 0.25, 0.75),
    ]
    console = Console(width=100, file=io.StringIO())
    console.print(as_table(summary, ["[red]VIC[/red]"], "a run", every_metric=False))
    text = console.file.getvalue()
    assert "[red]VIC[/red]" in text and "untrained" in text
    assert "KNN-F1" in text and "silhouette" not in text
    assert f"0.25{DASH}0.75" in text and f"0.040{DASH}0.060" in text


def test_no_digit_is_lost_in_a_narrow_terminal():
    methods = [f"dp:temperature=0.{n},normalization=l2" for n in (1, 2, 3)]
    summary = [
        Estimate(method, trained, metric, 3, 287.12, 286.34, 289.56)
        for method in methods
        for trained in (True, False)
        for metric in ("knn_f1", "trajectory_accuracy")
    ]
    console = Console(width=80, file=io.StringIO())
    console.print(as_table(summary, methods, "a run", every_metric=False))
    words = console.file.getvalue().split()
    assert words.count("287.1") == words.count(f"286.3{DASH}289.6") == 8
    for method in methods:
        assert method[:12] in console.file.getvalue()
    assert max(map(len, console.file.getvalue().splitlines())) <= 80


def test_the_time_left_is_the_expected_one_until_something_is_done():
    now = [0.0]
    left = TimeLeft(expected=95.0)
    with Progress(left, console=Console(file=io.StringIO()), get_time=lambda: now[0]) as bar:
        number = bar.add_task("", total=None)
        task = bar.tasks[0]
        assert left.render(task).plain == "about 1:35 left"
        now[0] = 30.0
        assert left.render(task).plain == "about 1:05 left"
        now[0] = 200.0
        assert left.render(task).plain == "about 0:00 left"
        # One of three took 200 s, so two take 400.
        bar.update(number, completed=1, total=3, since=200.0)
        assert left.render(task).plain == "about 6:40 left"
        now[0] = 300.0
        assert left.render(task).plain == "about 5:00 left"
