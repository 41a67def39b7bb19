"""Many mutants by one pytest session: a child for each is forked when all tests are collected.

A first child runs the tests as they are, and says which of them enter which functions. A mutant is
then run by the tests that enter its function: first those that killed others in it, then quick ones,
for so many seconds. What is left after that counts as a survivor.
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

from tools.mutants.memory import Memory, Seen
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


class Subject(NamedTuple):
    """A file: its code as it is, its faults, and who is told what becomes of them."""

    path: Path
    before: CodeType
    faults: list[Fault]
    told: Callable[[str, Outcome], None]


class Session(Plugin):
    """Tests the faults of files; those that it cannot put in are not told of.

    most: seconds that tests may look for a fault; memory: of tests as they are.
    """

    def __init__(self, subjects: list[Subject], most: float, memory: Memory):
        super().__init__()
        self._subjects, self._most, self._memory = subjects, most, memory
        self._files = {str(file) for file in memory.package.rglob("*.py")}
        self._loading: set[Key] = set()
        self._undo: Callable[[], None] = lambda: None
        self.left_out: list[str] = []
        self.problem = ""

    def run(self, tests: Iterable[str], temporary: Path) -> None:
        """To be called in a process that has not loaded our package yet."""
        import pytest

        own = [*OPTIONS, *LOADED_BEFORE, f"--basetemp={temporary}", "-s"]
        self._undo = _arrays_without_jax()
        sys.settrace(_noting(self._files, self._loading))
        try:
            code = pytest.main([*own, *tests], plugins=[self])
        finally:
            sys.settrace(None)
        if code != 0:
            self.problem = self.problem or f"pytest gave the exit code {int(code)} {self.failed}"

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of pytest's own."""
        sys.settrace(None)
        self._undo()
        threads = len(os.listdir("/proc/self/task"))
        if session.testsfailed:
            self.problem = f"{self.failed} cannot be collected"
        elif threads > 1:
            self.problem = f"there are {threads} threads: a test file computes when it is loaded"
        else:
            self._try_all(session.items)
        return True

    def _try_all(self, items: list[Any]) -> None:
        functions = functions_of(self._files)
        gc.collect()
        gc.freeze()
        self._look_at([item for item in items if item.nodeid not in self._memory.seen])
        if self.problem:
            return
        items = [item for item in items if item.nodeid in self._memory.seen]
        seen = [self._memory.seen[item.nodeid] for item in items]
        killers: dict[Key, set[str]] = {}
        for subject in self._subjects:
            for fault in subject.faults:
                change = swap(subject.before, fault.code)
                if change is None or not change.keys & functions.keys():
                    continue
                known = {test for key in change.keys for test in killers.get(key, ())}
                tests = _chosen(items, seen, change.keys, known, self._most)
                outcome = self._try(change, functions, tests)
                for key in change.keys:
                    killers.setdefault(key, set()).add(outcome.by)
                # A survivor may do its harm while tests are loaded: then it is to be loaded too.
                if outcome.result != "survived" or not change.keys & self._loading:
                    subject.told(fault.name, outcome)

    def _try(self, change: Swap, functions: Any, tests: list[tuple[Any, float]]) -> Outcome:
        if not tests:  # none enters the function
            return Outcome("survived", "", 0.0)
        limit = 4 * sum(seconds for _, seconds in tests) + 5
        return _outcome(in_child(lambda say: self._test(say, change, functions, tests), limit))

    def _look_at(self, items: list[Any]) -> None:
        """What tests do as they are. One that fails, in a session such as this, is left out."""
        ended = in_child(lambda say: self._look(say, items), LONGEST_TEST)
        lines = [json.loads(line) for line in ended.said.splitlines()]
        for name, seconds, entered, failed in lines:
            if failed:
                self.left_out.append(name)
            else:
                keys = frozenset(Key(*key) for key in entered)
                self._memory.seen[name] = Seen(name, seconds, keys)
        if len(lines) < len(items):
            self.problem = f"the process died, or took too long, at {items[len(lines)].nodeid}"

    def _look(self, say: Callable[[str], None], items: list[Any]) -> None:
        for item, following in _with_next(items):
            entered: set[Key] = set()
            note = _noting(self._files, entered)
            began = time.process_time()
            threading.settrace(note)
            sys.settrace(note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.settrace(None)
            threading.settrace(None)
            seconds = time.process_time() - began
            say(json.dumps([item.nodeid, seconds, sorted(entered), bool(self.failed)]) + "\n")
            if not self.failed:  # at once: a run may be stopped
                self._memory.add(Seen(item.nodeid, seconds, frozenset(entered)))
            self.failed = ""

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


def _chosen(
    items: list[Any], seen: list[Seen], keys: frozenset[Key], killers: Collection[str], most: float
) -> list[tuple[Any, float]]:
    """Tests that enter the functions, with their seconds, as many as fit; at least one.

    Slow ones of a file stay together: they share what they prepare. Then come the other tests of their
    files: what one test prepared for all was seen to enter the functions in that test alone.
    """
    known = {test.name: test for test in seen}
    files = {test.name.split("::")[0] for test in seen if test.entered & keys}

    def rank(entry: tuple[Any, Seen]) -> tuple[bool, bool, bool, str, float]:
        item, test = entry
        slow, other = test.seconds > SLOW, item.nodeid not in killers
        file = item.nodeid.split("::")[0] if slow else ""
        return other and not test.entered & keys, other and slow, other, file, test.seconds

    tests = [(item, known[item.nodeid]) for item in items if item.nodeid.split("::")[0] in files]
    chosen, total = [], 0.0
    for item, test in sorted(tests, key=rank):
        total += test.seconds
        if chosen and total > most:
            break
        chosen.append((item, test.seconds))
    return chosen


def _outcome(ended: Ended) -> Outcome:
    names, _, last = ended.said.decode().rpartition("\n\n")
    if last.startswith('"'):
        failed = json.loads(last)
        return Outcome("killed" if failed else "survived", failed, ended.seconds)
    begun = (names + last).split("\n")
    return without_words(ended, next((name for name in reversed(begun) if name), ""))


def _with_next(items: list[Any]) -> Iterable[tuple[Any, Any]]:
    return zip(items, [*items[1:], None], strict=True)


def _noting(files: Collection[str], entered: set[Key]) -> Callable[[FrameType, str, Any], None]:
    """A tracer that notes the functions of some files as they are called."""

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if frame.f_code.co_filename in files:
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
