"""Figure 3's form: trajectories of all skills as points in the plane, a panel for each learner."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autotelic.figures.skill_trajectories import repel
from autotelic.figures.style import PAGE, shown, skill_colours, style

COLUMNS = 3
"""Panels in a row."""
LABEL_DISTANCE = 0.055
"""Between the numbers of two skills, as a share of a panel's width."""
WIDEST_SKILL = 0.12
"""Median distance from a skill's median, as a share of the width, beyond which it has no number."""


class EmbeddingPanel(NamedTuple):
    """One learner's trajectories.

    title: above the panel; places: [goals, trajectories, 2], such as `t_sne` gives; caption: lines
    below the panel.
    """

    title: str
    places: np.ndarray
    caption: str = ""


def skill_embedding(panels: Sequence[EmbeddingPanel]) -> Figure:
    """A dot for each trajectory, a colour for each skill, and its number where it has a place.

    The axes have no unit, and distances between clusters may mean nothing.
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
    return figure


def _draw(axes: Axes, places: np.ndarray) -> None:
    """All skills' dots, in a square frame around them."""
    for own, colour in zip(places, skill_colours(len(places)), strict=True):
        axes.scatter(*own.T, s=5.0, color=colour, alpha=0.7, linewidths=0)
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
    medians = np.median(places, axis=1)
    apart = np.linalg.norm(places - medians[:, None], axis=-1)
    placed = np.flatnonzero(np.median(apart, axis=1) < WIDEST_SKILL * width)
    above = medians[placed] + [0.0, 0.03 * width]
    for skill, (x, y) in zip(placed, repel(above, LABEL_DISTANCE * width), strict=True):
        text = axes.text(x, y, str(skill), ha="center", va="center", fontsize=6.5)
        text.set_path_effects([patheffects.withStroke(linewidth=1.2, foreground="white")])
