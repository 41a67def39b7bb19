"""Stop signals of the shell's program: Ctrl-C and SIGTERM end it at any moment.

Nothing is raised in the main thread, as Python does by default. Where C++ has called back into Python (JAX
does so while it is loaded, at every collection of garbage and while it compiles) an exception is dropped, or
ends the process by a crash; and while C++ computes none is raised at all. So a thread of its own hears the
signals and ends the process, which is as safe as any other death: files get their names when they are whole.
Parts of the program that have something to save answer signals themselves (`answering`).
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130
SHOW_CURSOR = b"\x1b[?25h"
FLUSHING = 0.2
"""Seconds for what is printed to leave; the main thread may hold the stream, and wait for its reader."""


class _Stop:
    """What is to be done at a stop signal.

    answered: signals yet to come that a part of the program answers in its own way; farewell: says what is
    safe, and how to go on.
    """

    answered: int = 0
    farewell: Callable[[], str] | None = None


_stop = _Stop()


def listen() -> None:
    """Hear stop signals from here on; to be called once, in the main thread of a program of ours."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)  # the thread hears it
    os.register_at_fork(after_in_child=_stop_listening)
    threading.Thread(target=_watch, args=(reading,), name="stop signals", daemon=True).start()


def _stop_listening() -> None:
    """Of a forked process, which shares the pipe: its signals are none to the one that it is a copy of."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def answering(signals: int) -> Iterator[None]:
    """Within, so many signals are answered by handlers of the caller's own."""
    _stop.answered = signals
    try:
        yield
    finally:
        _stop.answered = 0


@contextmanager
def saying(farewell: Callable[[], str]) -> Iterator[None]:
    """Within, an interruption says what this returns, whichever way the program ends."""
    _stop.farewell = farewell
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(farewell()) from None
    finally:
        _stop.farewell = None


def leave(code: int) -> NoReturn:
    """End the process now: Python would take itself apart under XLA threads that compile, which crashes."""
    flushing = threading.Thread(target=_flush, daemon=True)
    flushing.start()
    flushing.join(FLUSHING)
    os._exit(code)


def _watch(reading: int) -> None:
    """End the process at the first signal that no part of the program answers."""
    while True:
        if int.from_bytes(os.read(reading, 1)) not in SIGNALS:
            continue
        if not _stop.answered:
            _end()
        _stop.answered -= 1


def _end() -> NoReturn:
    """Say farewell and leave, other processes first: without this one they would finish what they do."""
    for process in _children():
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
    said = "interrupted"
    with suppress(Exception):
        said = _stop.farewell() if _stop.farewell else said
    with suppress(OSError):
        os.write(2, SHOW_CURSOR * os.isatty(2) + said.encode() + b"\n")
    leave(INTERRUPTED)


def _children() -> list[int]:
    """Processes that this one has started; none where the system does not say (it is Linux that does)."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path("/proc/self/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
