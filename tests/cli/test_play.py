"""`autotelic play`: runs and files, one skill or all, and what it refuses."""

import os
from pathlib import Path

import PIL.Image
import pytest
from made_skills import written
from running import train_words

from autotelic.cli import main
from autotelic.playing import window


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert main(train_words(folder, 2)) == 0
    return folder


def frames(path: Path) -> tuple[int, tuple[int, int]]:
    with PIL.Image.open(path) as found:
        return found.n_frames, found.size  # type: ignore[attr-defined]


def test_a_run_and_its_file_give_the_same_film(trained: Path, tmp_path: Path, capsys):
    short = ["--steps", "6", "--width", "60"]
    first, second, third = (tmp_path / f"{name}.gif" for name in "abc")
    words = ["--method", "diayn", "--out", str(first)]
    assert main(["play", str(trained), *words, *short]) == 0
    assert f"{first} shows 3 of 3 skills" in capsys.readouterr().out
    count, size = frames(first)
    assert count == 7 and size == (3 * 64 + 4, 60 + 8)
    file = str(tmp_path / "skills.npz")
    assert main(["export", str(trained), "--method", "diayn", "--out", file]) == 0
    assert main(["play", file, "--out", str(second), *short]) == 0
    assert second.read_bytes() == first.read_bytes()
    assert main(["play", file, "--goal", "2", "--out", str(third), *short]) == 0
    assert "shows 1 of 3 skills" in capsys.readouterr().out
    assert frames(third)[1] == (68, 68)


def test_without_a_file_to_write_a_display_is_needed(trained: Path, capsys, monkeypatch):
    monkeypatch.setattr(window, "has_display", lambda *_: False)
    assert main(["play", str(trained), "--method", "diayn"]) == 2
    assert "there is no display for a window; write a film: --out" in capsys.readouterr().err
    shown = []
    monkeypatch.setattr(window, "check_display", lambda: None)
    monkeypatch.setattr(window, "show", lambda *given: shown.append(given))
    assert main(["play", str(trained), "--method", "diayn", "--goal", "1"]) == 0
    assert shown[0][2].goals == (1,)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--goal", "5"], "--goal must be from 0 to 4, got 5"),
        (["--goal", "-1"], "--goal must be from 0 to 4, got -1"),
        (["--steps", "0"], "--steps must be at least 1"),
        (["--environment", "Walk-v9"], "unknown environment 'Walk-v9'"),
        (
            ["--environment", "CartPole-v1"],
            "[4] and discrete actions [2], and the skills of Walk-v0 [3]",
        ),
        ([], "must not say what to import"),
    ],
)
def test_what_cannot_be_played_is_refused(tmp_path: Path, capsys, words: list[str], expected: str):
    path = written(tmp_path)
    if words[:1] == ["--goal"]:
        words = [*words, "--environment", "CartPole-v1"]
    code = main(["play", str(path), "--out", str(tmp_path / "film.gif"), *words])
    error = capsys.readouterr().err
    assert expected in error and "Traceback" not in error
    assert code == 2
    assert os.listdir(tmp_path) == ["skills.npz"]


def test_what_is_not_there_or_no_skill_file_is_refused(tmp_path: Path, capsys):
    assert main(["play", str(tmp_path / "none"), "--out", str(tmp_path / "film.gif")]) == 2
    assert "is not there; name a run" in capsys.readouterr().err
    (tmp_path / "skills.npz").write_bytes(b"nothing")
    words = ["play", str(tmp_path / "skills.npz"), "--out", str(tmp_path / "film.gif")]
    assert main(words) == 2
    assert "skills.npz: it is no npz file" in capsys.readouterr().err
    assert main(["play", str(tmp_path), "--out", str(tmp_path / "film.avi")]) == 2
    assert "must end in .gif or .mp4" in capsys.readouterr().err
