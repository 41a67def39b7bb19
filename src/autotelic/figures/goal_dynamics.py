"""Figure 2's form: what the selector knew of each goal, how likely it made it, and how often it chose it."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic.figures.histories import member_history
from autotelic.figures.style import PAGE, skill_colours, style, tidy

if TYPE_CHECKING:
    import pandas

    from autotelic.training.runs import Runs


def goal_dynamics(
    runs: "Runs | pandas.DataFrame",
    method: str,
    seed: int,
    *,
    signal: str = "Diversity Progress",
    title: str = "",
) -> Figure:
    """One learner's goal selection over training, one colour a goal.

    Upper left the signal of each goal, which changes when an epoch of practising it ends; lower left
    the probabilities that each epoch's goal was drawn from; right how often each goal was chosen so
    far. The first round, in which each goal is tried once, is shaded; probabilities are scaled to
    the epochs after it.

    Args:
        runs: a run, or its history table.
        method: its name in the run.
        seed: of the learner.
        signal: what the selector's values are called.
        title: above the figure.
    """
    goals, selection, values = member_history(runs, method, seed)
    epochs = np.arange(1, len(goals) + 1)
    counts = np.cumsum(goals[:, None] == np.arange(selection.shape[1]), axis=0)
    first_round = _first_round(selection)
    with style():
        figure = Figure(figsize=(PAGE, 3.1), layout="constrained")
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.1))
        upper = figure.add_subplot(grid[0, 0])
        lower = figure.add_subplot(grid[1, 0], sharex=upper)
        right = figure.add_subplot(grid[:, 1])
        for axes, series, label in (
            (upper, values, signal),
            (lower, selection, "Selection probability"),
            (right, counts, "Times chosen"),
        ):
            for goal, colour in enumerate(skill_colours(selection.shape[1])):
                axes.step(epochs, series[:, goal], where="post", color=colour, linewidth=0.9)
            if first_round:
                axes.axvspan(1, first_round + 1, color="0.94", zorder=0, linewidth=0)
            axes.set(ylabel=label, xlim=(1, max(2, len(epochs))))
            tidy(axes)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        upper.tick_params(labelbottom=False)
        later = selection[first_round:] if first_round < len(selection) else selection
        lower.set_ylim(0, 1.08 * later.max())
        right.set_ylim(bottom=0)
        right.yaxis.set_major_locator(MaxNLocator(integer=True))
        lower.set_xlabel("Epoch")
        right.set_xlabel("Epoch")
        _label_goals(right, counts[-1])
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    return figure


def _first_round(selection: np.ndarray) -> int:
    """How many epochs at the start drew from the goals not yet tried; [epochs, goals]."""
    tried = (selection == 0).any(axis=1)
    begun = np.flatnonzero(tried)
    return 0 if not tried[1:2].any() else int(begun[np.append(np.diff(begun) > 1, True)][0]) + 1


def _label_goals(axes: Axes, finals: np.ndarray) -> None:
    """The goals' names beside the ends of their lines, moved apart where they would overlap."""
    # In the axes' own height, so that the distance holds whatever the counts are.
    gap, top = 0.045, axes.get_ylim()[1]
    order = np.argsort(finals, kind="stable")
    places = spread(finals[order] / top, gap)
    colours = skill_colours(len(finals))
    for goal, place in zip(order, places, strict=True):
        axes.annotate(
            str(goal),
            xy=(1.0, finals[goal] / top),
            xytext=(1.06, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=colours[goal],
            fontsize=6.5,
            fontweight="bold",
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colours[goal], "linewidth": 0.5, "shrinkB": 0},
        )
    axes.annotate("goal", (1.06, 1.03), xycoords="axes fraction", fontsize=6.5, color="0.3")


def spread(values: np.ndarray, gap: float) -> np.ndarray:
    """Ascending values moved as little as needed to lie at least `gap` apart, centred as groups.

    >>> spread(np.array([0.0, 0.1, 0.5]), 0.2).round(2)
    array([-0.05,  0.15,  0.5 ])
    """
    groups: list[list[float]] = []  # mean of what each group wants for its centre, and its size
    for value in values:
        groups.append([float(value), 1])
        while len(groups) > 1:
            (low, few), (high, many) = groups[-2:]
            if high - low >= gap * (few + many) / 2:
                break
            groups[-2:] = [[(low * few + high * many) / (few + many), few + many]]
    return np.concatenate(
        [centre + gap * (np.arange(size) - (size - 1) / 2) for centre, size in groups]
    )
