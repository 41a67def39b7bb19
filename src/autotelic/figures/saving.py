"""Figures on disk: a vector file for print and a bitmap for the screen."""

import io
import textwrap
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from autotelic.runs import atomic

DOTS_PER_INCH = 200


def save_bitmap(figure: Figure, folder: Path, name: str) -> Path:
    """Write FOLDER/NAME.png; returns its path."""
    return _write(figure, folder / f"{name}.png", dpi=DOTS_PER_INCH)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write FOLDER/NAME.pdf and FOLDER/NAME.png; returns their paths."""
    png = save_bitmap(figure, folder, name)
    # Publishers refuse matplotlib's default fonts (Type 3); without a date, equal figures are equal
    # files.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        pdf = _write(figure, folder / f"{name}.pdf", metadata={"CreationDate": None})
    return [pdf, png]


def _write(figure: Figure, path: Path, **how: Any) -> Path:
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], **how)
    atomic.make_folder(path.parent)
    atomic.write_bytes(path, drawn.getvalue())
    return path


def footnote(figure: Figure, text: str) -> None:
    """Small words at the figure's lower edge, in as many lines as its width asks for."""
    letters = int(figure.get_figwidth() / 0.045)  # of 6 points
    lines = "\n".join(textwrap.wrap(text, letters))
    figure.supxlabel(lines, x=0.01, ha="left", fontsize=6.0, color="0.35")
