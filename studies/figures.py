"""A study's pictures: learning curves, and every arm beside the baselines of its condition."""

import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autotelic.figures import Curve, learning_curves
from autotelic.figures.saving import footnote
from autotelic.figures.style import PAGE, PALETTE, style, tidy
from studies.study import Study
from studies.tables import MEASURES, Table, Tables

ACCURACIES = {
    "held out, whole trajectory": "trajectory_accuracy",
    "held out, one state": "held_out_accuracy",
    "own discriminator": "discriminator_accuracy",
}
SUCCESS = {"goals that can be reached": "success"}
"""Curves by what stands over their panels."""
TITLE_WIDTH = 30
"""Letters that fit over one of three panels."""
LETTER = 0.06
"""Inches of a letter in a title or an arm's name."""
TICKS = 4
"""Parts that the scale of one of three panels has at most."""
MOST_DRAWN = len(PALETTE)
"""Arms in a panel of curves: as many as there are colours."""


def curves(study: Study, tables: Tables) -> Figure:
    """Accuracy or success over epochs: the baselines and the best of the other arms, `MOST_DRAWN` in all.

    With one condition a panel for each kind of accuracy; with several one for each that has a baseline,
    from single states, which tell more than whole trajectories do.
    """
    drawn = _drawn_arms(study, tables.seeds)
    named = {arm.condition for arm in study.arms if arm.name in study.baselines}
    conditions = [c for c in study.conditions if c in named] or study.conditions
    of_success = study.measures[0] == "area_success"
    kinds = SUCCESS if of_success else ACCURACIES
    one = "success" if of_success else "held_out_accuracy"
    wanted = (
        {condition: (condition, one) for condition in conditions}
        if len(conditions) > 1
        else {words: (conditions[0], metric) for words, metric in kinds.items()}
    )
    panels = {
        textwrap.fill(title, TITLE_WIDTH): _panel_curves(tables.curves, condition, drawn, metric)
        for title, (condition, metric) in wanted.items()
    }
    return learning_curves(panels)


def comparison(study: Study, seeds: Table, summary: Table, compared: Table, metric: str) -> Figure:
    """A measure of every arm, and its difference to each baseline in pairs of seeds."""
    summary = summary[summary["metric"] == metric]
    compared = compared[compared["metric"] == metric]
    places = _places(study)
    with style():
        figure = Figure(figsize=(PAGE, 0.9 + 0.15 * (places[-1][0] + 1)), layout="constrained")
        count = 1 + len(study.baselines)
        narrower = min(1.0, 3 / count)
        longest = max(len(name) for _, _, name in places)
        width = int((PAGE - LETTER * longest) / count / LETTER)  # what the arms' names leave
        grid: Any = figure.subplots(1, count, squeeze=False, sharey=True)[0]
        _levels(grid[0], places, seeds, summary, metric)
        for axes, baseline in zip(grid[1:], study.baselines, strict=True):
            _differences(axes, places, compared[compared["baseline"] == baseline])
            kept = baseline.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
            title = textwrap.fill(f"difference to {kept}", width, break_on_hyphens=False)
            axes.set_title(title, loc="left", fontsize=7.5)
        grid[0].set_title(textwrap.fill(MEASURES[metric].title, width), loc="left", fontsize=7.5)
        for axes in grid:
            axes.xaxis.set_major_locator(MaxNLocator(int(TICKS * narrower)))
        arms = [(place, name) for place, _, name in places if name]
        grid[0].set_yticks([place for place, _ in arms], [name for _, name in arms])
        grid[0].set_ylim(places[-1][0] + 0.6, -0.6)
        for place, condition, name in places:
            if not name:
                _heading(grid, place, condition)
        footnote(
            figure,
            f"mark: interquartile mean (left), mean difference (right) of {len(study.seeds)} seeds; "
            "bar: 95 % interval; dots: seeds",
        )
    return figure


def _drawn_arms(study: Study, seeds: Table) -> list[str]:
    """The baselines and the arms of the largest primary measure, in the study's order."""
    best = (
        seeds.groupby("arm")[study.measures[0]]
        .mean()
        .sort_values(ascending=False, kind="stable")
        .index
    )
    others = [name for name in best if name not in study.baselines]
    chosen = {*study.baselines, *others[: MOST_DRAWN - len(study.baselines)]}
    return [name for name in dict.fromkeys(arm.name for arm in study.arms) if name in chosen]


def _panel_curves(table: Table, condition: str, drawn: list[str], metric: str) -> dict[str, Curve]:
    own = table[table["condition"] == condition]
    found = {}
    for name in drawn:
        rows = own[own["arm"] == name]
        if rows[metric].notna().any():
            wide = rows.pivot(index="seed", columns="epoch", values=metric).dropna()
            found[name] = Curve(wide.columns.to_numpy(), wide.to_numpy())
    return found


def _places(study: Study) -> list[tuple[int, str, str]]:
    """(row, condition, arm) from above; a condition's title has a row of its own, without an arm."""
    rows = []
    for condition in study.conditions:
        rows += [(condition, "")] * bool(condition)
        rows += [(condition, arm.name) for arm in study.arms if arm.condition == condition]
    return [(place, *row) for place, row in enumerate(rows)]


def _heading(grid: Any, place: int, condition: str) -> None:
    """A condition's name over its arms; it may be as wide as all panels, whose row is empty."""
    grid[0].set_zorder(1)
    grid[0].text(
        *(0.0, place, condition),
        transform=grid[0].get_yaxis_transform(),
        fontsize=7,
        fontweight="bold",
        va="center",
        in_layout=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )


def _levels(
    axes: Axes,
    places: list[tuple[int, str, str]],
    seeds: Table,
    summary: Table,
    metric: str,
) -> None:
    for place, condition, name in places:
        values = _of(seeds, condition, name)[metric].to_numpy()
        axes.scatter(values, np.full(len(values), place + 0.25), s=4, color="0.5", lw=0)
        for row in _of(summary, condition, name).itertuples():
            _mark(axes, place, row.estimate, row.low, row.high, "black")
    _tidy(axes)


def _differences(axes: Axes, places: list[tuple[int, str, str]], compared: Table) -> None:
    axes.axvline(0.0, color="0.5", linewidth=0.8)
    for place, condition, name in places:
        for row in _of(compared, condition, name).itertuples():
            low, high = float(row.difference_low), float(row.difference_high)
            # The interval tells: better, worse, or not to be told.
            colour = PALETTE[5] if low > 0 else PALETTE[1] if high < 0 else "0.4"
            _mark(axes, place, row.difference, low, high, colour)
    _tidy(axes)


def _of(table: Table, condition: str, name: str) -> Table:
    return table[(table["condition"] == condition) & (table["arm"] == name)]


def _mark(axes: Axes, place: int, estimate: Any, low: Any, high: Any, colour: str) -> None:
    axes.plot(
        [low, high], [place, place], color=colour, linewidth=4.0, alpha=0.45, solid_capstyle="butt"
    )
    axes.plot([estimate] * 2, [place - 0.25, place + 0.25], color=colour, linewidth=1.3)


def _tidy(axes: Axes) -> None:
    tidy(axes)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color="0.93", linewidth=0.6)
    axes.margins(x=0.06)
