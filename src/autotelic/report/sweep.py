"""The page of a whole sweep: all runs with their results side by side, and links to their own pages."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from autotelic._documents import read_bytes
from autotelic._version import __version__
from autotelic.evaluation.statistics import FEWEST_RUNS
from autotelic.report.markup import Html, joined, table, tag
from autotelic.report.page import MARKER, NAME, check_free, filled, source
from autotelic.runs import atomic
from autotelic.sweeps import results, status
from autotelic.sweeps.folder import FILE, RUNS, read_plan, tasks


def sweep_page(folder: Path) -> str:
    """The page of the sweep in a folder, from what its runs' evaluations found."""
    plan = read_plan(folder)
    rows = status.rows(tasks(folder, plan), driven=True)
    found = results.lines(folder, plan.cells)
    return filled(
        source("sweep.html"),
        {
            "generator": f"{MARKER} {__version__}",
            "title": f"{folder.name}: {status.summary(rows)}",
            "style": Html(source("style.css")),
            "runs": _runs(folder, rows),
            "results": _results(found, results.labels(folder, found)),
            "file": tag(
                "details", tag("summary", FILE), tag("pre", read_bytes(folder / FILE).decode())
            ),
            "footer": f"Made by autotelic {__version__} from {folder}; the runs' pages stand beside it.",
        },
    )


def write(folder: Path) -> Path:
    """Write the page into the sweep's folder; replaces nothing but an earlier one."""
    path = folder / NAME
    check_free(path)
    atomic.write_bytes(path, sweep_page(folder).encode())
    return path


def _runs(folder: Path, rows: Sequence[status.Row]) -> Html:
    made = []
    for row in rows:
        page = folder / RUNS / row.name / NAME
        name = row.name
        if page.exists():
            name = tag("a", row.name, href=f"{RUNS}/{quote(row.name)}/{NAME}")
        made.append([name, row.state, f"{row.epoch} of {row.epochs}", row.note])
    return table(
        "The runs; a name leads to the run's own page", ["run", "state", "epochs", ""], made
    )


def _results(found: Sequence[results.Line], labels: dict[str, str]) -> Html:
    rows = results.by_method(found)
    metrics = [name for name in labels if any(name in row for row in rows.values())]
    made = [
        [run, method, *(results.text(row.get(name)) for name in metrics)]
        for (run, method), row in rows.items()
    ]
    head = ["run", "method", *(labels[name] for name in metrics)]
    explained = tag(
        "p",
        f"Interquartile means over seeds with 95 % intervals, where there are {FEWEST_RUNS} seeds or more. "
        f"All metrics are in {results.CSV}.",
        class_="caption",
    )
    return joined([table("What was learned", head, made), explained])
