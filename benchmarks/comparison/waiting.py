"""How long a user waits: from the command to the end of a first epoch, in a process of its own."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ENVIRONMENTS = ("navigation2d", "HalfCheetah-v5")
PROGRAMS = "JAX_COMPILATION_CACHE_DIR"
"""By which JAX is told where compiled programs are kept."""
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""With it Python would compile every module anew in each command, which users do not wait for."""


class Wait(NamedTuple):
    """Seconds of one learner's first epoch, the command's start and end included.

    first: with nothing compiled before; again: the same command once more.
    """

    environment: str
    first: list[float]
    again: list[float]


def measure_wait(environment: str, repeats: int) -> Wait:
    """Both, so many times; programs are kept in a folder of their own, which goes afterwards."""
    first, again = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(prefix="autotelic-bench-") as folder:
            programs = Path(folder) / "programs"
            first.append(_seconds(environment, programs, Path(folder) / "first"))
            again.append(_seconds(environment, programs, Path(folder) / "again"))
    return Wait(environment, first, again)


def _seconds(environment: str, programs: Path, out: Path) -> float:
    words = [sys.executable, "-m", "autotelic", "train", environment, "--methods", "diayn"]
    words += ["--seeds", "1", "--epochs", "1", "--out", str(out)]
    environment_variables = {**os.environ, PROGRAMS: str(programs)}
    environment_variables.pop(NO_BYTECODE, None)
    started = time.perf_counter()
    done = subprocess.run(
        words,
        env=environment_variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr.strip()}")
    return time.perf_counter() - started
