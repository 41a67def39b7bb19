"""One self-contained HTML page for a folder of runs: no network, no other file needed."""

import warnings as _warnings
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING

from autotelic.report.page import report_page, write

if _TYPE_CHECKING:
    from autotelic.runs.run import Runs

__all__ = ["report_page", "write", "write_report"]


def write_report(runs: "Runs", path: str | _Path | None = None, *, render: bool = True) -> _Path:
    """`write`, by the name it had in version 0.1."""
    _warnings.warn(
        "report.write_report is report.write since version 0.2", DeprecationWarning, stacklevel=2
    )
    return write(runs, path, render=render)
