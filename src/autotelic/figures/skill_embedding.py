"""Figure 3's form: trajectories of all skills as points in the plane, a panel for each learner."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autotelic.figures.skill_trajectories import repel
from autotelic.figures.style import PAGE, PALETTE, shown, skill_colours, style

COLUMNS = 3
"""Panels in a row."""
LABEL_DISTANCE = 0.065
"""Between the numbers of two skills, as a share of a panel's width."""
ABOVE = 0.05
"""How far over its place a number stands, as a share of the width."""
NEAR = 0.07
"""How far from its densest place a skill's trajectories belong to it, as a share of the width."""
FEWEST_NEAR = 0.25
"""Share of a skill's trajectories there, without which it has no number."""
SHAPES = "o^s"
"""Of the dots, one for every seven skills: their colours are the palette's, then darker, then lighter."""


class EmbeddingPanel(NamedTuple):
    """One learner's trajectories.

    title: above the panel; places: [goals, trajectories, 2], such as `t_sne` gives; caption: lines
    below the panel.
    """

    title: str
    places: np.ndarray
    caption: str = ""


def skill_embedding(panels: Sequence[EmbeddingPanel], title: str = "") -> Figure:
    """A dot for each trajectory, a colour and shape for each skill, and its number where it is densest.

    A skill that is scattered everywhere has no number. The axes have no unit, and distances between
    clusters may mean nothing. `title`: above all panels.
    """
    if not panels:
        raise ValueError("panels must hold at least one learner, got none")
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with style():
        width = min(PAGE, 3.3 * columns)
        figure = Figure(figsize=(width, rows * (width / columns + 0.3)), layout="constrained")
        grid: Any = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.remove()
        for axes, panel in zip(grid.flat, panels, strict=False):
            places = np.asarray(panel.places, dtype=np.float64)
            if places.ndim != 3 or places.shape[2] != 2 or places.size == 0:
                raise ValueError(
                    f"places of {panel.title!r} must have the shape [goals, trajectories, 2], got "
                    f"{list(places.shape)}"
                )
            _draw(axes, places)
            axes.set_title(shown(panel.title, 0.95 * width / columns), loc="left")
            axes.set_xlabel(panel.caption, fontsize=7, labelpad=5)
        if title:
            figure.suptitle(shown(title, width), x=0.01, ha="left", fontsize="medium")
    return figure


def _draw(axes: Axes, places: np.ndarray) -> None:
    """All skills' dots, in a square frame around them."""
    for skill, (own, colour) in enumerate(zip(places, skill_colours(len(places)), strict=True)):
        shape = SHAPES[skill // len(PALETTE) % len(SHAPES)]
        axes.scatter(*own.T, s=6.0, color=colour, marker=shape, alpha=0.7, linewidths=0)
    middle = (places.min(axis=(0, 1)) + places.max(axis=(0, 1))) / 2
    half = 0.57 * float((places.max(axis=(0, 1)) - places.min(axis=(0, 1))).max()) or 1.0
    axes.set(
        xlim=(middle[0] - half, middle[0] + half),
        ylim=(middle[1] - half, middle[1] + half),
        xticks=[],
        yticks=[],
        box_aspect=1,
    )
    _label(axes, places, 2 * half)


def _label(axes: Axes, places: np.ndarray, width: float) -> None:
    """The numbers of skills that have a place, above it and pushed off those of others."""
    found = [densest_place(own, NEAR * width) for own in places]
    placed = [skill for skill, (_, share) in enumerate(found) if share >= FEWEST_NEAR]
    if not placed:
        return
    colours = skill_colours(len(places))
    above = np.array([found[skill][0] for skill in placed])
    above[:, 1] += ABOVE * width
    for skill, (x, y) in zip(placed, repel(above, LABEL_DISTANCE * width), strict=True):
        badge = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.85, "linewidth": 0.8}
        axes.text(
            *(x, y, str(skill)),
            ha="center",
            va="center",
            fontsize=5.5,
            bbox={**badge, "edgecolor": colours[skill]},
        )


def densest_place(places: np.ndarray, near: float) -> tuple[np.ndarray, float]:
    """Where most of [n, 2] lie within `near` of one of them: the mean of these, and their share.

    >>> middle, share = densest_place(np.array([[0.0, 0.0], [0.0, 2.0], [9.0, 9.0], [40.0, 0.0]]), 3.0)
    >>> middle.tolist(), share
    ([0.0, 1.0], 0.5)
    """
    close = np.linalg.norm(places[:, None] - places, axis=-1) <= near
    most = close.sum(axis=1).argmax()
    return places[close[most]].mean(axis=0), float(close[most].mean())
