"""Tables of results in Markdown, for the page of a study and for the pages over all studies; a cell with
an interval has one form."""

from collections.abc import Iterable, Sequence
from typing import Any

from autotelic.evaluation.statistics import Interval
from studies.tables import Table


def as_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The header and the rows, a line each."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def interval_of(rows: Table, key: Any, name: str = "estimate") -> Interval | None:
    """What an analysis has of a key: its `estimate`, `difference` or `improvement`, with the interval."""
    if key not in rows.index:
        return None
    prefix = "" if name == "estimate" else f"{name}_"
    return Interval(*(float(rows.loc[key, c]) for c in (name, f"{prefix}low", f"{prefix}high")))


def cell(interval: Interval | None, form: str = "{:.3f}", bold: bool = False) -> str:
    """`0.812 [0.790, 0.830]`, or nothing where there is none."""
    if interval is None:
        return ""
    middle, low, high = (form.format(value) for value in interval)
    return f"**{middle} [{low}, {high}]**" if bold else f"{middle} [{low}, {high}]"


def difference(interval: Interval | None, form: str = "{:+.3f}") -> str:
    """With its sign; bold if it excludes zero."""
    return cell(interval, form, excludes_zero(interval))


def excludes_zero(interval: Interval | None) -> bool:
    """Whether all of the interval lies on one side."""
    return interval is not None and (interval.low > 0 or interval.high < 0)


def half_width(interval: Interval | None) -> str:
    """Of a difference's 95 % interval. A study finds a true difference of that size half of the time."""
    return "" if interval is None else f"{(interval.high - interval.low) / 2:.3f}"
