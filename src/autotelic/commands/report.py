"""`autotelic report`: one page to look at for a run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from autotelic import report
from autotelic.commands.reading import read_flags
from autotelic.evaluation._threads import answer_at_once
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.report.page import NAME, check_free


@dataclass(frozen=True)
class ReportFlags:
    """Build one self-contained HTML page: results, learning curves, goal selection and skills.

    The evaluation in the folder is used if it is up to date; otherwise one is made and kept there.
    """

    folder: Annotated[Positional[str], arg(metavar="FOLDER")]
    """A run, made by `autotelic train`."""
    out: Annotated[str, arg(metavar="FILE", help_behavior_hint=f"(default: FOLDER/{NAME})")] = ""
    """Where the page is written; only an earlier report is replaced."""
    no_films: Annotated[bool, arg(help_behavior_hint="")] = False
    """Do not render the skills."""
    own: OwnFlags = field(default_factory=OwnFlags)


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(ReportFlags, "report", words)
    answer_at_once()
    runs = open_run(flags.folder, flags.own, ["autotelic", "report", *words])
    path = Path(flags.out) if flags.out else runs.folder / NAME
    check_free(path)
    print("evaluating and drawing ...", flush=True)
    report.write(runs, path, render=not flags.no_films)
    print(f"{path} is the report ({path.stat().st_size / 1e6:.1f} MB); open it in a browser")
