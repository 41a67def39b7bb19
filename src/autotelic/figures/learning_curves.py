"""Learning over epochs: each method's interquartile mean over seeds, in its 95 % interval or, of few
seeds, among them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic._spaced import spaced
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.selection import trailing_mean
from autotelic.evaluation.statistics import (
    FEWEST_RUNS,
    interquartile_mean,
    interquartile_mean_band,
)
from autotelic.figures.saving import footnote
from autotelic.figures.style import (
    PAGE,
    legend_columns,
    method_colours,
    most_lines,
    shown,
    style,
    tidy,
)
from autotelic.runs.history import History

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

MOST_POINTS = 60
"""Epochs of a curve that are drawn at most: each has an interval to be found."""
OF_PLACES = ("success", "grid_coverage", "covered_cells")
"""Metrics that are curves of learning where goals are places: at these skills need not be told apart."""


class Curve(NamedTuple):
    """One method's: epochs [n] and values [seeds, n]."""

    epochs: np.ndarray
    values: np.ndarray


def learning_curves(
    curves: "Runs | Mapping[str, Mapping[str, Curve]]", along: str = "Epochs trained"
) -> Figure:
    """A panel for each metric, a line for each method and a band around it.

    Args:
        curves: a run, see `curves_of`; or for each metric's label the methods' curves.
        along: what curves run over, the words below their panels.
    """
    found = dict(curves) if isinstance(curves, Mapping) else curves_of(curves)
    if not found or not all(found.values()):
        raise ValueError("curves must hold at least one metric of one method, got none")
    methods = list(dict.fromkeys(method for panel in found.values() for method in panel))
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    width = PAGE if columns > 1 else PAGE / 2
    labels = [shown(method, width - 0.45, 7.0) for method in methods]
    colours = method_colours(methods)
    fitting = legend_columns(labels, width)
    legend = 0.15 * most_lines(labels) * math.ceil(len(methods) / fitting)
    height = 1.9 * rows + 0.4 + legend
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        grid: Any = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(found) :]:
            axes.remove()
        for axes, (label, panel) in zip(grid.flat, found.items(), strict=False):
            for method, curve in panel.items():
                index = methods.index(method)
                draw_curve(axes, curve, colours[index], labels[index])
            axes.set(xlabel=along)
            axes.set_title(label, loc="left")
            axes.margins(x=0.01)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
            tidy(axes)
        # A method may be missing in some panels: its line is taken from the first that has it.
        lines = {
            line.get_label(): line for axes in reversed(figure.axes) for line in axes.get_lines()
        }
        handles = [lines[label] for label in labels]
        figure.legend(handles, labels, loc="outside upper center", ncols=fitting, frameon=False)
        seeds = {len(curve.values) for panel in found.values() for curve in panel.values()}
        if seeds != {1}:
            of_few = f" (of {FEWEST_RUNS} seeds and more)" if min(seeds) < FEWEST_RUNS else ""
            words = ["thick line: interquartile mean of seeds"]
            words += [f"band: 95 % interval{of_few}"] * (max(seeds) >= FEWEST_RUNS)
            words += ["thin lines: seeds"] * (min(seeds) < FEWEST_RUNS)
            footnote(figure, "; ".join(words))
    return figure


def curves_of(runs: "Runs") -> dict[str, dict[str, Curve]]:
    """The certainty of the goals pursued, and what was measured while the run trained.

    Certainty is that of the goal just pursued, so its mean over as many visits as there are goals is
    drawn. The others are there if the run was trained with `evaluate_every`. Where goals can be reached,
    success is drawn in place of certainty, with `OF_PLACES` alone beside it. Learners that diverged are left
    out.
    """
    lost = [one.member for one in runs.diverged]
    history = History(runs)
    per_round = math.ceil(history.num_goals / history.visits_per_epoch)
    name = "success" if "success" in history.table.columns else "certainty"
    practised = {
        method: Curve(
            curve.epochs + 1, np.stack([trailing_mean(v, per_round) for v in curve.values])
        )
        for method, curve in _by_method(_without(history.table, lost), name).items()
    }
    label = "success in practice" if name == "success" else name
    found = {f"{label}, mean of {per_round} epochs" if per_round > 1 else label: practised}
    if runs.learning_curve is not None:
        measured: Any = _without(runs.learning_curve, lost)
        for name in map(str, measured.columns):
            # A metric that the environment does not have is a column without values. What is no
            # better high than low has no place among the curves of learning.
            if name not in METRICS or (label != "certainty" and name not in OF_PLACES):
                continue
            if METRICS[name].better and bool(measured[name].count()):
                found[METRICS[name].label] = _by_method(measured, name)
    return found


def _without(table: Any, members: Sequence[int]) -> Any:
    return table[~table["member"].isin(members)]


def _by_method(table: Any, name: str) -> dict[str, Curve]:
    """For each method a column's values by seed and epoch, means over an epoch's visits."""
    found = {}
    for method, rows in table.groupby("method", sort=False):
        wide = rows.groupby(["seed", "epoch"])[name].mean().unstack().dropna(axis=1)
        found[str(method)] = Curve(wide.columns.to_numpy(), wide.to_numpy())
    return found


def draw_curve(axes: Axes, curve: Curve, colour: str, label: str) -> None:
    """One method's interquartile mean over seeds, with its 95 % interval as a band, or with the seeds
    where they are too few for an interval.
    """
    epochs, values = np.asarray(curve.epochs), np.asarray(curve.values, dtype=np.float64)
    if values.ndim != 2 or values.shape[1:] != epochs.shape or values.size == 0:
        raise ValueError(
            f"the curve of {label!r} must have epochs [n] and values [seeds, n], got "
            f"{list(epochs.shape)} and {list(values.shape)}"
        )
    chosen = spaced(len(epochs), MOST_POINTS)
    epochs, values = epochs[chosen], values[:, chosen]
    middle = [interquartile_mean(seeds) for seeds in values.T]
    marker = "o" if len(epochs) < 15 else ""
    axes.plot(epochs, middle, color=colour, linewidth=1.2, label=label, marker=marker, markersize=2)
    if len(values) >= FEWEST_RUNS:
        _, low, high = interquartile_mean_band(values, np.random.default_rng(0))
        axes.fill_between(epochs, low, high, color=colour, alpha=0.15, linewidth=0)
    elif len(values) > 1:
        axes.plot(epochs, values.T, color=colour, linewidth=0.5, alpha=0.6)
