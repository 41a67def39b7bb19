"""Does a sweep lose time? Four small runs as a sweep, and the same runs one after the other.

    python benchmarks/sweep_throughput.py [--repeats 3]

Alone, a run uses all cores; in the sweep as many runs as there are cores have one each. Both include
the start of Python and compiling. Repeats are interleaved, so that a busy machine disturbs both alike.
"""

import argparse
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 4
WORDS = "navigation2d --methods diayn dp --epochs 20"
SWEEP = """\
environment = "navigation2d"
methods = ["diayn", "dp"]
epochs = 20
[grid]
seeds = [[0, 1], [2, 3], [4, 5], [6, 7]]
"""


def call(*words: str) -> None:
    command = [sys.executable, "-m", "autotelic", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def one_after_the_other(folder: Path) -> float:
    begun = time.monotonic()
    for number in range(RUNS):
        seeds = f"{2 * number},{2 * number + 1}"
        call("train", *shlex.split(WORDS), "--seeds", seeds, "--out", str(folder / str(number)))
    return time.monotonic() - begun


def as_a_sweep(folder: Path) -> float:
    folder.mkdir()
    (folder / "sweep.toml").write_text(SWEEP)
    begun = time.monotonic()
    call("sweep", str(folder / "sweep.toml"), "--out", str(folder / "sweep"))
    return time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    ratios = []
    for repeat in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            alone = one_after_the_other(Path(folder) / "alone")
            together = as_a_sweep(Path(folder) / "together")
        ratios.append(together / alone)
        print(
            f"repeat {repeat + 1}: one after the other {alone:.1f} s, as a sweep {together:.1f} s, "
            f"ratio {together / alone:.2f}",
            flush=True,
        )
    print(f"the sweep takes {statistics.median(ratios):.2f} times as long (median of {repeats})")


if __name__ == "__main__":
    main()
