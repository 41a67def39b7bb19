"""The one palette and the one look of all figures; nothing global is changed."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

# Okabe and Ito's palette, distinguishable with every common form of colour blindness; without its
# yellow, which is too faint for a thin line.
PALETTE = ("#000000", "#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73", "#CC79A7")

METHODS = (
    *("diayn", "vic", "learned-prior", "dp", "dp 0.3", "round-robin", "auto"),
    *("teacher-student", "exp3s", "curious", "alp", "remaining-error", "value-regret"),
    *("alp-gmm", "competence-progress", "frontier", "learnability", "intermediate-difficulty"),
    *("skew-fit", "value-disagreement", "bidirectional-progress", "mopps", "failure-counts"),
)
"""Selectors in the order of their colours, those of the paper first; DP has one more at temperature 0.3."""
SYNONYMS = {"uniform": "diayn", "independent-uniform": "diayn", "diversity-progress": "dp"}

STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "legend.fontsize": 7.0,
    "axes.linewidth": 0.6,
}

PAGE = 6.9
"""Inches: the width of a page's text. Figures are drawn at their printed size, text of 6.5 to 8 points."""


INCHES_PER_POINT = 0.0078
"""How wide a letter is on average, for each point of its size."""


LIGHTNESS, CHROMA = 0.65, 0.15
"""Of the colours of directions: as bright as a thin line on white can be."""


@contextmanager
def style() -> Iterator[None]:
    """The look of our figures while one is drawn."""
    with matplotlib.rc_context(STYLE):
        yield


def method_colours(labels: Sequence[str]) -> list[str]:
    """A colour for each method of a figure: the same in all figures, by what its label names.

    Of several that name one selector, such as DP with different options, the shortest label has its colour.
    The others, and labels that name none, have colours that are free, darker ones first, so that none is
    taken for a method of the paper; where nothing is named, the palette's. After 26 colours they come again.

    >>> method_colours(["uniform", "DP, T = 0.3"]) == method_colours(["DIAYN", "dp:temperature=0.3"])
    True
    """
    owned = dict(zip(METHODS, _SHADES, strict=False))
    found: dict[str, str] = {}
    for label in sorted(dict.fromkeys(labels), key=len):
        colour = owned.get(method_name(label), "")
        if colour and colour not in found.values():
            found[label] = colour
    free = [*_SHADES[len(PALETTE) :], *PALETTE] if found else _SHADES
    for label in labels:
        if label not in found:
            used = list(found.values())
            found[label] = min(free, key=used.count)
    return [found[label] for label in labels]


def method_name(label: str) -> str:
    """Which of `METHODS` a label names: a selector's name in the shell or in the paper, with options or not.

    >>> method_name("DIAYN+DP"), method_name("dp:offset=900,temperature=0.3"), method_name("Round robin")
    ('dp', 'dp 0.3', 'round-robin')
    """
    text = label.lower().removeprefix("diayn+")
    name = re.split(r"[:,(]", text)[0].strip().replace(" ", "-").replace("_", "-")
    name = SYNONYMS.get(name, name)
    temperature = re.search(r"\bt(?:emperature)?\s*=\s*([\d.]+)", text)
    if name == "dp" and temperature and f"dp {temperature[1]}" in METHODS:
        return f"dp {temperature[1]}"
    return name


def skill_colours(count: int) -> list[str]:
    """A colour for each skill: the palette, then its colours darker, then lighter, then again.

    No 20 colours can be distinguished by everyone, so figures of many skills label them too.
    """
    shades = _shades([*PALETTE[1:], PALETTE[0]])
    return [shades[index % len(shades)] for index in range(count)]


def direction_colour(angle: float) -> str:
    """The colour of a direction: hues around a circle that look equally light (OkLCh, Ottosson 2020).

    >>> direction_colour(0.0), direction_colour(np.pi)
    ('#d6638b', '#00ab93')
    """
    a, b = CHROMA * np.cos(angle), CHROMA * np.sin(angle)
    # Björn Ottosson's matrices: from Oklab to cone responses, and on to linear red, green and blue.
    cones = LIGHTNESS + np.array(
        [
            0.3963377774 * a + 0.2158037573 * b,
            -0.1055613458 * a - 0.0638541728 * b,
            -0.0894841775 * a - 1.2914855480 * b,
        ]
    )
    linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    ) @ (cones**3)
    linear = linear.clip(0.0, 1.0)
    red, green, blue = np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055
    )
    return to_hex((float(red), float(green), float(blue)))


def shown(name: str, width: float, size: float = 8.0) -> str:
    """A name as text of a figure: in lines that fit into so many inches, by letters of so many points.

    It stays what it is: a dollar begins no formula, and a leading underscore hides nothing.

    >>> shown("dp:temperature=0.3,normalization=l2", width=1.5)
    'dp:temperature=0.3,\\nnormalization=l2'
    >>> shown("_mine $5", width=1.5)
    ' _mine \\\\$5'
    """
    letters = max(1, int(width / (size * INCHES_PER_POINT)))
    lines = [""]
    for piece in re.findall(r"[^\s,:]*[\s,:]*", name):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > letters:
            lines.append("")
        lines[-1] += piece
    text = "\n".join(line.rstrip() for line in lines).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def most_lines(texts: Sequence[str]) -> int:
    """Of the text that has the most."""
    return 1 + max(text.count("\n") for text in texts)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """How many of these labels fit beside each other in so many inches: at least 1, at most 4."""
    letters = max(len(line) for label in labels for line in label.splitlines())
    widest = 0.45 + 0.055 * letters  # a line and its gaps, letters of 7 points
    return min(max(int(width / widest), 1), 4)


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


def _shades(hues: Sequence[str]) -> list[str]:
    """The colours, then darker ones (black has none), then lighter ones, then greyer ones."""
    return [
        *hues,
        *(_blend(hue, "#000000", 0.45) for hue in hues if hue != PALETTE[0]),
        *(_blend(hue, "#FFFFFF", 0.45) for hue in hues),
        *(_blend(hue, "#808080", 0.6) for hue in hues if hue != PALETTE[0]),
    ]


def _blend(colour: str, other: str, share: float) -> str:
    """The colour with a share of another in it."""
    red, green, blue = (
        (1 - share) * own + share * foreign
        for own, foreign in zip(to_rgb(colour), to_rgb(other), strict=True)
    )
    return to_hex((red, green, blue))


_SHADES = _shades(PALETTE)
