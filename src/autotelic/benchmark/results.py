"""Rates that were measured: as JSON with the machine they are of, and as a table."""

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

from rich.table import Table

from autotelic._version import __version__
from autotelic.training.workers import usable_workers

PACKAGES = ("jax", "jaxlib", "numpy", "gymnasium", "mujoco")

What = Literal["whole loop", "update alone", "environment alone"]
WHAT: tuple[What, ...] = get_args(What)


@dataclass(frozen=True)
class Result:
    """One row: who did what how fast.

    task: the environment and its widths; rates: steps a second, one for each repeat.
    environment_share: of the loop's time.
    """

    task: str
    what: What
    name: str
    rates: list[float]
    environment_share: float | None = None
    note: str = ""

    @property
    def rate(self) -> float:
        """The median rate."""
        return statistics.median(self.rates)

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and the highest rate."""
        return min(self.rates), max(self.rates)

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "task": self.task,
            "what": self.what,
            "name": self.name,
            "steps_per_second": self.rate,
            "spread": list(self.spread),
            "repeats": self.rates,
            "environment_share": self.environment_share,
            "note": self.note,
        }


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """All rows as JSON values, and where they were measured."""
    return {
        "machine": machine(),
        "versions": {
            "autotelic": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "results": [result.as_json() for result in results],
    }


def machine() -> dict[str, Any]:
    """The processor, and how much of it may be used."""
    return {
        "processor": _processor(),
        "usable_cores": usable_workers(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def rate_table(rows: Sequence[Result]) -> Table:
    """The rows of one task; what is to be known of them stands below."""
    notes = dict.fromkeys(row.note for row in rows if row.note)
    table = Table(title=rows[0].task, caption="\n".join(notes), caption_justify="left")
    table.add_column("")
    for column in ("steps/s", "range", "environment"):
        table.add_column(column, justify="right", no_wrap=True)
    for what in WHAT:
        own = [row for row in rows if row.what == what]
        if own:
            table.add_section()
            table.add_row(what, style="bold")
        for row in own:
            low, high = row.spread
            between = f"{number(low)} - {number(high)}"
            share = percent(row.environment_share)
            table.add_row(f"  {row.name}", number(row.rate), between, share)
    return table


def number(rate: float) -> str:
    """A rate in as many digits as it deserves.

    >>> number(345.6), number(4567.8), number(69_676_603.0)
    ('346', '4,568', '69.7 M')
    """
    return f"{rate / 1e6:,.1f} M" if rate >= 1e6 else f"{rate:,.0f}"


def percent(share: float | None) -> str:
    """A share, with a decimal where it is small.

    >>> percent(0.654), percent(0.0123), percent(None)
    ('65%', '1.2%', '')
    """
    return "" if share is None else f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
