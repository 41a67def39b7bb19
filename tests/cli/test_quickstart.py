"""`autotelic quickstart`: pictures, numbers, and a second call that trains nothing again."""

import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from running import TINY_SETTING

from autotelic.cli import main
from autotelic.commands import quickstart as command
from autotelic.commands.quickstart import METHODS, SHOWN, choose_folder, next_steps, quickstart
from autotelic.evaluation import Judgements, mean_certainty
from autotelic.runs.history import vector
from autotelic.runs.run import load
from autotelic.selectors import DiversityProgress

SMALL = {SHOWN: DiversityProgress(offset=5, smoothing=5, temperature=0.1)}
PICTURES = {"effective_skills.png", "goal_dynamics.png", "skill_trajectories.png"}


def test_pictures_and_numbers_and_nothing_twice(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(command, "PER_GOAL", 4)
    folder = tmp_path / "quickstart"
    results = quickstart(folder, TINY_SETTING, SMALL, range(2), epochs=5)
    assert {path.name for path in folder.iterdir()} == PICTURES | {"numbers.csv", "run"}
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in PICTURES)
    history = load(folder / "run").history
    table = pandas.read_csv(folder / "numbers.csv", index_col="method")
    assert list(table.index) == list(results) == list(SMALL)
    for method, result in results.items():
        np.testing.assert_allclose(table.loc[method], result)
        last = history[(history["method"] == method) & (history["epoch"] == 4)]
        prior = vector(last[last["visit"] == last["visit"].max()], "prior")
        effective = np.exp(-(prior * np.log(prior)).sum(axis=1))
        assert result.effective_skills == pytest.approx(effective.mean())
        assert all(0 <= share <= 1 for share in result[1:])
    output = capsys.readouterr().out
    assert "compiling" in output
    assert str(folder / "goal_dynamics.png") in output
    assert f"report {folder / 'run'}" in output.partition("What to do next:")[2]

    trained = (folder / "run" / "history.csv").read_bytes()
    monkeypatch.setattr(command, "draw", lambda folder, runs: None)
    monkeypatch.setattr(command, "evaluate", lambda runs: results)
    quickstart(folder, TINY_SETTING, SMALL, range(2), epochs=5)
    assert "compiling" not in capsys.readouterr().out
    assert (folder / "run" / "history.csv").read_bytes() == trained


@pytest.mark.parametrize(
    ("on_path", "shell", "said"),
    [
        ("venv", "bash", ["autotelic report quickstart/run"]),
        ("", "zsh", ["source venv/bin/activate", "autotelic report quickstart/run"]),
        (
            "other",
            "/usr/bin/fish",
            ["source venv/bin/activate.fish", "autotelic report quickstart/run"],
        ),
    ],
)
def test_the_next_commands_run_in_the_users_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_path: str, shell: str, said: list[str]
):
    monkeypatch.chdir(tmp_path)
    for name in ("venv", "other"):
        scripts = tmp_path / name / "bin"
        scripts.mkdir(parents=True)
        for program in ("autotelic", "activate", "activate.fish"):
            (scripts / program).touch(mode=0o755)
    environment = {"PATH": f"{on_path}/bin", "SHELL": shell}
    lines = next_steps(Path("quickstart/run"), tmp_path / "venv" / "bin", environment)
    assert [line.split("  ")[0] for line in lines[: len(said)]] == said
    assert lines[-2].startswith("autotelic train navigation2d --out runs/first  #")


def test_without_an_environment_to_activate_python_runs_the_next_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    report, train, _ = next_steps(tmp_path / "a run", tmp_path, {"PATH": ""})
    assert report.startswith(f"{sys.executable} -m autotelic report 'a run'")
    assert train.startswith(f"{sys.executable} -m autotelic train navigation2d")


def test_the_methods_are_those_of_figure_1a_and_the_learned_prior():
    assert list(METHODS) == ["DIAYN", "VIC", "DP, T = 0.1", "Learned prior"]
    assert METHODS[SHOWN] == DiversityProgress(offset=250, smoothing=250, temperature=0.1)


def test_certainty_is_the_mean_probability_of_the_own_goal():
    own = np.array([[[0.9, 0.5]], [[0.2, np.nan]]])  # [goals, trajectories, steps]
    probabilities = np.stack([own, 1 - own], axis=-1)
    probabilities[1] = probabilities[1, ..., ::-1]
    judged = Judgements(np.log(probabilities), np.array([[2], [1]]))
    # Every goal weighs the same: (0.9 + 0.5) / 2 of the first, 0.2 of the second.
    assert mean_certainty(judged) == pytest.approx((0.7 + 0.2) / 2)


def test_folders_of_others_are_left_alone(tmp_path: Path, capsys):
    folder = tmp_path / "quickstart"
    assert choose_folder(folder, fresh=False) == folder
    folder.mkdir()
    assert choose_folder(folder, fresh=False) == folder  # empty
    (folder / "thesis.tex").write_text("mine")
    assert main(["quickstart", "--out", str(folder)]) == 2
    assert "holds other files and no quickstart" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]
    assert main(["quickstart", "--out", str(folder / "thesis.tex")]) == 2
    assert "is a file" in capsys.readouterr().err
    for words in (["--out", ""], ["--out="], ["--out", " "]):
        assert main(["quickstart", *words]) == 2
        assert "--out is given an empty text; give it a value" in capsys.readouterr().err


def test_fresh_takes_the_first_free_name(tmp_path: Path):
    folder = tmp_path / "quickstart"
    assert choose_folder(folder, fresh=True) == folder
    folder.mkdir()
    (tmp_path / "quickstart-2").write_text("a file of this name")
    assert choose_folder(folder, fresh=True) == tmp_path / "quickstart-3"
