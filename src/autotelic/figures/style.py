"""The one palette and the one look of all figures; nothing global is changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

# Okabe and Ito's palette, told apart with every common form of colour blindness; without its
# yellow, which is too faint for a thin line.
PALETTE = ("#000000", "#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73", "#CC79A7")

STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
}

PAGE = 6.9
"""Inches: the width of a page's text. Figures are drawn at their printed size, text of 6.5 to 8 points."""


@contextmanager
def style() -> Iterator[None]:
    """The look of our figures while one is drawn."""
    with matplotlib.rc_context(STYLE):
        yield


def method_colour(index: int) -> str:
    """The colour of a method, by its place among the methods."""
    return PALETTE[index % len(PALETTE)]


def skill_colours(count: int) -> list[str]:
    """A colour for each skill: the palette, then its colours darker, then lighter, then again.

    No 20 colours can be told apart by everyone, so figures of many skills label them too.
    """
    hues = [*PALETTE[1:], PALETTE[0]]
    shades = [
        *hues,
        *(_blend(hue, "#000000", 0.45) for hue in hues[:-1]),
        *(_blend(hue, "#FFFFFF", 0.45) for hue in hues),
    ]
    return [shades[index % len(shades)] for index in range(count)]


def tidy(axes: Axes) -> None:
    """Only the spines that carry a scale, and a faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    small_ticks(axes)


def small_ticks(axes: Axes) -> None:
    """Ticks are made when a figure is saved, out of `style`'s reach: their look is set on the axes."""
    axes.tick_params(labelsize=7, width=0.6, length=2.5)


def spread(values: np.ndarray, gap: float) -> np.ndarray:
    """Ascending values in [0, 1] moved to lie at least `gap` apart, still in [0, 1] if there is room.

    >>> spread(np.array([0.0, 0.1, 0.5, 1.0, 1.0]), 0.25)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    places = values.astype(float)
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + gap)
    places[-1] = min(places[-1], 1.0)
    for index in range(len(places) - 2, -1, -1):
        places[index] = min(places[index], places[index + 1] - gap)
    return places


def _blend(colour: str, other: str, share: float) -> str:
    """The colour with a share of another in it."""
    red, green, blue = (
        (1 - share) * own + share * foreign
        for own, foreign in zip(to_rgb(colour), to_rgb(other), strict=True)
    )
    return to_hex((red, green, blue))
