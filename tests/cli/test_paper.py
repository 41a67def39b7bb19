"""`autotelic paper` at a tiny size: trains once, keeps each seed, and draws again from what was kept."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from running import TINY_SETTING

from autotelic import paper
from autotelic.cli import main
from autotelic.commands import paper_training
from autotelic.figures.paper_data import file_name, load_data
from autotelic.figures.paper_figures import DRAW
from autotelic.runs.run import load
from autotelic.selectors import DiversityProgress, Uniform

DP = DiversityProgress(offset=5, smoothing=5)
TINY = paper.Figure(TINY_SETTING, {"DIAYN": Uniform(), "DP": DP}, num_seeds=1, epochs=5)


@pytest.fixture(autouse=True)
def tiny_figures(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paper, "FIGURES", dict.fromkeys(paper.FIGURES, TINY))
    monkeypatch.setattr(paper_training, "EMBEDDED_PER_SKILL", 11)  # 33 for perplexity 30


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figure 1(a) of two of three seeds, trained apart."""
    folder = tmp_path_factory.mktemp("paper") / "fig1a"
    three = dataclasses.replace(TINY, num_seeds=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "FIGURES", {"fig1a": three})
        for seed in ("2", "0"):
            assert main(["paper", "fig1a", "--seed", seed, "--out", str(folder)]) == 0
    return folder


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["fig1a", "fig2", "fig4"])
def test_a_figure_is_trained_once_and_drawn_as_pdf_and_png(name: str, tmp_path: Path, capsys):
    folder = tmp_path / name
    assert main(["paper", name, "--out", str(folder)]) == 0
    assert files(folder) == {f"{name}.pdf", f"{name}.png", file_name(name, 0)}
    assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    output = capsys.readouterr().out
    assert "compiling" in output
    drawn = (folder / f"{name}.pdf").read_bytes()
    assert main(["paper", name, "--out", str(folder)]) == 0
    assert "compiling" not in capsys.readouterr().out
    assert (folder / f"{name}.pdf").read_bytes() == drawn


@pytest.mark.parametrize("name", ["fig1a", "fig2", "fig3", "fig4"])
def test_a_figure_drawn_from_its_data_is_the_one_that_was_trained(name: str, tmp_path: Path):
    trained, again = tmp_path / "trained", tmp_path / "again"
    assert main(["paper", name, "--out", str(trained)]) == 0
    assert main(["paper", name, "--from", str(trained), "--out", str(again)]) == 0
    assert files(again) == {f"{name}.pdf", f"{name}.png"}
    for file in files(again):
        assert (again / file).read_bytes() == (trained / file).read_bytes()


def test_drawing_from_data_does_not_load_jax(trained: Path, tmp_path: Path):
    words = ["paper", "fig1a", "--from", str(trained), "--out", str(tmp_path)]
    code = f"import sys; from autotelic.cli import main; main({words}); print('jax' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.split()[-1] == "False", result.stderr


def test_a_seed_is_trained_alone_and_drawn_with_those_that_are_there(trained: Path):
    assert load(trained / "run_seed2").seeds == [2]
    assert files(trained) == {
        "fig1a.pdf",
        "fig1a.png",
        file_name("fig1a", 0),
        file_name("fig1a", 2),
    }


def test_what_is_kept_is_what_the_history_says(trained: Path):
    kept, runs = load_data(trained / file_name("fig1a", 2)), load(trained / "run_seed2")
    history = runs.history.query("method == 'DP'")
    assert kept.arrays["goal"][1].tolist() == history["goal"].tolist()
    assert kept.effective_numbers[1] == pytest.approx(history["effective_selection"], rel=1e-6)
    assert kept.arrays["certainty"][1] == pytest.approx(history["certainty"], rel=1e-6)
    assert kept.arrays["signal"][1, -1, 0] == pytest.approx(history["signal_0"].iloc[-1], rel=1e-6)
    assert kept.head["whole"] == {"seeds": 3, "epochs": 5}
    assert kept.head["reading"] == "relative"


def test_what_is_kept_is_not_measured_again(trained: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paper_training, "data_of", lambda *given: pytest.fail("made again"))
    assert main(["paper", "fig1a", "--seed", "2", "--out", str(trained)]) == 0


@pytest.mark.thorough
def test_a_longer_figure_goes_on_and_a_shorter_one_is_refused(tmp_path: Path, capsys):
    words = ["paper", "fig1a", "--out", str(tmp_path / "out")]
    assert main([*words, "--epochs", "4"]) == 0
    assert main(words) == 0
    assert load(tmp_path / "out" / "run").epochs_done == 5
    assert load_data(tmp_path / "out" / file_name("fig1a", 0)).epochs == 5
    assert main([*words, "--epochs", "4"]) == 2
    assert "epochs were 5, now only 4" in capsys.readouterr().err


@pytest.mark.thorough
def test_all_are_trained_and_figure_1_is_drawn_of_its_panels(tmp_path: Path):
    assert main(["paper", "all", "--reading", "l2", "--out", str(tmp_path / "all")]) == 0
    panels = {f"fig1{panel}-l2" for panel in "abc"}
    assert {path.name for path in (tmp_path / "all").iterdir()} == {
        *panels,
        *("fig1", "fig2-l2", "fig3-l2", "fig4-l2"),
    }
    assert files(tmp_path / "all" / "fig1") == {"fig1.pdf", "fig1.png"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fig1a", "--epochs", "3"], "fig1a needs more than 3 epochs, got 3"),
        (["all", "--epochs", "3"], "fig1a needs more than 3 epochs, got 3"),
        (["fig4", "--epochs", "0"], "--epochs must be at least 1, got 0"),
        (["fig4", "--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["fig4", "--seeds", "1" + "0" * 12], "--seeds must be at most 1000, got 1000000000000"),
        (["fig4", "--epochs", "1" + "0" * 12], "--epochs must be at most 2147483647"),
        (["fig4", "--seed", "-1"], "--seed must be at least 0, got -1"),
        (["fig4", "--seed", "1", "--seeds", "2"], "give one of the two"),
        (["fig1a", "--reading", "l3"], "unknown --reading 'l3'; choose from relative, "),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(
    words: list[str], said: str, tmp_path: Path, capsys
):
    assert main(["paper", *words, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_reading_needs_dp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys):
    alone = dataclasses.replace(TINY, methods={"DIAYN": Uniform()})
    monkeypatch.setattr(paper, "FIGURES", {"fig4": alone})
    assert main(["paper", "fig4", "--reading", "l2", "--out", str(tmp_path / "out")]) == 2
    assert "fig4 trains no DP to read; leave --reading out" in capsys.readouterr().err


def test_a_folder_of_another_reading_is_refused(trained: Path, capsys):
    assert main(["paper", "fig1a", "--reading", "l2", "--out", str(trained)]) == 2
    assert "was trained with the reading relative of DP, not with l2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fig1b"], "here is the data of fig1a, not of fig1b"),
        (["fig1a", "--reading", "l2"], "no data of the reading l2, only of relative; train it"),
        (["fig1a", "--seeds", "2"], "the data has the seeds 0, 2, not seed 1; train it with"),
        (["fig1a", "--seed", "7"], "`autotelic paper fig1a --seed 7`"),
        (["fig1a", "--epochs", "6"], "6 epochs are asked for, and the data of seed 0 has 5"),
        (["fig1a", "/nowhere"], "/nowhere is no file or folder; name one that"),
    ],
)
def test_data_that_is_not_there_is_refused(words: list[str], said: str, trained: Path, capsys):
    name, *more = words
    places = ["--from", str(trained), *(word for word in more if word.startswith("/"))]
    flags = [word for word in more if not word.startswith("/")]
    assert main(["paper", name, *places, *flags, "--out", str(trained.parent / "again")]) == 2
    assert said in capsys.readouterr().err
    assert not (trained.parent / "again").exists()


def test_other_files_are_left_alone(tmp_path: Path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    assert main(["paper", "fig1a", "--out", str(tmp_path)]) == 2
    assert "holds other files and no run of this figure" in capsys.readouterr().err
    assert files(tmp_path) == {"thesis.tex"}


def test_every_figure_of_the_paper_can_be_drawn():
    assert DRAW.keys() == paper.FIGURES.keys()


@pytest.mark.parametrize(("figure", "name"), [("fig1", "fig1"), ("all", "fig1a")])
def test_a_figure_is_not_drawn_where_a_link_leads(
    trained: Path, figure: str, name: str, tmp_path: Path, capsys
):
    target, out = tmp_path / "elsewhere", tmp_path / "out"
    target.mkdir()
    out.mkdir()
    (out / name).symlink_to(target)
    assert main(["paper", figure, "--from", str(trained), "--out", str(out)]) == 2
    assert f"{name}: it is a symbolic link" in capsys.readouterr().err
    assert not list(target.iterdir())
