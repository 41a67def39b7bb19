"""Figure 2's form: what the selector knew of each goal, how likely it made it, and how often it chose it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic.figures.style import PAGE, shown, skill_colours, spread, style, tidy
from autotelic.runs.history import History, LearnerHistory, visit_times

if TYPE_CHECKING:
    import pandas

    from autotelic.runs.run import Runs

MOST_LABELS = 22
"""Goals that are labelled at most, those chosen most often: more would overlap."""

FEW = 8
"""Goals whose lines can have different widths."""
BEHIND: dict[str, Any] = {"color": "0.8", "linewidth": 0.5, "zorder": 1}
"""How other seeds are drawn."""
NOTE: dict[str, Any] = {"fontsize": 6.5, "color": "0.35", "ha": "center"}


def goal_dynamics(
    runs: "Runs | pandas.DataFrame",
    method: str,
    seed: int,
    *,
    signal: str = "Diversity Progress",
    title: str = "",
) -> Figure:
    """One learner's goal selection over training, one colour a goal.

    Upper left the signal of each goal, which changes when a visit to it ends; lower left the
    probabilities that each visit's goal was drawn from; right how often each goal was chosen so far.
    A visit lasts an epoch, or a part of one if the setting has `steps_per_goal`. The first round, in
    which each goal is tried once, is shaded; its probabilities, which end at 1, may leave the panel, as its
    scale is that of what follows. Of a few goals the lines of counts are of different widths, so that none
    hides another where goals were chosen equally often.

    Args:
        runs: a run, or its history table.
        method: its name in the run.
        seed: of the learner.
        signal: what the selector's values are called.
        title: above the figure.
    """
    return dynamics_of(History(runs).learner(method, seed), signal=signal, title=title)


def dynamics_of(
    own: LearnerHistory,
    others: Sequence[LearnerHistory] = (),
    *,
    signal: str = "Diversity Progress",
    title: str = "",
) -> Figure:
    """The same of a learner's history; `others`: of further seeds, whose counts are drawn grey behind."""
    goals, selection, values, warm_up = own.goals, own.selection, own.signal, own.warm_up
    assert selection is not None
    num_goals = selection.shape[1]
    times = visit_times(
        len(goals) + 1, own.visits_per_epoch
    )  # when each visit began, and the last one ended
    counts = np.cumsum(goals[:, None] == np.arange(num_goals), axis=0)
    first_round = warm_up + _first_round(selection[warm_up:])
    with style():
        figure = Figure(figsize=(PAGE, 3.1), layout="constrained")
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.1))
        upper = figure.add_subplot(grid[0, 0])
        lower = figure.add_subplot(grid[1, 0], sharex=upper)
        right = figure.add_subplot(grid[:, 1])
        _draw(upper, times, values, signal)
        _draw(lower, times, selection, "Selection probability")
        for other in others:
            theirs = np.cumsum(other.goals[:, None] == np.arange(num_goals), axis=0)
            edges = visit_times(len(theirs) + 1, other.visits_per_epoch)
            for goal in range(num_goals):
                right.stairs(theirs[:, goal], edges, baseline=None, **BEHIND)
        widths = np.linspace(2.2, 0.8, num_goals) if num_goals <= FEW else None
        _draw(right, times, counts, "Times chosen", widths)
        for axes in (upper, lower, right):
            if first_round:
                axes.axvspan(1, times[first_round], color="0.94", zorder=0, linewidth=0)
            axes.set_xlim(1, times[-1])
        upper.tick_params(labelbottom=False)
        highest = float(np.max(selection[first_round:], initial=0.0)) or 1.0
        lower.set(xlabel="Epoch", ylim=(0, min(1.02, 1.15 * highest)))
        right.set(xlabel="Epoch", ylim=(0, None))
        right.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        if first_round > 0.12 * len(goals):
            middle = ((1 + times[first_round]) / 2, 0.5)
            lower.text(
                *middle, "first\nround", transform=lower.get_xaxis_transform(), va="center", **NOTE
            )
        _label_goals(right, counts[-1])
        if title:
            figure.suptitle(shown(title, PAGE), x=0.01, ha="left", fontsize="medium")
    return figure


def _draw(
    axes: Axes,
    edges: np.ndarray,
    series: np.ndarray,
    label: str,
    widths: np.ndarray | None = None,
) -> None:
    """A line for each goal of [visits, goals], which changes from visit to visit in steps."""
    for goal, colour in enumerate(skill_colours(series.shape[1])):
        width = 0.9 if widths is None else widths[goal]
        axes.stairs(series[:, goal], edges, baseline=None, color=colour, linewidth=width)
    axes.set_ylabel(label)
    tidy(axes)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 2.5, 5, 10]))


def _first_round(selection: np.ndarray) -> int:
    """How many visits tried each goal once: none unless the second excludes the first's goal."""
    visits, num_goals = selection.shape
    return num_goals if visits > num_goals and (selection[1] == 0).any() else 0


def _label_goals(axes: Axes, heights: np.ndarray) -> None:
    """The goals' numbers beside the ends of their lines, moved apart where they would overlap."""
    top = axes.get_ylim()[1]
    order = np.argsort(heights)[-MOST_LABELS:]
    places = spread(np.maximum(0, heights[order]) / top, gap=1.0 / MOST_LABELS)
    colours = skill_colours(len(heights))
    for goal, place in zip(order, places, strict=True):
        line = {"arrowstyle": "-", "color": colours[goal], "linewidth": 0.7, "relpos": (0, 0.5)}
        axes.annotate(
            str(goal),
            xy=(1.0, heights[goal] / top),
            xytext=(1.09, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            fontsize=6.5,
            va="center",
            annotation_clip=False,
            arrowprops={**line, "shrinkA": 1, "shrinkB": 0, "patchA": None},
        )
    axes.text(1.1, -0.09, "goal", transform=axes.transAxes, va="top", **NOTE)
