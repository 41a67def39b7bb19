"""Figure 1's form: the effective number of skills over training, one line a seed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic.figures.style import method_colour, shown, style, tidy
from autotelic.runs.history import History, visit_times

if TYPE_CHECKING:
    import pandas

    from autotelic.runs.run import Runs


LEGEND = 1.5
"""Inches for the names beside the curves."""


def effective_skills(
    runs: "Runs | pandas.DataFrame | Mapping[str, npt.ArrayLike]", *, title: str = ""
) -> Figure:
    """The effective number of skills at each selection, one line a seed, one colour a method.

    Args:
        runs: a run, its history table, or for each method its curves, [seeds, epochs].
        title: above the axes.

    Returns:
        A figure to save or show; no global style is changed.
    """
    if isinstance(runs, Mapping):
        curves, visits = dict(runs), 1
    else:
        history = History(runs)
        curves, visits = history.effective_curves(), history.visits_per_epoch
    if not curves:
        raise ValueError("curves must hold at least one method, got none")
    labels = {label: shown(label, LEGEND, 7.0) for label in curves}
    lines_of_legend = sum(1 + text.count("\n") for text in labels.values())
    with style():
        height = max(2.5, 0.3 + 0.15 * lines_of_legend)
        figure = Figure(figsize=(5.0, height), layout="constrained")
        axes = figure.add_subplot()
        for index, (label, seeds) in enumerate(curves.items()):
            seeds = np.asarray(seeds, dtype=np.float64)
            if seeds.ndim != 2 or seeds.size == 0:
                raise ValueError(
                    f"curves[{label!r}] must have the shape [seeds, epochs], got {seeds.shape}"
                )
            epochs = visit_times(seeds.shape[1], visits)
            colour = method_colour(index)
            lines = axes.plot(epochs, seeds.T, color=colour, linewidth=0.9, alpha=0.75)
            lines[0].set_label(labels[label])
        axes.set(xlabel="Epoch", ylabel="Effective number of skills")
        axes.set_title(shown(title, 5.0), loc="left")
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        tidy(axes)
        legend = figure.legend(loc="outside right center", frameon=False)
        for line in legend.get_lines():
            line.set(linewidth=2.5, alpha=1.0)
    return figure
