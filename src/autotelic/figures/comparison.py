"""Methods side by side: for each metric the interquartile mean of every method with its interval."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic import _validate
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.results import Evaluation
from autotelic.figures.saving import footnote
from autotelic.figures.style import PAGE, method_colours, most_lines, shown, style, tidy

if TYPE_CHECKING:
    import pandas

COLUMNS = 3
"""Panels in a row."""
NAMES = 1.5
"""Inches for the methods' names beside them."""


def comparison(evaluation: Evaluation, metrics: Sequence[str] | None = None) -> Figure:
    """A panel for each metric: a bar is the 95 % interval, its mark the interquartile mean.

    Dots are single seeds; the grey band is the range of the untrained skills. With fewer than five
    seeds there are no intervals.

    Args:
        evaluation: of a run, see `evaluate` and `load_evaluation`.
        metrics: by default those of the short table that the run has.
    """
    table = evaluation.table
    present = [name for name in METRICS if name in set(table["metric"])]
    if metrics is None:
        metrics = [name for name in present if METRICS[name].headline]
    for name in metrics:
        _validate.choice("metric", name, present)
    if not metrics:
        raise ValueError("metrics must name at least one metric, got none")
    methods = [str(method) for method in table["method"].unique()]
    found = {(row.method, row.metric): row for row in evaluation.summary() if row.trained}
    rows = -(-len(metrics) // COLUMNS)
    bar = "bar: 95 % interval; " * any(row.low is not None for row in found.values())
    lost = f"; {len(evaluation.diverged)} diverged left out" if evaluation.diverged else ""
    labels = [shown(method, NAMES, 7.0) for method in methods]
    with style():
        place = 0.06 + 0.11 * most_lines(labels)
        height = rows * (0.55 + place * len(methods)) + 0.3
        figure = Figure(figsize=(PAGE, height), layout="constrained")
        grid: Any = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True)
        for axes in grid.flat[len(metrics) :]:
            axes.remove()
        for axes, name in zip(grid.flat, metrics, strict=False):
            _panel(axes, table.query("metric == @name"), methods, found, name)
        for axes in grid[:, 0]:
            axes.set_yticks(range(len(methods)), labels)
        grid[0, 0].set_ylim(len(methods) - 0.5, -0.5)
        footnote(
            figure,
            f"mark: interquartile mean; {bar}dots: seeds; grey: untrained skills{lost}",
        )
    return figure


def _panel(
    axes: Axes,
    table: "pandas.DataFrame",
    methods: Sequence[str],
    found: Mapping[tuple[str, str], Any],
    name: str,
) -> None:
    """One metric of all methods."""
    untrained = table.query("not trained")["value"].to_numpy()
    if len(untrained):
        low, high = untrained.min(), untrained.max()
        axes.axvspan(low, high, color="0.85", zorder=0, linewidth=0)
        axes.axvline(float(np.median(untrained)), color="0.65", linewidth=0.8, zorder=0)
    for place, (method, colour) in enumerate(zip(methods, method_colours(methods), strict=True)):
        values = table.query("trained and method == @method")["value"].to_numpy()
        axes.scatter(values, np.full(len(values), place + 0.25), s=5, color=colour, alpha=0.6, lw=0)
        estimate = found.get((method, name))
        if estimate is None:
            continue
        if estimate.low is not None:
            axes.plot(
                [estimate.low, estimate.high],
                [place, place],
                color=colour,
                linewidth=4.5,
                alpha=0.45,
                solid_capstyle="butt",
            )
        axes.plot([estimate.estimate] * 2, [place - 0.2, place + 0.2], color=colour, linewidth=1.5)
    tidy(axes)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color="0.93", linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.margins(x=0.06)
    every = table["value"].to_numpy()
    if np.ptp(every) <= 1e-6 * np.abs(every).max():  # all the same: rounding is no scale
        middle = float(every.mean())
        axes.set_xlim(middle - 0.5, middle + 0.5)
    axes.set_title(METRICS[name].label, loc="left", fontsize=7.5)
