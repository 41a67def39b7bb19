"""`autotelic bench`: how fast training is on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console
from tyro.conf import arg

from autotelic import _validate
from autotelic.benchmark.results import as_json, rate_table
from autotelic.benchmark.suite import TASKS, Suite, quick
from autotelic.commands.reading import check_folder, read_flags
from autotelic.runs import atomic


@dataclass(frozen=True)
class BenchFlags:
    """Measure steps per second on this machine.

    The paper's settings with one update per step, METRA's loop on Ant, and every objective's update. Close
    other programs first: they show in the numbers. docs/performance.md says how everything is measured, and
    how to compare with the machine's limit and with other libraries.
    """

    out: Annotated[str, arg(metavar="FOLDER")] = "bench"
    """Where results.json is written."""
    repeats: Annotated[int, arg(metavar="N")] = 5
    """Rates that are taken of everything; their median counts."""
    quick: Annotated[bool, arg(help_behavior_hint="")] = False
    """Short repeats: rougher numbers within a few minutes."""


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(BenchFlags, "bench", words)
    _validate.integer("--repeats", flags.repeats, minimum=1, maximum=1000)
    out = Path(flags.out)
    check_folder(out)
    console = Console()
    suite = Suite(flags.repeats, lambda text: console.print(text, highlight=False, soft_wrap=True))
    for task in TASKS:
        suite.measure(quick(task) if flags.quick else task)
    suite.measure_acting(flags.quick)
    suite.measure_objectives(flags.quick)
    atomic.make_folder(out)
    atomic.write_json(out / "results.json", as_json(suite.results))
    for task in dict.fromkeys(result.task for result in suite.results):
        console.print(rate_table([result for result in suite.results if result.task == task]))
    console.print(f"{out} holds results.json", highlight=False)
