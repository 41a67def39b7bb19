"""Ctrl-C at a good moment: a run is asked to stop, saves itself, and stops."""

import signal
import threading
from contextlib import ExitStack

from autotelic import _stopping


class Interruption:
    """Within `with`, Ctrl-C (or SIGTERM) asks to stop at a good moment; pressed again, it stops at once."""

    def __init__(self) -> None:
        self.requested: bool = False
        self._stack: ExitStack = ExitStack()

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            self._stack.enter_context(_stopping.answering(signals=2))
            for number in _stopping.SIGNALS:
                previous = signal.signal(number, self._request)
                self._stack.callback(signal.signal, number, previous)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _request(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
