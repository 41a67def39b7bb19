"""Figures on disk: vector with embedded fonts, the same bytes for the same figure, and a footnote."""

from pathlib import Path

from matplotlib.figure import Figure

from autotelic.figures.saving import footnote, save


def drawn() -> Figure:
    figure = Figure(figsize=(2, 2), layout="constrained")
    figure.add_subplot().set_title("Effective number")
    footnote(figure, "Scaled down: 2 of 5 seeds.")
    return figure


def test_equal_figures_are_equal_files_with_true_type_fonts(tmp_path: Path):
    first = save(drawn(), tmp_path / "new", "one")
    second = save(drawn(), tmp_path, "two")
    assert [path.name for path in first] == ["one.pdf", "one.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    drawn().savefig(tmp_path / "plain.pdf")
    assert b"/Type3" in (tmp_path / "plain.pdf").read_bytes()
    assert b"/Type3" not in first[0].read_bytes()


def test_the_footnote_stands_below_the_axes():
    figure = drawn()
    figure.draw_without_rendering()
    text = figure._supxlabel  # type: ignore[attr-defined]
    assert text.get_text() == "Scaled down: 2 of 5 seeds."
    assert text.get_window_extent().y1 <= figure.axes[0].get_tightbbox().y0
