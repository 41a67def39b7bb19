"""What an interrupted run says: what is safe on disk, and how to continue."""

import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from autotelic import _stopping
from autotelic.runs.run import load


def interruptible(folder: Path, command: Sequence[str]) -> AbstractContextManager[None]:
    """Within, an interruption says how to continue the run in the folder: by this command."""
    return _stopping.saying(partial(how_to_continue, folder, command))


def how_to_continue(folder: Path, command: Sequence[str]) -> str:
    """What is safe on disk, and the command that continues from there."""
    if not (folder / "run.json").exists():
        return "interrupted before anything was trained"
    runs = load(folder)
    return (
        f"interrupted: {runs.epochs_done} of {runs.epochs} epochs are saved; continue with\n"
        f"  {shlex.join(command)}"
    )
