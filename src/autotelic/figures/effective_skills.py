"""Figure 1's form: the effective number of skills over training, one line a seed."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

# Okabe and Ito's palette, told apart with every common form of colour blindness; without its
# yellow, which is too faint for a thin line.
PALETTE = ("#000000", "#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73", "#CC79A7")


def effective_skills(curves: Mapping[str, npt.ArrayLike], *, title: str = "") -> Figure:
    """The effective number of skills at each selection, one line a seed, one colour a method.

    Args:
        curves: for each method its curves, [seeds, epochs].
        title: above the axes.

    Returns:
        A figure to save or show; no global style is changed.
    """
    if not curves:
        raise ValueError("curves must hold at least one method, got none")
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.add_subplot()
    for index, (label, seeds) in enumerate(curves.items()):
        seeds = np.asarray(seeds, dtype=np.float64)
        if seeds.ndim != 2 or seeds.size == 0:
            raise ValueError(
                f"curves[{label!r}] must have the shape [seeds, epochs], got {seeds.shape}"
            )
        epochs = np.arange(1, seeds.shape[1] + 1)
        colour = PALETTE[index % len(PALETTE)]
        lines = axes.plot(epochs, seeds.T, color=colour, linewidth=0.9, alpha=0.75)
        lines[0].set_label(label)
    axes.set(xlabel="Epoch", ylabel="Effective number of skills")
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    legend = figure.legend(loc="outside right center", frameon=False, fontsize="small")
    for line in legend.get_lines():
        line.set(linewidth=2.5, alpha=1.0)
    return figure
