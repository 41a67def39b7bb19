"""What all tests share: compiled programs, which are their cost, and fixtures that make JAX strict."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import hypothesis
import pytest

# How long an example takes is no law, and a busy machine is no fault.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.register_profile("usual", deadline=None, max_examples=30)

QUICK_COMPILATION = {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    # Where each operation was written is found anew for every program, and no test reads it.
    "JAX_TRACEBACK_IN_LOCATIONS_LIMIT": "0",
}
NO_FUSION_EMITTERS = "--xla_cpu_use_fusion_emitters=false"
"""Without most optimisations these take half of a compilation's time. JAX 0.7 knows the flag for certain."""
FOLDER = "JAX_COMPILATION_CACHE_DIR"
MOST_MAPS = 20_000
"""Linux gives a process 65,530 memory maps by default, and every compiled program takes some."""


def pytest_configure(config: pytest.Config) -> None:
    """No program is compiled twice by workers and the processes they start, or for a long run.

    By environment variables, which workers inherit: JAX loads only where a test asks, as selectors do
    without it.
    """
    # A law is tried on more examples where there is time for all tests.
    few = "not thorough" in config.option.markexpr
    hypothesis.settings.load_profile("usual" if few else "untimed")
    if not hasattr(config, "workerinput"):
        os.environ |= QUICK_COMPILATION | {FOLDER: tempfile.mkdtemp(prefix="autotelic-programs-")}
        if _version_of("jaxlib") >= (0, 7):  # one that does not know a flag ends the process
            os.environ["XLA_FLAGS"] = (
                f"{os.environ.get('XLA_FLAGS', '')} {NO_FUSION_EMITTERS}".strip()
            )
        if "jax" in sys.modules:  # a plugin of pytest has loaded it, and with it read the variables
            import jax

            jax.config.update("jax_disable_most_optimizations", True)
            jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
            jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
            jax.config.update("jax_traceback_in_locations_limit", 0)
            jax.config.update("jax_compilation_cache_dir", os.environ[FOLDER])


def _version_of(package: str) -> tuple[int, ...]:
    """Its first two numbers; none if it is not installed."""
    try:
        return tuple(int(number) for number in metadata.version(package).split(".")[:2])
    except metadata.PackageNotFoundError:
        return ()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The programs go when the tests end."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests are looked for in the package; helpers of tests are imported by them alone."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper else None


@pytest.fixture(autouse=True, scope="module")
def _programs_are_let_go() -> Iterator[None]:
    """Before their maps are as many as the process may have: more end it without a word."""
    yield
    maps = Path("/proc/self/maps")
    if "jax" in sys.modules and maps.exists() and maps.read_bytes().count(b"\n") > MOST_MAPS:
        import jax

        jax.clear_caches()
        gc.collect()


@pytest.fixture
def strict_shapes() -> Iterator[None]:
    """Unlike ranks do not broadcast: [batch, 1] - [batch] is an error, not [batch, batch]."""
    import jax

    with jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture
def double_precision() -> Iterator[None]:
    """Computes in float64, so that formulas can be compared to many digits."""
    import jax

    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def same_crews() -> Iterator[None]:
    """See `tiny_runs.prepare`."""
    from tiny_runs import prepare

    with pytest.MonkeyPatch.context() as patch:
        prepare(patch)
        yield


@pytest.fixture(scope="session")
def _finished_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "finished"


@pytest.fixture
def finished(same_crews: None, _finished_folder: Path) -> Path:
    """The folder of the standard run, never interrupted. Copy it before you change it."""
    from tiny_runs import run

    if not _finished_folder.exists():
        run(_finished_folder)
    return _finished_folder
