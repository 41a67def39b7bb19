"""The cases, made: each unit in one of several processes, which load the library there."""

import hashlib
import multiprocessing
import os
import platform
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tools.goldens.cases import LINES, RUNS, SELECTORS, Meaning, kinds_of
from tools.goldens.values import kept

GIVEN = os.environ.get("XLA_FLAGS", "")
"""XLA's flags of who calls: `--xla_cpu_max_isa=SSE4_2` makes another machine of this one."""
SET = {
    "AUTOTELIC_CORES": "2",  # crews of the same size everywhere
    "JAX_PLATFORMS": "cpu",
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "JAX_TRACEBACK_IN_LOCATIONS_LIMIT": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": f"{GIVEN} --xla_cpu_multi_thread_eigen=false --xla_cpu_use_fusion_emitters=false",
}
"""How every process computes; to be set before JAX and NumPy load."""
PACKAGES = ("jax", "jaxlib", "equinox", "numpy", "pandas", "scipy", "scikit-learn", "gymnasium")
TOLD = ("what it needs", "everything")

Found = dict[str, dict[str, Any]]
"""By the names of cases: their goldens by name."""


class Unit(NamedTuple):
    """Cases that are made together."""

    kind: str
    of: Meaning | str

    @property
    def names(self) -> list[str]:
        """Of its cases, in the order in which they are made."""
        if self.kind == "selector":
            return [f"selector: {self.of}, told {what}" for what in TOLD]
        kinds = (
            kinds_of(self.of) if isinstance(self.of, Meaning) and self.kind == "run" else ["line"]
        )
        return [f"{kind}: {self.of}" for kind in kinds]


def units() -> list[Unit]:
    """All that there is; what takes long comes first."""
    found = [Unit("run", one) for one in RUNS]
    found.sort(key=lambda unit: -len(unit.names))
    found += [Unit("selector", word) for word in SELECTORS]
    return found + [Unit("line", one) for one in LINES]


def make(unit: Unit) -> Found:
    """What the cases of a unit give now; what was raised, where one fails."""
    from tools.goldens import library  # loads all that is tested

    found: Found = {}
    try:
        with library.makers(unit.kind, unit.of) as made:
            for name, maker in zip(unit.names, made, strict=True):
                found[name] = _outcome(maker)
    except Exception as error:  # before any case is made
        found.update({name: _raised(error) for name in unit.names if name not in found})
    return found


def _outcome(maker: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {name: kept(value) for name, value in maker().items()}
    except (Exception, SystemExit) as error:  # which ends a command line that is not understood
        return _raised(error)


def _raised(error: BaseException) -> dict[str, Any]:
    return {"raised": f"{type(error).__name__}: {error}"}


def make_all(wanted: Sequence[Unit], processes: int) -> Found:
    """The same of many, in several processes."""
    os.environ |= SET
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", _programs())
    context = multiprocessing.get_context("spawn")
    found: Found = {}
    with ProcessPoolExecutor(processes, context) as pool:
        for part in pool.map(make, wanted):
            found.update(part)
    return found


def _programs() -> str:
    """A folder in which compiled programs are kept, so that a second check compiles what changed."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return str(home / "autotelic" / f"goldens-{machine()['processor']}")


def machine() -> dict[str, str]:
    """What bits depend on."""
    said = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = set(info.read_text().splitlines())
        said += "".join(sorted(one for one in lines if one.startswith(("model name", "flags"))))
    return {
        "processor": hashlib.sha256(said.encode()).hexdigest()[:12],
        "flags": GIVEN,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }
