"""Ctrl-C at a good moment: a run is asked to stop, saves itself, and stops."""

import signal
import threading
from typing import Any


class Interruption:
    """Within `with`, Ctrl-C (or SIGTERM) asks to stop at a good moment; pressed again, it stops at once."""

    def __init__(self) -> None:
        self.requested: bool = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._request)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _request(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
