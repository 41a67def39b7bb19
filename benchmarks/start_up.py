"""How long does a user wait for the end of a first epoch, with programs kept and without?

    python -m benchmarks.start_up --out docs/results/bench/start_up.json

The part of `python -m benchmarks.comparison` that takes whole commands, by itself.
"""

import argparse
import platform
import statistics
from pathlib import Path

import jax

from autotelic._cores import usable_cores
from autotelic._version import __version__
from autotelic.runs import atomic
from benchmarks.comparison.waiting import ENVIRONMENTS, measure_wait


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    flags = parser.parse_args()
    found = [measure_wait(environment, flags.repeats) for environment in ENVIRONMENTS]
    for wait in found:
        first, again = statistics.median(wait.first), statistics.median(wait.again)
        print(f"{wait.environment:16} first {first:5.1f} s, again {again:5.1f} s")
    atomic.write_json(
        flags.out,
        {
            "autotelic": __version__,
            "jax": jax.__version__,
            "python": platform.python_version(),
            "cores": usable_cores(),
            "waits": [wait._asdict() for wait in found],
        },
    )


if __name__ == "__main__":
    main()
