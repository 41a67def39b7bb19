"""Small runs through the command line, in this process or in one of their own."""

import subprocess
import sys
from pathlib import Path

from autotelic.learner.setting import Setting

TINY = [
    *("--num-goals", "3", "--steps-per-epoch", "20", "--hidden-units", "8", "--batch-size", "8"),
    *("--first-update", "8", "--methods", "diayn", "dp:offset=5,smoothing=5", "--seeds", "1"),
    *("--replay-capacity", "60"),  # whatever the number of epochs, so that one program serves all
]
"""Flags of a run that takes a moment."""
TINY_SETTING = Setting(
    environment="navigation2d",
    num_goals=3,
    steps_per_epoch=20,
    hidden_units=8,
    batch_size=8,
    first_update=8,
    replay_capacity=60,
)
"""The same in Python: one program serves both."""


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
