"""Figure 1's form: the effective number of skills over training, one line a seed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from autotelic.figures.style import (
    PAGE,
    legend_columns,
    method_colours,
    method_name,
    shown,
    style,
    tidy,
)
from autotelic.runs.history import History, visit_times

if TYPE_CHECKING:
    import pandas

    from autotelic.runs.run import Runs

Curves = Mapping[str, npt.ArrayLike]
"""For each method its curves, [seeds, epochs]."""

LEGEND = 1.5
"""Inches for the names beside the curves."""
DASHES: Any = (0, (4.5, 2.5))
"""Of uniform selection, which is a straight line above the others: what it covers shows through."""
CROWDED = 0.75
"""Of the highest number: methods that stay above it lie on one another."""
INSET_LEFT, INSET_RIGHT, INSET_BOTTOM, INSET_TOP = 0.3, 0.98, 0.24, 0.66
"""Where those are drawn larger, as shares of the axes: between the full number and what has collapsed."""
NARROWEST = 0.3
"""Of the axes' width, that an inset needs."""


def effective_skills(
    runs: "Runs | pandas.DataFrame | Curves", *, title: str = "", inset: bool = False
) -> Figure:
    """The effective number of skills at each selection, one line a seed, one colour a method.

    Args:
        runs: a run, its history table, or for each method its curves, [seeds, epochs].
        title: above the axes.
        inset: draw methods that lie on one another near the full number larger, inside the axes.

    Returns:
        A figure to save or show; no global style is changed.
    """
    if isinstance(runs, Mapping):
        curves, visits = _checked(runs), 1
    else:
        history = History(runs)
        curves, visits = _checked(history.effective_curves()), history.visits_per_epoch
    labels = [shown(label, LEGEND, 7.0) for label in curves]
    lines_of_legend = sum(1 + text.count("\n") for text in labels)
    with style():
        height = max(2.5, 0.3 + 0.15 * lines_of_legend)
        figure = Figure(figsize=(5.0, height), layout="constrained")
        axes = figure.add_subplot()
        _draw_panel(axes, curves, _colours(curves), visits, inset)
        axes.set_ylabel("Effective number of skills")
        axes.set_title(shown(title, 5.0), loc="left")
        figure.legend(
            handles=_handles(curves), loc="outside right center", handlelength=3.0, frameon=False
        )
    return figure


def effective_skills_panels(panels: Mapping[str, Curves]) -> Figure:
    """The same of several environments side by side, with one legend and insets.

    Args:
        panels: by their titles, for each method its curves, [seeds, epochs].
    """
    if not panels:
        raise ValueError("panels must hold at least one environment, got none")
    checked = {title: _checked(curves) for title, curves in panels.items()}
    methods = dict.fromkeys(method for curves in checked.values() for method in curves)
    with style():
        figure = Figure(figsize=(PAGE, 2.6), layout="constrained")
        row: Any = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (title, curves) in zip(row, checked.items(), strict=True):
            _draw_panel(axes, curves, _colours(methods), 1, inset=True)
            axes.set_title(shown(title, 0.9 * PAGE / len(panels)), loc="left")
        row[0].set_ylabel("Effective number of skills")
        handles = _handles(methods)
        columns = legend_columns([str(line.get_label()) for line in handles], PAGE)
        figure.legend(
            handles=handles,
            loc="outside upper center",
            ncols=columns,
            handlelength=3.0,
            frameon=False,
        )
    return figure


def _checked(curves: Curves) -> dict[str, np.ndarray]:
    if not curves:
        raise ValueError("curves must hold at least one method, got none")
    found = {label: np.asarray(seeds, dtype=np.float64) for label, seeds in curves.items()}
    for label, seeds in found.items():
        if seeds.ndim != 2 or seeds.size == 0:
            raise ValueError(
                f"curves[{label!r}] must have the shape [seeds, epochs], got {seeds.shape}"
            )
    return found


def _colours(methods: Mapping[str, Any]) -> dict[str, str]:
    return dict(zip(methods, method_colours(list(methods)), strict=True))


def _dashes(method: str) -> Any:
    return DASHES if method_name(method) == "diayn" else "-"


def _handles(methods: Mapping[str, Any]) -> list[Line2D]:
    """The legend's lines."""
    return [
        Line2D([], [], color=colour, linestyle=_dashes(method), linewidth=2.0, label=text)
        for method, colour in _colours(methods).items()
        for text in [shown(method, LEGEND, 7.0)]
    ]


def _draw_panel(
    axes: Axes,
    curves: Mapping[str, np.ndarray],
    colours: Mapping[str, str],
    visits: int,
    inset: bool,
) -> None:
    """One environment's lines, and those near the full number once more if that is wanted and needed."""
    _draw_lines(axes, curves, colours, visits)
    full = max(float(np.nanmax(seeds)) for seeds in curves.values())
    axes.set(xlabel="Epoch", ylim=(0, 1.06 * full))
    axes.margins(x=0.01)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    tidy(axes)
    first = round(full)  # as many epochs as there are goals
    later = {method: seeds[:, first:] for method, seeds in curves.items()}
    if not inset or any(seeds.shape[1] < 2 for seeds in later.values()):
        return
    crowded = [m for m, seeds in later.items() if np.nanmin(seeds) >= CROWDED * full]
    left = max([INSET_LEFT, *(_free_from(curves[m], full) for m in curves if m not in crowded)])
    if len(crowded) < 2 or INSET_RIGHT - left < NARROWEST:
        return
    room = (left, INSET_BOTTOM, INSET_RIGHT - left, INSET_TOP - INSET_BOTTOM)
    larger = axes.inset_axes(room)
    _draw_lines(larger, {method: curves[method] for method in crowded}, colours, visits)
    lowest = min(float(np.nanmin(later[method])) for method in crowded)
    margin = max(0.05 * (full - lowest), 0.01 * full)
    end = max(seeds.shape[1] for seeds in curves.values())
    larger.set(xlim=(first + 1, end), ylim=(lowest - margin, full + margin))
    larger.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    larger.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    larger.tick_params(labelsize=6, width=0.5, length=2)
    larger.set_title("the same, larger", fontsize=6, color="0.35", pad=2)
    axes.indicate_inset_zoom(larger, edgecolor="0.6", linewidth=0.5)


def _draw_lines(
    axes: Axes, curves: Mapping[str, np.ndarray], colours: Mapping[str, str], visits: int
) -> None:
    for method, seeds in curves.items():
        dashes = _dashes(method)
        axes.plot(
            visit_times(seeds.shape[1], visits),
            seeds.T,
            color=colours[method],
            linestyle=dashes,
            linewidth=1.1 if dashes == DASHES else 0.8,
            alpha=1.0 if dashes == DASHES else 0.75,
            zorder=3 if dashes == DASHES else 2,
        )


def _free_from(seeds: np.ndarray, full: float) -> float:
    """The share of the epochs after which all lines are below the place of an inset."""
    above = np.flatnonzero(np.any(seeds > INSET_BOTTOM * full, axis=0))
    return (above[-1] + 1) / seeds.shape[1] if len(above) else 0.0
