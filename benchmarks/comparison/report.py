"""A benchmark's report for the eye: tables for the terminal, and a bar chart."""

import statistics
from collections.abc import Sequence

import matplotlib.ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Group
from rich.table import Table
from rich.text import Text

from autotelic.benchmark.results import WHAT, What, machine, number, percent
from benchmarks.comparison.results import Report, Result
from benchmarks.comparison.waiting import Wait

OURS, THEIRS, LIMIT = "#0072b2", "#999999", "#d55e00"


def tables(report: Report) -> Group:
    """All rates, how they compare, and what could not be measured."""
    parts: list[Table | Text] = [Text(headline(report))]
    for task in report.tasks:
        parts.append(rate_table(report, task))
        for what in ("whole loop", "update alone"):
            ratios = report.ratios(task, what)
            if ratios:
                parts.append(ratio_table(task, what, ratios))
    if report.waits:
        parts.append(wait_table(report.waits))
    parts += [Text(f"not measured: {why}") for why in report.unavailable.values()]
    return Group(*parts)


def headline(report: Report) -> str:
    """The machine and its peak."""
    found = machine()
    low, high = min(report.peaks) / 1e9, max(report.peaks) / 1e9
    return (
        f"{found['processor']}, {found['usable_cores']} cores. Matrix products of 2048 x 2048 in "
        f"float32: {report.peak / 1e9:.0f} GFLOP/s (median of {len(report.peaks)} measurements "
        f"during the run, {low:.0f} to {high:.0f}): the peak. All rates are in steps per second, with one "
        "update per step unless a table says otherwise, the median and the range of the repeats."
    )


def rate_table(report: Report, task: str) -> Table:
    """One row per result of a task; what is to be known of the peers stands below."""
    rows = [result for result in report.results if result.task == task]
    rows.sort(key=lambda row: WHAT.index(row.what))
    notes = dict.fromkeys(
        row.note if row.ours else f"{row.name}: {row.note}" for row in rows if row.note
    )
    table = Table(title=task, caption="\n".join(notes), caption_justify="left")
    table.add_column("")
    for column in ("steps/s", "range", "of peak", "environment"):
        table.add_column(column, justify="right", no_wrap=True)
    previous = None
    for row in rows:
        if row.what != previous:
            table.add_section()
            table.add_row(row.what, style="bold")
            previous = row.what
        low, high = row.spread
        table.add_row(
            f"  {row.name}",
            number(row.rate),
            f"{number(low)} - {number(high)}",
            percent(report.fraction(row)),
            percent(row.environment_share),
        )
    return table


def ratio_table(task: str, what: What, ratios: dict[str, dict[str, float]]) -> Table:
    """How many times as fast each of ours is as each peer."""
    table = Table(title=f"{task}, {what}: how many times as fast as")
    table.add_column("")
    for peer in next(iter(ratios.values())):
        table.add_column(peer, justify="right")
    for name, row in ratios.items():
        table.add_row(name, *(f"{ratio:.2f}" for ratio in row.values()))
    return table


def wait_table(waits: Sequence[Wait]) -> Table:
    """Start-up: medians and ranges in seconds."""
    table = Table(title="seconds from the command to the end of a first epoch, one learner")
    table.add_column("")
    for column in ("nothing compiled before", "the same command again"):
        table.add_column(column, justify="right")
    for wait in waits:
        cells = [
            f"{statistics.median(seconds):.1f} ({min(seconds):.1f} - {max(seconds):.1f})"
            for seconds in (wait.first, wait.again)
        ]
        table.add_row(wait.environment, *cells)
    return table


def chart(report: Report) -> Figure:
    """One panel per task: bars for medians, lines for ranges, a mark where the peak would allow no more."""
    panels = {task: _shown(report, task) for task in report.tasks}
    heights = [len(rows) + 1.5 for rows in panels.values()]
    figure = Figure(figsize=(9, 0.34 * sum(heights) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for panel, (task, rows) in zip(axes, panels.items(), strict=True):
        _draw(panel, task, rows, report)
    axes[-1].set_xlabel("steps per second, one update per step")
    return figure


def _shown(report: Report, task: str) -> list[Result]:
    """What a panel shows: an environment alone is so fast that nothing else could be seen."""
    rows = [r for r in report.results if r.task == task and r.what != "environment alone"]
    return sorted(rows, key=lambda r: (WHAT.index(r.what), not r.ours))


def _draw(panel: Axes, task: str, rows: list[Result], report: Report) -> None:
    places = range(len(rows))
    rates = [row.rate for row in rows]
    below = [row.rate - row.spread[0] for row in rows]
    above = [row.spread[1] - row.rate for row in rows]
    panel.barh(
        places,
        rates,
        xerr=[below, above],
        color=[OURS if row.ours else THEIRS for row in rows],
        alpha=1.0,
        ecolor="black",
        error_kw={"elinewidth": 1.0, "capsize": 2},
        height=0.72,
    )
    ends = [row.spread[1] for row in rows]
    for place, row, end in zip(places, rows, ends, strict=True):
        share = report.fraction(row)
        text = f"{row.rate:,.0f}" + (f"  ({share:.0%} of peak)" if share is not None else "")
        panel.annotate(text, (end, place), (5, 0), textcoords="offset points", va="center", size=8)
    labels = [row.name + (", update alone" if row.what == "update alone" else "") for row in rows]
    panel.set_yticks(list(places), labels, size=8)
    panel.invert_yaxis()
    right = max(ends) * 1.25
    limit = next((report.peak / row.flops for row in rows if row.flops), None)
    if limit is not None and limit < 2.5 * max(ends):
        panel.axvline(limit, color=LIMIT, linestyle="--", linewidth=1.2)
        panel.annotate(
            "peak",
            (limit, 1.0),
            (-4, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="right",
            va="top",
            size=8,
            color=LIMIT,
        )
        right = max(right, 1.1 * limit)
    panel.set_xlim(0, right)
    panel.xaxis.set_major_formatter(matplotlib.ticker.StrMethodFormatter("{x:,.0f}"))
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_title(task, loc="left", size=10)
