"""Modules in the current folder, which may be somebody else's: a command of the shell does not find them by
itself, and Python started with -c or -m finds them before its own, unless it is told not to.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PYTHON = (sys.executable, "-P")
"""Python for a process of ours, to be followed by -c or -m."""
SAFE_PATH = "PYTHONSAFEPATH"
"""The same as a variable, for processes that others start."""


@contextmanager
def modules_here() -> Iterator[None]:
    """Let modules in the current folder be imported, after all others of their name."""
    added = "" not in sys.path
    if added:
        sys.path.append("")
    try:
        yield
    finally:
        if added:
            sys.path.remove("")


@contextmanager
def safe_path() -> Iterator[None]:
    """Processes that begin within find modules as this one does, and in the current folder none before."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        del os.environ[SAFE_PATH]
        if before is not None:
            os.environ[SAFE_PATH] = before
