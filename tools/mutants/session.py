"""Many mutants of one file by one pytest session: a child for each is forked when all is collected.

A first child runs the tests as they are, and says which of them enter which functions. A mutant is
then run by the tests that enter its function: first those that killed others in it, then quick ones.
The other tests come last.
"""

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy

from tools.mutants.running import (
    LOADED_BEFORE,
    OPTIONS,
    Ended,
    Outcome,
    Plugin,
    in_child,
    without_words,
)
from tools.mutants.swapping import Key, Swap, exchange, functions_of, key_of, swap

SLOW = 0.05
"""Seconds of a test."""
LONGEST_TEST = 600.0
"""Seconds of the processor for all tests as they are."""


class Fault(NamedTuple):
    """A mutant by its name, and the code of its whole module."""

    name: str
    code: CodeType


class _Seen(NamedTuple):
    """Of a test as it is: its name, its seconds, and the functions that it entered."""

    name: str
    seconds: float
    entered: frozenset[Key]


class Session(Plugin):
    """Tests faults and hands on what becomes of each; `left` are those it cannot put in."""

    def __init__(self, path: Path, before: CodeType, told: Callable[[str, Outcome], None]):
        super().__init__()
        self._path, self._before, self._told = str(path), before, told
        self._faults: list[Fault] = []
        self._loading: set[Key] = set()
        self._undo: Callable[[], None] = lambda: None
        self.problem = ""

    def run(self, tests: Iterable[str], faults: list[Fault], temporary: Path) -> None:
        """To be called in a process that has not loaded our package yet."""
        import pytest

        self._faults = faults
        own = [*OPTIONS, *LOADED_BEFORE, f"--basetemp={temporary}", "-s"]
        self._undo = _arrays_without_jax()
        sys.setprofile(_noting(self._path, self._loading))
        try:
            code = pytest.main([*own, *tests], plugins=[self])
        finally:
            sys.setprofile(None)
        if code != 0:
            self.problem = self.problem or f"pytest gave the exit code {int(code)} {self.failed}"

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of pytest's own."""
        sys.setprofile(None)
        self._undo()
        if session.testsfailed:
            self.problem = f"{self.failed} cannot be collected"
            return True
        if (threads := len(os.listdir("/proc/self/task"))) > 1:
            self.problem = f"there are {threads} threads: a test file computes when it is loaded"
            return True
        functions = functions_of(self._path)
        gc.collect()
        gc.freeze()
        seen = self._as_they_are(session.items)
        limit = 3 * sum(test.seconds for test in seen) + 5
        killers: dict[Key, set[str]] = {}
        for fault in self._faults if seen else []:
            change = swap(self._before, fault.code)
            if change is None or not change.keys & functions.keys():
                continue
            killed = {test for key in change.keys for test in killers.get(key, ())}
            items = _ordered(session.items, seen, change.keys, killed)
            ended = in_child(lambda say, c=change, i=items: self._test(say, c, functions, i), limit)
            outcome = _outcome(ended)
            for key in change.keys:
                killers.setdefault(key, set()).add(outcome.by)
            # A survivor may do its harm while the tests are loaded: then it is to be loaded too.
            if outcome.result != "survived" or not change.keys & self._loading:
                self._told(fault.name, outcome)
        return True

    def _as_they_are(self, items: list[Any]) -> list[_Seen]:
        ended = in_child(lambda say: self._look(say, items), LONGEST_TEST)
        lines = [json.loads(line) for line in ended.said.splitlines()]
        seen = [
            _Seen(line[0], line[1], frozenset(Key(*key) for key in line[2]))
            for line in lines
            if line[0]
        ]
        failed = [line[1] for line in lines if not line[0]]
        if failed != [""]:
            late = seen[-1].name if seen else ""
            self.problem = f"without any fault {(failed or [late])[0]} fails or takes too long"
            return []
        return seen

    def _look(self, say: Callable[[str], None], items: list[Any]) -> None:
        for item, following in _with_next(items):
            entered: set[Key] = set()
            note = _noting(self._path, entered)
            began = time.process_time()
            threading.setprofile(note)
            sys.setprofile(note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.setprofile(None)
            threading.setprofile(None)
            seconds = time.process_time() - began
            say(json.dumps([item.nodeid, seconds, sorted(entered)]) + "\n")
            if self.failed:
                break
        say(json.dumps(["", self.failed]) + "\n")

    def _test(
        self, say: Callable[[str], None], change: Swap, functions: Any, items: list[Any]
    ) -> None:
        exchange(change, functions)
        _write_no_programs()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for (item, seconds), following in _with_next(items):
            say(item.nodeid + "\n")
            signal.setitimer(signal.ITIMER_PROF, 4 * seconds + 3)
            after = following[0] if following else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.failed:
                break
        say("\n" + json.dumps(self.failed))


def _ordered(
    items: list[Any], seen: list[_Seen], keys: frozenset[Key], killers: Collection[str]
) -> list[Any]:
    """Tests with their seconds. Slow ones of a file stay together: they share what they prepare."""
    known = {test.name: test for test in seen}

    def rank(entry: tuple[Any, _Seen]) -> tuple[bool, bool, bool, str, float]:
        item, test = entry
        slow = test.seconds > SLOW
        file = item.nodeid.split("::")[0] if slow else ""
        other = item.nodeid not in killers
        return not test.entered & keys, other and slow, other, file, test.seconds

    tests = sorted(((item, known[item.nodeid]) for item in items), key=rank)
    return [(item, test.seconds) for item, test in tests]


def _outcome(ended: Ended) -> Outcome:
    names, _, last = ended.said.decode().rpartition("\n\n")
    if last.startswith('"'):
        failed = json.loads(last)
        return Outcome("killed" if failed else "survived", failed, ended.seconds)
    begun = (names + last).split("\n")
    return without_words(ended, next((name for name in reversed(begun) if name), ""))


def _with_next(items: list[Any]) -> Iterable[tuple[Any, Any]]:
    return zip(items, [*items[1:], None], strict=True)


def _noting(path: str, entered: set[Key]) -> Callable[[FrameType, str, Any], None]:
    """A profiler that notes the functions of one file."""

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == path:
            entered.add(key_of(frame.f_code))

    return note


def _arrays_without_jax() -> Callable[[], None]:
    """Let test files that make arrays when they are loaded make NumPy's; returns what ends it.

    JAX would start its threads, and a child has none of them.
    """
    if "jax" not in sys.modules:
        return lambda: None
    module: Any = sys.modules["jax.numpy"]
    names = ("array", "asarray", "full", "zeros", "ones", "log", "int32", "float32")
    kept = {name: getattr(module, name) for name in names}

    def single(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any, **options: Any) -> Any:
            array = make(*arguments, **options)
            smaller = {"float64": "float32", "int64": "int32"}
            return array.astype(smaller.get(array.dtype.name, array.dtype.name))

        return made

    vars(module).update({name: single(getattr(numpy, name)) for name in names})
    return lambda: vars(module).update(kept)


def _write_no_programs() -> None:
    """Programs with a fault are of no use to the next mutant."""
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_persistent_cache_min_compile_time_secs", 1e9)
