"""Stopping a run: SIGTERM as Ctrl-C, and word of how to continue."""

import shlex
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autotelic.runs.run import load


@contextmanager
def interruptible(folder: Path, command: Sequence[str]) -> Iterator[None]:
    """Let SIGTERM stop training as Ctrl-C does; `command` is what continues it."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(how_to_continue(folder, command)) from None
    finally:
        signal.signal(signal.SIGTERM, previous)


def how_to_continue(folder: Path, command: Sequence[str]) -> str:
    """What is safe on disk, and the command that continues from there."""
    if not (folder / "run.json").exists():
        return "interrupted before anything was trained"
    runs = load(folder)
    return (
        f"interrupted: {runs.epochs_done} of {runs.epochs} epochs are saved; continue with\n"
        f"  {shlex.join(command)}"
    )
