"""One attempt at a task: its process from the start to what became of it."""

import collections
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from autotelic import _cores, _names
from autotelic._documents import FileError
from autotelic._modules import PYTHON
from autotelic.runs import atomic
from autotelic.sweeps.folder import STOP, Record, Task, write_record

DONE, FAILED, LOST, STOPPED = "done", "failed", "lost", "stopped"
OUT_OF_MEMORY = "out of memory"
KEPT_LINES = 60
POLL = 0.2
"""Seconds between two looks at a process."""
_MEMORY_WORDS = re.compile(r"\bMemoryError\b|RESOURCE_EXHAUSTED|Cannot allocate memory|bad_alloc")


class Outcome(NamedTuple):
    """What became of an attempt.

    kind: DONE; FAILED, which another attempt would not change; LOST, killed from outside, so that it
    is worth another; STOPPED, because it was asked to.
    sentence: why, or what a person should know.
    """

    kind: str
    sentence: str = ""


class Attempt:
    """A task's process, watched.

    pin: the cores that it is bound to by number; none leaves that to the system.
    """

    def __init__(self, task: Task, record: Record, pin: Sequence[int] = ()):
        self.task = task
        self.stopping: bool = False
        self.asked: bool = False
        self.lines: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
        write_record(task, record._replace(state="running", host=socket.gethostname()))
        order = {"module": task.module, "words": task.words, "pin": list(pin)}
        order["run"] = task.run if task.kind == "train" else ""
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            [*PYTHON, "-m", "autotelic.sweeps.worker", json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=task.directory if Path(task.directory).is_dir() else None,
            env=environment(task.cores, task.allowed),
            # Ctrl-C at the terminal reaches the whole group, and twice is "at once" to a run.
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self._pump = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._pump.start()

    def _read(self, output: IO[bytes]) -> None:
        """Keep the last lines here too: a full disk takes no log, and must be told of."""
        log = self.task.log_file
        with output:
            for line in output:
                self.lines.append(line.decode(errors="replace").rstrip())
                with (
                    contextlib.suppress(OSError, FileError),
                    atomic.open_to_write(log, os.O_CREAT | os.O_APPEND) as file,
                ):
                    file.write(line)

    def stop(self) -> None:
        """Ask the run to save itself and end, because the sweep does."""
        self.stopping = True
        self.end()

    def end(self) -> None:
        """Ask the run to save itself and end; asked twice, it would end at once."""
        if not self.asked and self.process.poll() is None:
            self.asked = True
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        self.outcome()

    def outcome(self) -> Outcome | None:
        """What became of it; None as long as it runs."""
        code = self.process.poll()
        if code is None:
            return None
        self._pump.join(timeout=5)
        assert self.process.stdin is not None
        self.process.stdin.close()
        if code == 0:
            return Outcome(DONE)
        if self.stopping and code in (130, -signal.SIGINT):
            return Outcome(STOPPED)
        if self.task.kind == "train" and self.task.done:  # to the end, without some of its learners
            return Outcome(DONE, last_words(self.lines))
        return judge(code, self.lines)


def environment(cores: int, allowed: Sequence[str] = ()) -> dict[str, str]:
    """The environment variables of a task: its cores, what it may import, and that it flushes its output."""
    number = str(cores)
    return {
        **os.environ,
        **_names.variables(allowed),
        _cores.VARIABLE: number,
        "OMP_NUM_THREADS": number,
        "PYTHONUNBUFFERED": "1",
    }


def judge(code: int, lines: Sequence[str]) -> Outcome:
    """What an exit code that is not 0 means, with the last lines that were printed."""
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        memory = f"; most often the system does so when it is {OUT_OF_MEMORY}"
        return Outcome(
            LOST, f"the process was killed by {name}{memory * (code == -signal.SIGKILL)}"
        )
    if any(_MEMORY_WORDS.search(line) for line in lines):
        return Outcome(LOST, f"the process was {OUT_OF_MEMORY}: {last_words(lines)}")
    if code == 130:
        return Outcome(LOST, "the process was stopped from outside, and saved itself")
    return Outcome(FAILED, last_words(lines) or f"the process ended with exit code {code}")


def last_words(lines: Sequence[str]) -> str:
    """What a command said at its end: from `autotelic:` on, or the last line of a traceback.

    >>> last_words(["epoch 3", "autotelic: it failed", "  for a reason", ""])
    'it failed for a reason'
    """
    said = [line for line in lines if line.strip()]
    for number in range(len(said) - 1, -1, -1):
        if said[number].startswith("autotelic: "):
            return " ".join(" ".join(said[number:]).removeprefix("autotelic: ").split())
    return said[-1].strip() if said else ""


def carry_out(
    task: Task, record: Record, begun: Callable[[Attempt], None] = lambda attempt: None
) -> Outcome:
    """An attempt on whatever machine this is, from its start to its end; for backends elsewhere.

    A file in the sweep's folder asks it to stop, as a signal may not find its way here.
    begun: is given the attempt.
    """
    stop = Path(task.sweep) / STOP
    if task.done:
        return Outcome(DONE)
    if stop.exists():
        return Outcome(STOPPED)
    try:
        attempt = Attempt(task, record)
    except OSError as error:
        return Outcome(FAILED, f"on {socket.gethostname()}: {error}")
    begun(attempt)
    try:
        while (outcome := attempt.outcome()) is None:
            if stop.exists():
                attempt.stop()
            time.sleep(POLL)
    except BaseException:  # Ray's or Slurm's way of stopping: the run is saved all the same
        attempt.end()
        attempt.process.wait()
        raise
    return outcome
