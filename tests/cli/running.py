"""Small runs through the command line, in this process or in one of their own."""

import subprocess
import sys
from pathlib import Path

TINY = [
    *("--num-goals", "3", "--steps-per-epoch", "20", "--hidden-units", "8", "--batch-size", "8"),
    *("--first-update", "8", "--methods", "diayn", "dp:offset=5,smoothing=5", "--seeds", "1"),
    *("--replay-capacity", "60"),  # whatever the number of epochs, so that one program serves all
]
"""Flags of a run that takes a moment."""


def train_words(folder: Path, epochs: int, *more: str) -> list[str]:
    """`autotelic train` on 2D navigation at a tiny size."""
    words = ["train", "navigation2d", *TINY, "--epochs", str(epochs), "--out", str(folder)]
    return [*words, *more]


def start(words: list[str]) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "autotelic", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
