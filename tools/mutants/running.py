"""Run tests against mutants, in forked children; no file is changed, so a stopped run loses nothing.

Libraries are loaded once, before the first fork. JAX starts its threads with its first computation,
not when it is imported, so it may be loaded too. A `Session` also loads our package and collects the
tests of one file before it forks; `run` loads the package with the fault in it.
"""

import ast
import ctypes
import json
import math
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
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
FOR_TESTS = (
    "pytest",
    "doctest",
    "pdb",
    "numpy.testing",
    "hypothesis.extra.numpy",
    "hypothesis.internal.conjecture.engine",
)
NOT_LOADED = 100
"""An exit code beside pytest's own."""
MOST_MEMORY = 6 << 30
"""Bytes: a fault in a size must not take the machine's memory."""
END_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""
IDLE = 60
"""Seconds without any computing after which a child is taken to wait for ever."""


class Outcome(NamedTuple):
    """result: "survived", "killed", "timed out", or "no test" if there is none of that name.

    by: the test that failed; seconds: of the processor's time.
    """

    result: str
    by: str
    seconds: float


class Ended(NamedTuple):
    """What a child said before it ended, the signal it died of, and the seconds it computed."""

    said: bytes
    signal: int
    idle: bool
    seconds: float


def prepare(programs: Path, training: bool) -> None:
    """Load libraries and settle what children inherit; to be called once, before any test."""
    one_thread = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    os.environ.update({name: "1" for name in one_thread})
    # Most programs that JAX compiles do not hold the fault: they are read from a folder. The tests'
    # own settings of the compiler come too late, when JAX is loaded.
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(programs)
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_use_fusion_emitters=false"  # half of a compilation's time
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
    assert not any(name.split(".")[0] == "autotelic" for name in sys.modules)


class Order(NamedTuple):
    """Of tests: those of known seconds, quick ones first, for so many seconds in all."""

    seconds: dict[str, float]
    most: float


def run(
    tests: Sequence[str],
    path: Path,
    tree: ast.Module | None,
    limit: float,
    order: Order | None = None,
) -> Outcome:
    """The outcome of tests with the module at `path` replaced by a tree, or as it is.

    The limit is of the processor's time: beside other programs a test that is well takes long too.
    """
    ended = in_child(lambda say: _load_and_test(say, tests, path, tree, order), limit)
    if ended.said:
        code, failed = json.loads(ended.said)
        return _outcome(code, failed, ended.seconds, f"{path} by {' '.join(tests)}")
    return without_words(ended, "")


def without_words(ended: Ended, by: str) -> Outcome:
    """Of a child that could not say how its tests went."""
    late = ended.idle or ended.signal in (signal.SIGXCPU, signal.SIGPROF)
    return Outcome("timed out" if late else "killed", by or "(the process died)", ended.seconds)


def in_child(
    task: Callable[[Callable[[str], None]], None], limit: float, patience: float = IDLE
) -> Ended:
    """Run a task in a child that may compute so long; it is given a function to say something."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _as_child(task, writer, limit)
    os.close(writer)
    said, idle = b"", False
    try:
        said, idle = _listen(reader, child, patience)
    finally:  # a stopped run leaves no child behind
        signal_, seconds = _end(child)
        os.close(reader)
    return Ended(said, signal_, idle, seconds)


def _as_child(task: Callable[[Callable[[str], None]], None], writer: int, limit: float) -> None:
    """Never returns."""
    try:
        os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        task(lambda words: _say(writer, words))
    finally:
        os._exit(0)


def _say(writer: int, words: str) -> None:
    left = words.encode()
    while left:
        left = left[os.write(writer, left) :]


def _listen(reader: int, child: int, patience: float) -> tuple[bytes, bool]:
    """All that a child says until it ends; True if it was idle for too long."""
    said, computed, since = b"", -1.0, time.monotonic()
    while True:
        ready, _, _ = select.select([reader], [], [], IDLE / 4)
        if ready:
            words = os.read(reader, 1 << 16)
            if not words:
                return said, False
            said += words
        elif (now := _computed(child)) > computed:
            computed, since = now, time.monotonic()
        elif time.monotonic() - since > patience:
            return said, True


def _computed(child: int) -> float:
    """The ticks that a process and those it waited for have computed."""
    numbers = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return sum(map(float, numbers[11:15]))


def _end(child: int) -> tuple[int, float]:
    """End the child and what it started; the signal it died of, and the seconds it computed."""
    ended, status, used = os.wait4(child, os.WNOHANG)
    for end in (os.killpg, os.kill):
        try:
            end(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if not ended:
        _, status, used = os.wait4(child, 0)
    seconds = round(used.ru_utime + used.ru_stime, 2)
    return (os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0), seconds


def _outcome(code: int, failed: str, seconds: float, what: str) -> Outcome:
    """What pytest's exit code says."""
    if code in (4, 5):
        return Outcome("no test", "", seconds)
    if code == NOT_LOADED:  # or every fault would seem to survive
        raise RuntimeError(f"the fault was not loaded: {what}")
    if code not in (0, 1, 2):
        raise RuntimeError(f"pytest gave the exit code {code}: {what}")
    return Outcome("killed" if code else "survived", failed, seconds)


def _load_and_test(
    say: Callable[[str], None],
    tests: Sequence[str],
    path: Path,
    tree: ast.Module | None,
    order: Order | None,
) -> None:
    import pytest

    plugin = Plugin(None if tree is None else _Replaced(path, tree), order)
    plugin.put_first()
    code = pytest.main([*OPTIONS, *LOADED_BEFORE, *tests], plugins=[plugin])
    if code in (0, 1, 2) and plugin.replaced is not None and not plugin.replaced.was_loaded:
        code = NOT_LOADED
    say(json.dumps([int(code), plugin.failed]))


class Plugin:
    """Puts the mutant in place, and remembers which test failed first."""

    def __init__(self, replaced: "_Replaced | None" = None, order: Order | None = None):
        self.replaced, self.order, self.failed = replaced, order, ""

    def put_first(self) -> None:
        """Of all that find modules."""
        if self.replaced is not None:
            sys.meta_path.insert(0, self.replaced)

    def pytest_sessionstart(self) -> None:
        """The tests' settings are read by now, and a conftest may have loaded our package."""
        from hypothesis import settings

        settings.load_profile("mutants")
        # Again: pytest's own finder came before, and reads files named on the command line from disk.
        self.put_first()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Choose and sort tests, if there is an order."""
        if self.order is None:
            return
        seconds = {item.nodeid: self.order.seconds.get(item.nodeid, 0.0) for item in items}
        items.sort(key=lambda item: seconds[item.nodeid])
        total, kept = 0.0, 0
        for item in items:
            total += seconds[item.nodeid]
            kept += total <= self.order.most or not kept
        del items[kept:]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Of a test's preparation, call or end."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        """Of a file."""
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
