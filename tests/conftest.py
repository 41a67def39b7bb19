"""Fixtures that make JAX strict; it loads only where a test asks, as selectors do without it."""

from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests are looked for in the package; helpers of tests are imported by them alone."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper else None


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


@pytest.fixture(scope="session")
def programs_are_kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled programs in a folder, for processes that the tests start too."""
    import jax

    settings = {
        "jax_compilation_cache_dir": str(tmp_path_factory.mktemp("programs")),
        "jax_persistent_cache_min_compile_time_secs": 0,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            jax.config.update(name, value)
            patch.setenv(name.upper(), str(value))
        yield
    for name, value in before.items():
        jax.config.update(name, value)
