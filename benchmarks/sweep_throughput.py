"""Does a sweep lose time? Four small runs as a sweep, and the same runs one after the other.

    python benchmarks/sweep_throughput.py [--repeats 3]

Alone, a run uses all cores; in the sweep as many runs as there are cores have one each. Both include
the start of Python and compiling. Repeats are interleaved, so that a busy machine disturbs both alike;
the processors' time is disturbed less than the clock's.
"""

import argparse
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

RUNS = 4
WORDS = "navigation2d --methods diayn dp --epochs 20"
SWEEP = """\
environment = "navigation2d"
methods = ["diayn", "dp"]
epochs = 20
[grid]
seeds = [[0, 1], [2, 3], [4, 5], [6, 7]]
"""


def processor_seconds() -> float:
    """Of all processes that have ended, theirs included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(*words: str) -> None:
    command = [sys.executable, "-m", "autotelic", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Cost(NamedTuple):
    """Of four runs: seconds by the clock, and of processors."""

    clock: float
    processors: float


def one_after_the_other(folder: Path) -> None:
    for number in range(RUNS):
        seeds = f"{2 * number},{2 * number + 1}"
        call("train", *shlex.split(WORDS), "--seeds", seeds, "--out", str(folder / str(number)))


def as_a_sweep(folder: Path) -> None:
    folder.mkdir()
    (folder / "sweep.toml").write_text(SWEEP)
    call("sweep", str(folder / "sweep.toml"), "--out", str(folder / "sweep"))


def cost_of(train: Callable[[Path], None], folder: Path) -> Cost:
    clock, processors = time.monotonic(), processor_seconds()
    train(folder)
    return Cost(time.monotonic() - clock, processor_seconds() - processors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    ratios: list[Cost] = []
    for repeat in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            alone = cost_of(one_after_the_other, Path(folder) / "alone")
            together = cost_of(as_a_sweep, Path(folder) / "together")
        ratios.append(Cost(*(b / a for a, b in zip(alone, together, strict=True))))
        print(
            f"repeat {repeat + 1}: one after the other {alone.clock:.1f} s (processors "
            f"{alone.processors:.1f} s), as a sweep {together.clock:.1f} s ({together.processors:.1f} s), "
            f"ratio {ratios[-1].clock:.2f} ({ratios[-1].processors:.2f})",
            flush=True,
        )
    clock, processors = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"the sweep takes {clock:.2f} times as long, and {processors:.2f} times the processors' time "
        f"(medians of {repeats})"
    )


if __name__ == "__main__":
    main()
