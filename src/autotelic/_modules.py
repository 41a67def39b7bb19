"""Modules in the current folder, which a command of the shell does not find by itself."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


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
