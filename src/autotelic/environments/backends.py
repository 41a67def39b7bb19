"""Ways to call all members at once: one after the other, in threads, or in processes of their own.

Each is `call(method, arguments) -> results`: `Member.method(*arguments[i])` for every member i; a
member whose arguments are None is not called, and its result is None.
"""

import multiprocessing
import os
import signal
import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pickle import PicklingError
from typing import Any, Protocol

from autotelic._cores import usable_cores
from autotelic._modules import SAFE_PATH, modules_here, safe_path
from autotelic.environments.base import EnvironmentFailure
from autotelic.environments.making import Make
from autotelic.environments.member import Member

Arguments = Sequence[tuple[Any, ...] | None]


class Backend(Protocol):
    """Calls a method of every member and waits for all of them."""

    def call(self, method: str, arguments: Arguments) -> list[Any]:
        """The results of `Member.method(*arguments[i])`, one for each member."""
        ...

    def close(self) -> None:
        """End the members and whatever runs them."""
        ...


class Serial:
    """One member after the other: best where a step takes less time than handing it over."""

    def __init__(self, make: Make, options: Mapping[str, Any], num_members: int):
        self.members: list[Member] = [Member(index, make, options) for index in range(num_members)]

    def call(self, method: str, arguments: Arguments) -> list[Any]:
        """See `Backend`."""
        return [
            None if given is None else getattr(member, method)(*given)
            for member, given in zip(self.members, arguments, strict=True)
        ]

    def close(self) -> None:
        """See `Backend`."""
        for member in self.members:
            member.close()


class Threads:
    """As many threads as cores, the caller's among them; each takes the next member not yet called.

    Pays for environments that release the interpreter's lock while they compute, as MuJoCo does.
    """

    def __init__(self, make: Make, options: Mapping[str, Any], num_members: int):
        self.members: list[Member] = [Member(index, make, options) for index in range(num_members)]
        self._waiting: deque[int] = deque()
        self._method = ""
        self._arguments: Arguments = []
        self._results: list[Any] = []
        self._errors: dict[int, BaseException] = {}
        self._closing = False
        self._finished = threading.Semaphore(0)
        num_helpers = min(usable_cores(), num_members) - 1
        self._begin = [threading.Semaphore(0) for _ in range(num_helpers)]
        self._helpers = [
            threading.Thread(target=self._help, args=(begin,), daemon=True) for begin in self._begin
        ]
        for helper in self._helpers:
            helper.start()

    def call(self, method: str, arguments: Arguments) -> list[Any]:
        """See `Backend`."""
        self._method, self._arguments = method, arguments
        self._results = [None] * len(self.members)
        self._errors = {}
        self._waiting = deque(i for i, given in enumerate(arguments) if given is not None)
        for begin in self._begin:
            begin.release()
        self._work()
        for _ in self._helpers:
            self._finished.acquire()
        if self._errors:
            raise self._errors[min(self._errors)]
        return self._results

    def close(self) -> None:
        """See `Backend`."""
        self._closing = True
        for begin in self._begin:
            begin.release()
        for helper in self._helpers:
            helper.join()
        for member in self.members:
            member.close()

    def _help(self, begin: threading.Semaphore) -> None:
        while True:
            begin.acquire()
            if self._closing:
                return
            self._work()
            self._finished.release()

    def _work(self) -> None:
        while True:
            try:
                index = self._waiting.popleft()
            except IndexError:
                return
            try:
                method = getattr(self.members[index], self._method)
                self._results[index] = method(*(self._arguments[index] or ()))
            except BaseException as error:
                self._errors[index] = error


class Processes:
    """A process for each member: for slow environments that hold the interpreter's lock.

    Each process imports the script that is running, which must therefore start its work under
    `if __name__ == "__main__":`, as Python's multiprocessing asks.
    """

    def __init__(self, make: Make, options: Mapping[str, Any], num_members: int):
        # Not "fork": JAX runs threads in this process, and a forked child could lock up.
        context = multiprocessing.get_context("spawn")
        try:
            ForkingPickler.dumps((make, options))
        except (AttributeError, TypeError, PicklingError) as error:
            raise ValueError(
                f"the process backend cannot send {make!r} and its options to another process "
                f"({error}); make it a Gymnasium id or a function at the top level of a module"
            ) from error
        self._connections: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        # At the interpreter's end too: there Python waits for workers, which wait for their pipes.
        self._end = weakref.finalize(self, _end, self._connections, self._processes)
        try:
            for index in range(num_members):
                here, there = context.Pipe()
                process = context.Process(
                    target=_serve, args=(there, index, make, dict(options)), daemon=True
                )
                # A function of the user's own may be in the current folder.
                with modules_here(), safe_path():
                    process.start()
                there.close()
                self._connections.append(here)
                self._processes.append(process)
            # Wait until each has made its environment, so that a refusal shows now.
            self._receive_all(range(num_members))
        except BaseException:
            self.close()
            raise

    def call(self, method: str, arguments: Arguments) -> list[Any]:
        """See `Backend`."""
        called = [index for index, given in enumerate(arguments) if given is not None]
        for index in called:
            try:
                self._connections[index].send((method, arguments[index]))
            except OSError as error:
                raise self._death(index) from error
        answers = dict(zip(called, self._receive_all(called), strict=True))
        return [answers.get(index) for index in range(len(arguments))]

    def close(self) -> None:
        """See `Backend`."""
        self._end()

    def _receive_all(self, members: Sequence[int]) -> list[Any]:
        answers, failures = [], []
        for index in members:
            try:
                answers.append(self._receive(index))
            except EnvironmentFailure as failure:  # the other answers must not stay in their pipes
                failures.append(failure)
        if failures:
            raise failures[0]
        return answers

    def _receive(self, index: int) -> Any:
        """The member's answer; the death of its process is an answer too."""
        connection, process = self._connections[index], self._processes[index]
        wait([connection, process.sentinel])
        try:
            if not connection.poll():
                raise EOFError
            failed, answer = connection.recv()
        except (EOFError, OSError) as error:
            raise self._death(index) from error
        if failed:
            raise EnvironmentFailure(index, answer)
        return answer

    def _death(self, index: int) -> EnvironmentFailure:
        process = self._processes[index]
        process.join(timeout=5.0)
        return EnvironmentFailure(
            index, f"its worker process ended with exit code {process.exitcode}"
        )


def _end(connections: list[Connection], processes: list[SpawnProcess]) -> None:
    """End worker processes: those that wait for work by closing their pipes, others by force."""
    for connection in connections:
        connection.close()
    for process in processes:
        process.join(timeout=1.0)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()
    connections.clear()
    processes.clear()


def _serve(connection: Connection, index: int, make: Make, options: dict[str, Any]) -> None:
    """The loop of a worker process: answer each call with (failed, result or message)."""
    # Ctrl-C reaches every process of the terminal, and a scheduler's SIGTERM every process of a job:
    # what to do about them is the caller's decision.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.environ.pop(SAFE_PATH, None)  # programs that the environment starts are its own affair
    try:
        member = Member(index, make, options)
        connection.send((False, None))
    except Exception as error:
        connection.send((True, f"{type(error).__name__}: {error}"))
        return
    while True:
        try:
            method, given = connection.recv()
        except EOFError:
            member.close()
            return
        try:
            answer = (False, getattr(member, method)(*given))
        except EnvironmentFailure as failure:
            answer = (True, failure.message)
        try:
            connection.send(answer)
        except (AttributeError, TypeError, ValueError) as error:
            connection.send((True, f"its answer cannot leave its process: {error}"))
