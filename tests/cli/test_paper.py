"""`autotelic paper` at a tiny size: trains once, draws, and says what is smaller than it should be."""

import dataclasses
from pathlib import Path

import pytest
from running import TINY_SETTING

from autotelic import paper
from autotelic.cli import main
from autotelic.commands import paper as command
from autotelic.commands.paper import DRAW, scaled_down
from autotelic.runs.run import load
from autotelic.selectors import DiversityProgress, Uniform

DP = DiversityProgress(offset=5, smoothing=5)
TINY = paper.Figure(TINY_SETTING, {"DIAYN": Uniform(), "DP": DP}, num_seeds=1, epochs=5)


@pytest.fixture(autouse=True)
def tiny_figures(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paper, "FIGURES", dict.fromkeys(paper.FIGURES, TINY))


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["fig1a", "fig2", "fig4"])
def test_a_figure_is_trained_once_and_drawn_as_pdf_and_png(name: str, tmp_path: Path, capsys):
    folder = tmp_path / name
    assert main(["paper", name, "--out", str(folder)]) == 0
    assert files(folder) == {f"{name}.pdf", f"{name}.png"}
    assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    output = capsys.readouterr().out
    assert "Scaled down" not in output
    assert "compiling" in output
    drawn = (folder / f"{name}.pdf").read_bytes()
    assert main(["paper", name, "--out", str(folder)]) == 0
    assert "compiling" not in capsys.readouterr().out
    assert (folder / f"{name}.pdf").read_bytes() == drawn


@pytest.mark.thorough
def test_a_smaller_figure_says_so_and_is_prolonged_later(tmp_path: Path, capsys):
    words = ["paper", "fig1a", "--out", str(tmp_path / "out")]
    assert main([*words, "--epochs", "4"]) == 0
    assert "Scaled down: 4 of 5 epochs." in capsys.readouterr().out
    assert main(words) == 0
    assert load(tmp_path / "out" / "run").epochs_done == 5
    assert main([*words, "--epochs", "4"]) == 2
    assert "epochs were 5, now only 4" in capsys.readouterr().err


def test_figure_3_has_three_panels_with_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(command, "EMBEDDED_PER_SKILL", 11)  # 33 trajectories for perplexity 30
    drawn = []
    monkeypatch.setattr(command, "save", lambda figure, *place: drawn.append(figure) or [])
    command.draw_figure("fig3", tmp_path, epochs=5, num_seeds=1)
    axes = drawn[0].axes
    assert [panel.get_title("left") for panel in axes] == [
        "Untrained",
        "DIAYN, 5 epochs",
        "DP, 5 epochs",
    ]
    for panel in axes:
        assert panel.get_xlabel().startswith("KNN-F1 0.")
        assert "held-out accuracy 0." in panel.get_xlabel()
        assert sum(len(dots.get_offsets()) for dots in panel.collections) == 33


def test_what_was_scaled_down():
    whole = dataclasses.replace(TINY, num_seeds=5, epochs=500)
    assert scaled_down(whole, 500, 5) == scaled_down(whole, 600, 6) == ""
    assert scaled_down(whole, 20, 2) == "Scaled down: 20 of 500 epochs, 2 of 5 seeds."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fig1a", "--epochs", "3"], "fig1a needs more than 3 epochs, got 3"),
        (["fig4", "--epochs", "0"], "--epochs must be at least 1, got 0"),
        (["fig4", "--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["fig4", "--seeds", "1" + "0" * 12], "--seeds must be at most 1000, got 1000000000000"),
        (["fig4", "--epochs", "1" + "0" * 12], "--epochs must be at most 2147483647"),
    ],
)
def test_too_little_is_refused_before_anything_is_made(
    words: list[str], said: str, tmp_path: Path, capsys
):
    assert main(["paper", *words, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_other_files_are_left_alone(tmp_path: Path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    assert main(["paper", "fig1a", "--out", str(tmp_path)]) == 2
    assert "holds other files and no run of this figure" in capsys.readouterr().err
    assert files(tmp_path) == {"thesis.tex"}


def test_every_figure_of_the_paper_can_be_drawn():
    assert DRAW.keys() == paper.FIGURES.keys()
