"""Speed beside the machine's limit and other libraries: what `autotelic bench` measures, and more.

    python -m benchmarks.comparison                  # ours, the limit, start-up: a table and bench/
    python -m benchmarks.comparison --quick --peers  # Stable-Baselines3, SBX and QDax too; short repeats

The folder gets results.json and rates.png. The other libraries are installed in virtual environments of their
own under --cache.
"""

import argparse
from pathlib import Path

from rich.console import Console

from autotelic.figures.saving import save_bitmap
from autotelic.runs import atomic
from benchmarks.comparison import report
from benchmarks.comparison.results import as_json
from benchmarks.comparison.suite import TASKS, Comparison, quick


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("bench"), metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/autotelic/bench"))
    given = parser.parse_args()
    cache = given.cache.expanduser()
    if given.peers:
        cache.mkdir(parents=True, exist_ok=True)
    console = Console()
    comparison = Comparison(
        given.repeats, lambda text: console.print(text, highlight=False, soft_wrap=True)
    )
    comparison.measure_all(
        [quick(task) if given.quick else task for task in TASKS],
        given.quick,
        cache if given.peers else None,
    )
    found = comparison.report
    atomic.make_folder(given.out)
    atomic.write_json(given.out / "results.json", as_json(found))
    save_bitmap(report.chart(found), given.out, "rates")
    console.print(report.tables(found))
    console.print(f"{given.out} holds results.json and rates.png", highlight=False)


if __name__ == "__main__":
    main()
