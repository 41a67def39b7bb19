"""The one palette and the one look of all figures; nothing global is changed."""

import colorsys
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

# Okabe and Ito's palette, told apart with every common form of colour blindness; without its
# yellow, which is too faint for a thin line.
PALETTE = ("#000000", "#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73", "#CC79A7")

STYLE = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "pdf.fonttype": 42,  # text stays text in a PDF
    "svg.fonttype": "none",
}

COLUMN = 3.35
"""Inches: one column of a two-column page. Text is legible at this width without scaling."""

PAGE = 6.9
"""Inches: both columns."""


@contextmanager
def style() -> Iterator[None]:
    """The look of our figures while one is drawn."""
    with matplotlib.rc_context(STYLE):
        yield


def method_colour(index: int) -> str:
    """The colour of a method, by its place among the methods."""
    return PALETTE[index % len(PALETTE)]


def skill_colours(count: int) -> list[str]:
    """A colour for each skill: the palette, then its colours darker, then lighter.

    No 20 colours can be told apart by everyone; figures of many skills label them too.
    """
    hues = PALETTE[1:]
    shades = [*hues, *(_shade(hue, 0.55) for hue in hues), *(_shade(hue, 1.45) for hue in hues)]
    shades += ["#000000", "#7F7F7F"]
    return [shades[index % len(shades)] for index in range(count)]


def tidy(axes: Axes) -> None:
    """Only the spines that carry a scale, and a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _shade(colour: str, factor: float) -> str:
    """The same hue darker (factor below 1) or lighter (above)."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*to_rgb(colour))
    return to_hex(colorsys.hls_to_rgb(hue, min(0.82, lightness * factor), saturation))
