"""`autotelic adapt`: what it says, writes and refuses; the learning ways are in tests/downstream."""

from pathlib import Path

import numpy as np
import pandas
import pytest
from directions import CORNERS, STEP, corner_skills
from made_skills import noisy_run

from autotelic.cli import main
from autotelic.commands import adapt_looking
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
    assert f"skill 1 in {TASK}, return (means and 95 % intervals over 2 episodes)" in said
    assert "round-robin" in said and "success 0.00" in said
    assert (tmp_path / "o" / "seed_0" / "best_skill.json").exists()


def test_imitate_says_which_skill(file: str, tmp_path: Path, capsys):
    np.save(tmp_path / "way.npy", 0.5 + STEP * np.arange(8)[:, None] * CORNERS[2])
    words = ["adapt", "imitate", file, "--trajectory", str(tmp_path / "way.npy"), "--rollouts", "2"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "skill 2 of 4" in said and "imitated skill  0.00" in said


@pytest.mark.parametrize("learners", [1, 3])
def test_zero_shot_says_how_sure_it_is(learners: int, monkeypatch, capsys):
    rows = {"arm": "zero-shot", "method": "A", "seed": range(learners), "radius": 0.03}
    shares = np.array([0.2, 0.4, 0.6])[:learners]
    table = pandas.DataFrame({**rows, "hit": shares, "end": 0.5, "stay": 0.25})
    monkeypatch.setattr(adapt_looking, "open_run", lambda *_: None)
    monkeypatch.setattr(adapt_looking, "zero_shot_goals", lambda *_, **__: table)
    assert main(["adapt", "zero-shot", "run"]) == 0
    if learners == 1:
        expected = "A, within 0.03, one learner\n  zero-shot  hit 0.20, end 0.50, stay 0.25\n"
    else:
        expected = (
            "A, within 0.03 (means and 95 % intervals over 3 learners)\n"
            "  zero-shot  hit 0.40 (0.00 to 0.90), end 0.50, stay 0.25\n"
        )
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bset", "FILE"], "Did you mean 'best'?"),
        (["best", "FILE"], "--task is missing"),
        (["best", "gone.npz", "--task", TASK], "gone.npz is not there"),
        (
            ["best", "FILE", "--task", "Ant-v5"],
            "observations [105] and actions Box(-1.0, 1.0, (8,), float32); the skills were trained in "
            "navigation2d, with observations [2] and actions [2]",
        ),
        (["best", "FILE", "--task", TASK, "--task-options", "x"], "reads NAME=VALUE"),
        (
            ["best", "FILE", "--task", "autotelic/Navigation2D-v0"],
            "autotelic/Navigation2D-v0 is another environment",
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
