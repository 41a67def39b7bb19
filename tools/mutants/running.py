"""Run tests against a mutant, in a forked child that has every library but not yet our package.

The mutant exists in the child's memory alone: no file is changed, so nothing is lost when a run is
stopped. Libraries are loaded once, before the first fork. JAX starts its threads with its first
computation, not when it is imported, so it may be loaded too.
"""

import ast
import json
import math
import os
import resource
import select
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

LIBRARIES = ("numpy", "scipy.optimize", "scipy.stats", "sklearn.neighbors", "pandas")
FOR_TRAINING = ("jax.numpy", "jax.scipy.stats", "equinox", "optax", "gymnasium")
OPTIONS = ("-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist")
# Hypothesis is loaded before pytest asks to rewrite its assertions: it has none that matter here.
LOADED_BEFORE = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
FOR_TESTS = ("pytest", "hypothesis.extra.numpy", "hypothesis.internal.conjecture.engine")
NOT_LOADED = 100
"""An exit code beside pytest's own."""
MOST_MEMORY = 6 << 30
"""Bytes: a fault in a size must not take the machine's memory."""
LONGEST_WAIT = 20
"""Seconds to wait for one that a child may compute: it may wait for ever without computing."""


class Outcome(NamedTuple):
    """result: "survived", "killed", "timed out", or "no test" if there is none of that name.

    by: the test that failed; seconds: of the processor's time.
    """

    result: str
    by: str
    seconds: float


def prepare(programs: Path, training: bool) -> None:
    """Load libraries and settle what children inherit; to be called once, before any test."""
    one_thread = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    os.environ.update({name: "1" for name in one_thread})
    # Most programs that JAX compiles do not hold the fault: they are read from a folder.
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(programs)
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    for name in LIBRARIES + FOR_TESTS + (FOR_TRAINING if training else ()):
        import_module(name)
    from hypothesis import Phase, settings

    # The same examples for every mutant, none kept, and no time spent on making a failure small.
    settings.register_profile(
        "mutants",
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
    )
    settings.load_profile("mutants")
    assert not any(name.split(".")[0] == "autotelic" for name in sys.modules)


def run(tests: Sequence[str], path: Path, tree: ast.Module | None, limit: float) -> Outcome:
    """The outcome of tests with the module at `path` replaced by a tree, or as it is.

    The limit is of the processor's time: beside other programs a test that is well takes long too.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run_in_child(writer, tests, path, tree, limit)
    os.close(writer)
    signal_, seconds, said = 0, 0.0, b""
    try:
        ready, _, _ = select.select([reader], [], [], LONGEST_WAIT * limit)
        said = os.read(reader, 1 << 16) if ready else b""
    finally:  # a stopped run leaves no child behind
        signal_, seconds = _end(child)
        os.close(reader)
    if said:
        code, failed = json.loads(said)
        return _outcome(code, failed, seconds, f"{path} by {' '.join(tests)}")
    if not ready or signal_ == signal.SIGXCPU:
        return Outcome("timed out", "", seconds)
    return Outcome("killed", "(the process died)", seconds)


def _outcome(code: int, failed: str, seconds: float, what: str) -> Outcome:
    """What pytest's exit code says."""
    if code in (4, 5):
        return Outcome("no test", "", seconds)
    if code == NOT_LOADED:  # or every fault would seem to survive
        raise RuntimeError(f"the fault was not loaded: {what}")
    if code not in (0, 1, 2):
        raise RuntimeError(f"pytest gave the exit code {code}: {what}")
    return Outcome("killed" if code else "survived", failed, seconds)


def _end(child: int) -> tuple[int, float]:
    """End the child and what it started; the signal it died of, and the seconds it computed."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    seconds = round(used.ru_utime + used.ru_stime, 2)
    return (os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0), seconds


def _run_in_child(
    writer: int, tests: Sequence[str], path: Path, tree: ast.Module | None, limit: float
) -> None:
    """Never returns."""
    code, plugin = 3, _Plugin(None if tree is None else _Replaced(path, tree))
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        import pytest

        code = pytest.main([*OPTIONS, *LOADED_BEFORE, *tests], plugins=[plugin])
        if code in (0, 1, 2) and plugin.replaced is not None and not plugin.replaced.was_loaded:
            code = NOT_LOADED
    finally:
        os.write(writer, json.dumps([int(code), plugin.failed]).encode())
        os._exit(0)


class _Plugin:
    """Puts the mutant in place, and remembers which test failed first."""

    def __init__(self, replaced: "_Replaced | None"):
        self.replaced, self.failed = replaced, ""

    def pytest_sessionstart(self) -> None:
        # Before pytest's own finder, which reads files named on the command line from disk.
        if self.replaced is not None:
            sys.meta_path.insert(0, self.replaced)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


class _Replaced:
    """Finds one module, whose code is that of the tree and not of its file."""

    def __init__(self, path: Path, tree: ast.Module):
        self._path, self._name = path, module_name(path)
        code = compile(ast.fix_missing_locations(tree), str(path), "exec")
        self._loader = _Loader(self._name, str(path), code)

    @property
    def was_loaded(self) -> bool:
        return self._loader.was_loaded

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        return spec_from_file_location(name, self._path, loader=self._loader)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType):
        super().__init__(name, path)
        self._code, self.was_loaded = code, False

    def get_code(self, fullname: str) -> CodeType:
        self.was_loaded = True
        return self._code


def module_name(path: Path) -> str:
    """`.../src/autotelic/selectors/rules.py` is `autotelic.selectors.rules`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[len(parts) - parts[::-1].index("src") :])
