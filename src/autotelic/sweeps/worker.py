"""The process of one run: bound to its cores, and stopped with a checkpoint when nobody waits for it.

    python -m autotelic.sweeps.worker '{"module": "autotelic", "words": [...], "pin": [0], "run": DIR}'

Who started it holds its standard input open. When that ends, by whatever death, the process gets the
signal of Ctrl-C: the run is saved, and another process may go on with it.
"""

import contextlib
import json
import os
import runpy
import signal
import sys
import threading
import time
from typing import Any

from autotelic._documents import FileError
from autotelic.runs.lock import RunLock, RunLocked

LONGEST_WAIT = 600.0
"""Seconds to wait for another process that still trains the run, such as one whose sweep was killed."""


def main(order: dict[str, Any]) -> None:
    """Run what is ordered, as if Python had been started with it."""
    if order["pin"]:
        os.sched_setaffinity(0, order["pin"])
    threading.Thread(target=_stop_when_left, daemon=True).start()
    if order["run"]:
        _wait_until_free(order["run"])
    sys.argv = [order["module"], *order["words"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def _stop_when_left() -> None:
    # Not `sys.stdin`: a thread that waits there would hold its lock when Python ends.
    while os.read(0, 1):
        pass
    # Nobody reads the output either; a message to nobody must not stop the run before it is saved.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.kill(os.getpid(), signal.SIGINT)


def _wait_until_free(run: str) -> None:
    """Wait for another process to let go of the run; what cannot be held at all the run itself will tell."""
    until, told = time.monotonic() + LONGEST_WAIT, False
    with contextlib.suppress(OSError, FileError):
        while True:
            try:
                with RunLock(run):
                    return
            except RunLocked as error:
                if time.monotonic() > until:
                    return
                if not told:
                    print(error, flush=True)
                told = True
                time.sleep(0.2)


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
