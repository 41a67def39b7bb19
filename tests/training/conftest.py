"""Compiled programs are the cost of these tests: they are kept on disk for the whole session."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of JAX's compilation cache."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def quick_compilation(compiled_programs: Path) -> Iterator[dict[str, str]]:
    """No program is compiled twice, or optimised for a long run; yields it as environment variables.

    Also see `tiny_runs.prepare`.
    """
    import jax
    from jax.experimental.compilation_cache import compilation_cache
    from tiny_runs import prepare

    changes = {
        "jax_disable_most_optimizations": True,
        "jax_compilation_cache_dir": str(compiled_programs),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: jax.config.values[name] for name in changes}
    _configure(changes)
    compilation_cache.reset_cache()
    with pytest.MonkeyPatch.context() as patch:
        prepare(patch)
        yield {name.upper(): str(value) for name, value in changes.items()}
    _configure(before)
    compilation_cache.reset_cache()


def _configure(values: dict) -> None:
    import jax

    for name, value in values.items():
        jax.config.update(name, value)


@pytest.fixture(scope="session")
def _finished_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "finished"


@pytest.fixture
def finished(quick_compilation: dict[str, str], _finished_folder: Path) -> Path:
    """The folder of the standard run, never interrupted. Copy it before you change it."""
    from tiny_runs import run

    if not _finished_folder.exists():
        run(_finished_folder)
    return _finished_folder
