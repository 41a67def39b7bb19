"""Figures on disk: a vector file for print and a bitmap for the screen."""

import textwrap
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

DOTS_PER_INCH = 200


def save_bitmap(figure: Figure, folder: Path, name: str) -> Path:
    """Write FOLDER/NAME.png; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    png = folder / f"{name}.png"
    figure.savefig(png, dpi=DOTS_PER_INCH)
    return png


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write FOLDER/NAME.pdf and FOLDER/NAME.png; returns their paths."""
    png, pdf = save_bitmap(figure, folder, name), folder / f"{name}.pdf"
    # Publishers refuse matplotlib's default fonts (Type 3); without a date, equal figures are equal
    # files.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        figure.savefig(pdf, metadata={"CreationDate": None})
    return [pdf, png]


def footnote(figure: Figure, text: str) -> None:
    """Small words at the figure's lower edge, in as many lines as its width asks for."""
    letters = int(figure.get_figwidth() / 0.045)  # of 6 points
    lines = "\n".join(textwrap.wrap(text, letters))
    figure.supxlabel(lines, x=0.01, ha="left", fontsize=6.0, color="0.35")
