"""Fixtures that make JAX strict; it loads only where a test asks, as selectors do without it."""

from collections.abc import Iterator

import pytest


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
