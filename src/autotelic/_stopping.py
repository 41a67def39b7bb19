"""Stop signals of the shell's program: Ctrl-C and SIGTERM end it at any moment, and a second one at once.

A signal raises KeyboardInterrupt in the main thread, so that files are closed and other processes ended on
the way out. That alone is not enough. Python drops an exception that is raised in a callback from C code, as
JAX has for every collection of garbage: it is raised again. Some packages make another error of it, or
drop it themselves: the signal is remembered, and looked for before something new is begun. While C code
computes nothing is raised at all: a thread hears signals too, and ends the process if the main thread has
not done so in time.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 3.0
"""Seconds that the main thread has for its way out."""
MOMENT = 0.02
"""Seconds after which a callback is over that an interruption was raised in."""
INTERRUPTED = 130
SHOW_CURSOR = b"\x1b[?25h"


class _Stop:
    """What is known of stop signals in this process.

    requested: whether the command is to end; raised: whether the main thread was interrupted; answered:
    signals yet to come that a part of the program answers in its own way; farewell: says what is safe, and
    how to go on.
    """

    requested: bool = False
    raised: bool = False
    answered: int = 0
    farewell: Callable[[], str] | None = None


_stop = _Stop()


def listen() -> None:
    """Hear stop signals from here on; to be called once, in the main thread of a program of ours."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    os.register_at_fork(after_in_child=_stop_listening)
    sys.unraisablehook = _raise_again_if_dropped
    threading.Thread(target=_watch, args=(reading,), name="stop signals", daemon=True).start()


def _stop_listening() -> None:
    """Of a forked process, which shares the pipe: its signals are none to the one that it is a copy of."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def requested() -> bool:
    """Whether the command is to end."""
    return _stop.requested or _stop.raised


def check() -> None:
    """Raise the interruption once more if it was dropped: to be called before something new is begun."""
    if requested():
        raise KeyboardInterrupt


@contextmanager
def answering(signals: int) -> Iterator[None]:
    """Within, so many signals are answered by handlers of the caller's own."""
    check()
    _stop.answered = signals
    try:
        yield
    finally:
        _stop.answered = 0


@contextmanager
def saying(farewell: Callable[[], str]) -> Iterator[None]:
    """Within, an interruption says what this returns, whichever way the process ends."""
    check()
    _stop.farewell = farewell
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(farewell()) from None
    except Exception:
        if requested():  # a package made another error of it
            raise KeyboardInterrupt(farewell()) from None
        raise
    finally:
        _stop.farewell = None


def leave(code: int) -> NoReturn:
    """End the process now: Python would take itself apart under XLA threads that compile, which crashes."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _interrupt(*_: object) -> None:
    if not _stop.raised:  # or it would be raised on the way out: the thread ends the process
        _stop.raised = True
        raise KeyboardInterrupt


def _raise_again_if_dropped(dropped: Any) -> None:
    """What Python calls with an exception that it drops: an interruption is raised anew a moment later."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)
    elif _stop.raised:
        _after(MOMENT, _raise_again)


def _raise_again() -> None:
    _stop.raised = False
    _stop.answered += 1  # nobody has pressed Ctrl-C again
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _after(seconds: float, call: Callable[[], object]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


def _watch(reading: int) -> None:
    """End the process if the main thread does not follow a signal, and at the second one."""
    while True:
        if int.from_bytes(os.read(reading, 1)) not in SIGNALS:
            continue
        if _stop.answered:
            _stop.answered -= 1
            continue
        if _stop.requested:
            _end()
        _stop.requested = True
        _after(PATIENCE, _end)


def _end() -> NoReturn:
    """Say farewell and leave; nothing of Python's is waited for, as the main thread may hold its locks."""
    said = "interrupted"
    with suppress(Exception):
        said = _stop.farewell() if _stop.farewell else said
    with suppress(OSError):
        os.write(2, SHOW_CURSOR * os.isatty(2) + said.encode() + b"\n")
    os._exit(INTERRUPTED)
