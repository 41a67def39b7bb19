"""`autotelic export`: which learner, where to, and what it refuses."""

from pathlib import Path

import numpy as np
import pytest
from running import train_words

import autotelic as at
from autotelic.cli import main


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert main(train_words(folder, 2)) == 0
    return folder


def test_a_learner_is_exported_and_loaded(trained: Path, tmp_path: Path, capsys):
    out = tmp_path / "skills.npz"
    assert (
        main(["export", str(trained), "--method", "diayn", "--seed", "0", "--out", str(out)]) == 0
    )
    assert f"{out} holds 3 skills of diayn, seed 0" in capsys.readouterr().out
    skills = at.Skills.load(out)
    assert skills.act(np.array([0.5, 0.5]), 2).shape == (2,)


def test_the_seed_may_be_left_out_and_one_of_several_methods_not(
    trained: Path, tmp_path: Path, capsys
):
    out = str(tmp_path / "skills.npz")
    assert main(["export", str(trained), "--method", "diayn", "--out", out]) == 0
    capsys.readouterr()
    assert main(["export", str(trained), "--out", out]) == 2
    error = capsys.readouterr().err
    assert "has several methods; choose one with --method: diayn, dp" in error


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--method", "diay"], "Did you mean 'diayn'?"),
        (["--method", "diayn", "--seed", "9"], "seed 9 is not in the run"),
    ],
)
def test_a_learner_that_is_not_there_is_refused(
    trained: Path, tmp_path: Path, capsys, words: list[str], expected: str
):
    assert main(["export", str(trained), *words, "--out", str(tmp_path / "x.npz")]) == 2
    error = capsys.readouterr().err
    assert expected in error and "Traceback" not in error
    assert not list(tmp_path.iterdir())


def test_the_runs_own_skills_are_never_replaced(trained: Path, capsys):
    before = (trained / "skills.npz").read_bytes()
    words = ["export", str(trained), "--method", "diayn", "--out", str(trained / "skills.npz")]
    assert main(words) == 2
    assert "choose another name" in capsys.readouterr().err
    assert (trained / "skills.npz").read_bytes() == before
