"""`autotelic bench`: how fast training is on this machine, beside its limit and other libraries."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console
from tyro.conf import arg

from autotelic import _validate
from autotelic.benchmark import report
from autotelic.benchmark.results import as_json
from autotelic.benchmark.suite import TASKS, Suite, quick
from autotelic.commands.reading import check_folder, read_flags
from autotelic.figures.saving import save_bitmap
from autotelic.runs import atomic


@dataclass(frozen=True)
class BenchFlags:
    """Measure steps per second on this machine: ours, the machine's limit, and other libraries.

    The paper's settings with one update per step, METRA's loop on Ant, every objective's update, and how
    long a first epoch takes to come. Close other programs first: they show in the numbers.
    docs/performance.md says how everything is measured.
    """

    out: Annotated[str, arg(metavar="FOLDER")] = "bench"
    """Where results.json and rates.png are written."""
    repeats: Annotated[int, arg(metavar="N")] = 5
    """Rates that are taken of everything; their median counts."""
    quick: Annotated[bool, arg(help_behavior_hint="")] = False
    """Short repeats: rougher numbers within a few minutes."""
    peers: Annotated[bool, arg(help_behavior_hint="")] = False
    """Measure Stable-Baselines3, SBX and QDax too, which are installed for it."""
    cache: Annotated[str, arg(metavar="FOLDER")] = "~/.cache/autotelic/bench"
    """Where these libraries' virtual environments are kept."""


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(BenchFlags, "bench", words)
    _validate.integer("--repeats", flags.repeats, minimum=1, maximum=1000)
    out, cache = Path(flags.out), Path(flags.cache).expanduser()
    check_folder(out)
    if flags.peers:
        cache.mkdir(parents=True, exist_ok=True)
    console = Console()
    suite = Suite(flags.repeats, lambda text: console.print(text, highlight=False, soft_wrap=True))
    tasks = [quick(task) if flags.quick else task for task in TASKS]

    def measure_alone() -> None:
        for task in tasks:
            suite.measure_alone(task)

    for task in tasks:
        suite.measure_ours(task)
        if flags.peers and task.peer_steps:
            suite.measure_peers(task, cache)
    for measure in (suite.measure_acting, suite.measure_objectives, suite.measure_waiting):
        measure(flags.quick)
        if not flags.quick or measure == suite.measure_objectives:
            measure_alone()  # minutes after the first time
    found = suite.report
    atomic.make_folder(out)
    atomic.write_json(out / "results.json", as_json(found))
    save_bitmap(report.chart(found), out, "rates")
    console.print(report.tables(found))
    console.print(f"{out} holds results.json and rates.png", highlight=False)
