"""One evaluation over a whole sweep: the estimates of all runs in one table."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from autotelic._words import figure
from autotelic.runs import atomic
from autotelic.runs.evaluated import EVALUATION_FILE, read_evaluated
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.folder import RUNS

CSV = "evaluation.csv"
UNTRAINED = "untrained"
LABEL_WIDTH, COLUMN_WIDTH = 30, 24
"""Columns of a terminal that names, and a metric's numbers, take."""
ESTIMATE = ("method", "trained", "metric", "seeds", "estimate", "low", "high")


class Line(NamedTuple):
    """An estimate of one run: what evaluation found, and the values that the run differs by."""

    run: str
    values: dict[str, Any]
    estimate: dict[str, Any]


def lines(folder: Path, cells: Sequence[Checked]) -> list[Line]:
    """The estimates of all runs that are evaluated, in the order of the sweep."""
    keys = differing(cells)
    found = []
    for cell in cells:
        run = folder / RUNS / cell.name
        if (run / EVALUATION_FILE).exists():
            values = {key: cell.values.get(key, "") for key in keys}
            content, _ = read_evaluated(run)
            found += [Line(cell.name, values, row._asdict()) for row in content["summary"]]
    return found


def differing(cells: Sequence[Checked]) -> list[str]:
    """The keys in which runs of a sweep differ."""
    keys = dict.fromkeys(key for cell in cells for key in cell.values)
    return [key for key in keys if len({repr(cell.values.get(key)) for cell in cells}) > 1]


def write(folder: Path, found: Sequence[Line]) -> Path:
    """Write the table, a line for each run, method, trained or not, and metric."""
    keys = list(found[0].values) if found else []
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", *keys, *ESTIMATE])
    for line in found:
        values = [_plain(line.values[key]) for key in keys]
        writer.writerow([line.run, *values, *(line.estimate[name] for name in ESTIMATE)])
    atomic.write_bytes(folder / CSV, text.getvalue().encode())
    return folder / CSV


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def labels(folder: Path, found: Sequence[Line]) -> dict[str, str]:
    """What the metrics that belong in a short table are called, by their names."""
    known: dict[str, str] = {}
    for run in dict.fromkeys(line.run for line in found):
        words = read_evaluated(folder / RUNS / run)[0]["metrics"]
        known |= {name: one["label"] for name, one in words.items() if one["headline"]}
    return known


def by_method(found: Sequence[Line]) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Estimates by run and method, then metric; untrained skills are alike for all methods of a run."""
    made: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for line in found:
        method = line.estimate["method"] if line.estimate["trained"] else UNTRAINED
        made.setdefault((line.run, method), {})[line.estimate["metric"]] = line.estimate
    return made


def text(estimate: dict[str, Any] | None) -> str:
    """An estimate with its interval.

    >>> text({"estimate": 0.5, "low": 0.412, "high": 0.6}), text({"estimate": 12.0, "low": None})
    ('0.500 (0.412 to 0.600)', '12.0')
    """
    if estimate is None:
        return "-"
    if estimate["low"] is None:
        return figure(estimate["estimate"])
    return (
        f"{figure(estimate['estimate'])} ({figure(estimate['low'])} to {figure(estimate['high'])})"
    )


def tables(found: Sequence[Line], names: dict[str, str], width: int) -> list[Table]:
    """The short tables, a row for each run and method, as many metrics side by side as fit."""
    rows = by_method(found)
    room = max(1, (width - LABEL_WIDTH) // COLUMN_WIDTH)
    metrics = [name for name in names if any(name in row for row in rows.values())]
    made = []
    for first in range(0, len(metrics), room):
        part = metrics[first : first + room]
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("run", overflow="fold")
        table.add_column("method", overflow="fold")
        for name in part:
            table.add_column(Text(names[name]), justify="right", overflow="fold")
        previous = ""
        for (run, method), row in rows.items():
            shown = "" if run == previous else run
            table.add_row(Text(shown), Text(method), *(text(row.get(name)) for name in part))
            previous = run
        made.append(table)
    return made
