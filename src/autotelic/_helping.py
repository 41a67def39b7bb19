"""Other processes that take a share of the work, where threads would wait for the interpreter's lock.

    with Helpers(1) as helpers:
        for job, result in helpers.share(work, jobs):
            ...

A helper is a Python of its own that loads what the work needs, and nothing of the running script. It is
handed one job after the other, and so is this process, which keeps to one core meanwhile. Whatever goes
wrong in a helper is no failure: its job is done here.
"""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from autotelic import _cores
from autotelic._modules import PYTHON

Job = TypeVar("Job")
Result = TypeVar("Result")

COMMAND = (*PYTHON, "-c", "from autotelic._helping import help_out; help_out()")

AT_ONCE = "JAX_CPU_ENABLE_ASYNC_DISPATCH"
"""JAX's variable: at 0 it computes on the thread that asks, which has a helper's one core to itself."""


class Helpers:
    """So many processes, which wait for work until they are closed.

    alive: those that have not failed.
    """

    def __init__(self, count: int):
        self._processes: list[subprocess.Popen[bytes]] = []
        with suppress(OSError):  # the system gives no more processes
            for _ in range(count):
                self._processes.append(_started())
        self._feeding: list[Thread] = []
        self.alive: list[subprocess.Popen[bytes]] = list(self._processes)

    def __enter__(self) -> "Helpers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.kill()
        for thread in self._feeding:
            thread.join()  # it finds the process dead
        for process in self._processes:
            process.communicate()  # closes what leads to it
        self.alive = []

    def share(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[Job, Result]]:
        """Every job with its result, in the order in which they are done.

        work: is pickled for the helpers; if that cannot be done, this process works alone.
        """
        waiting, answers = deque(jobs), SimpleQueue[tuple[Job, Result] | None]()
        left = len(waiting)
        with suppress(AttributeError, TypeError, pickle.PicklingError):
            message = pickle.dumps(work)
            for own in self.alive:
                own_share = (own, message, waiting, answers)
                self._feeding.append(Thread(target=self._feed, args=own_share, daemon=True))
                self._feeding[-1].start()
        try:
            while left:
                try:
                    job = waiting.popleft()
                except IndexError:
                    found = answers.get()  # or None: a helper gave its job back
                else:
                    with _cores.only(1) if self.alive else nullcontext():
                        found = job, work(job)
                while found is not None:
                    left -= 1
                    yield found
                    found = None if answers.empty() else answers.get()
        finally:
            waiting.clear()

    def _feed(
        self,
        process: "subprocess.Popen[bytes]",
        work: bytes,
        waiting: "deque[Any]",
        answers: "SimpleQueue[Any]",
    ) -> None:
        """Hand a helper one job after the other; when it fails, the last one is for somebody else."""
        while True:
            try:
                job = waiting.popleft()
            except IndexError:
                return
            try:
                _send(process, (work, job))
                assert process.stdout is not None
                answer = pickle.load(process.stdout)
            except Exception:
                self.alive = [own for own in self.alive if own is not process]
                process.kill()
                waiting.append(job)
                answers.put(None)
                return
            answers.put((job, answer))


def _started() -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, _cores.VARIABLE: "1", AT_ONCE: "0"},
        process_group=0,  # Ctrl-C is for this process, which ends its helpers
    )
    with suppress(BrokenPipeError):  # it is dead: seen when it gets its first job
        _send(process, sys.path)
    return process


def _send(process: "subprocess.Popen[bytes]", message: object) -> None:
    assert process.stdin is not None
    pickle.dump(message, process.stdin)
    process.stdin.flush()


def help_out() -> None:
    """What a helper does: answer every job that comes in, until no more can come."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the work prints must not stand among the answers
    questions = sys.stdin.buffer
    sys.path[:] = pickle.load(questions)
    known, work = b"", None
    while True:
        try:
            message, job = pickle.load(questions)
        except EOFError:
            return
        if work is None or message != known:
            known, work = message, pickle.loads(message)
        pickle.dump(work(job), answers)
        answers.flush()
