"""`autotelic adapt`: what it says, writes and refuses; the learning ways are in tests/downstream."""

from pathlib import Path

import numpy as np
import pytest
from directions import CORNERS, STEP, corner_skills
from made_skills import noisy_run

from autotelic.cli import main
from autotelic.downstream.zero_shot_goals import zero_shot_goals

TASK = "autotelic/Navigation2DGoal-v0"


@pytest.fixture
def file(tmp_path: Path) -> str:
    corner_skills().save(tmp_path / "skills.npz")
    return str(tmp_path / "skills.npz")


def test_ways_are_listed(capsys):
    assert main(["adapt"]) == 0
    said = capsys.readouterr().out
    assert all(way in said for way in ("best", "fine-tune", "meta", "zero-shot", "imitate"))


def test_best_says_which_skill_and_writes_it(file: str, tmp_path: Path, capsys):
    words = ["adapt", "best", file, "--task", TASK, "--rollouts", "4", "--out", str(tmp_path / "o")]
    words += ["--task-options", "goal=(0.1,0.9)", "max_episode_steps=9"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f"skill 1 in {TASK}" in said and "round-robin" in said and "success 0.00" in said
    assert (tmp_path / "o" / "seed_0" / "best_skill.json").exists()


def test_imitate_says_which_skill(file: str, tmp_path: Path, capsys):
    np.save(tmp_path / "way.npy", 0.5 + STEP * np.arange(8)[:, None] * CORNERS[2])
    words = ["adapt", "imitate", file, "--trajectory", str(tmp_path / "way.npy"), "--rollouts", "2"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "skill 2 of 4" in said and "imitated skill  0.00" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bset", "FILE"], "Did you mean 'best'?"),
        (["best", "FILE"], "--task is missing"),
        (["best", "gone.npz", "--task", TASK], "gone.npz is not there"),
        (
            ["best", "FILE", "--task", "Ant-v5"],
            "is a task of Ant-v5, and the skills were trained in",
        ),
        (["best", "FILE", "--task", TASK, "--task-options", "x"], "reads NAME=VALUE"),
        (
            ["best", "FILE", "--task", "autotelic/Navigation2D-v0"],
            "is a task of autotelic/Navigation2D",
        ),
        (["fine-tune", "FILE", "--task", TASK], "--out is missing"),
        (
            ["fine-tune", "FILE", "--task", TASK, "--out", "OUT", "--goal", "9"],
            "goal must be from 0 to 3",
        ),
        (["meta", "FILE", "--task", TASK, "--out", "OUT", "--seeds", "x"], "--seeds must be"),
        (["imitate", "FILE"], "--trajectory is missing"),
        (["imitate", "FILE", "--trajectory", "FILE"], "shape"),
        (["imitate", "FILE", "--trajectory", "nowhere.npy"], "nowhere.npy is not there"),
        (["zero-shot", "FILE"], "holds no run"),
    ],
)
def test_mistakes_are_refused_in_a_sentence(
    words: list[str], expected: str, file: str, tmp_path: Path, capsys
):
    given = {"FILE": file, "OUT": str(tmp_path / "out")}
    if words[:3] == ["imitate", "FILE", "--trajectory"] and words[3] == "FILE":
        np.save(tmp_path / "other.npy", np.zeros((4, 3)))
        words = [*words[:3], str(tmp_path / "other.npy")]
    assert main(["adapt", *(given.get(word, word) for word in words)]) == 2
    error = capsys.readouterr().err
    assert expected in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_zero_shot_goals_need_phi(tmp_path: Path):
    with pytest.raises(ValueError, match="Diayn has no representation of states"):
        zero_shot_goals(noisy_run(tmp_path))
