"""Replay as one ring of packed rows: a step writes one row, a batch is one gather.

A row holds the integer goal and no reward: rewards depend on the current discriminator and p(g), so
they are computed when a batch is drawn. The caller counts insertions, because all learners of a
population step together and an index shared by them keeps the write in place.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class RowLayout:
    """Which columns of a row hold what: float32 vectors of a fixed size, or scalars, of size 0."""

    fields: tuple[tuple[str, int], ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return sum(max(size, 1) for _, size in self.fields)

    def pack(self, values: Mapping[str, jax.Array]) -> jax.Array:
        """Vectors [..., size] and scalars [...] -> one row [..., width]."""
        parts = [values[name] if size else values[name][..., None] for name, size in self.fields]
        return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=-1)

    def unpack(self, rows: jax.Array) -> dict[str, jax.Array]:
        """Rows [..., width] -> vectors [..., size] and scalars [...]."""
        values, start = {}, 0
        for name, size in self.fields:
            values[name] = rows[..., start : start + size] if size else rows[..., start]
            start += max(size, 1)
        return values


def init(capacity: int, layout: RowLayout) -> jax.Array:
    """An empty ring [capacity, width]."""
    return jnp.zeros((capacity, layout.width), jnp.float32)


def insert(ring: jax.Array, row: jax.Array, inserted: jax.Array) -> jax.Array:
    """The ring with `row` as its insertion number `inserted` (counted from 0), over the oldest when full."""
    return jax.lax.dynamic_update_index_in_dim(ring, row, inserted % ring.shape[0], axis=0)


def sample(ring: jax.Array, inserted: jax.Array, bits: jax.Array) -> jax.Array:
    """Rows [batch, width] drawn uniformly with replacement from those inserted so far; of none, the first.

    `bits` are uniform uint32 [batch]; the bias of the remainder is below capacity / 2**32.
    """
    size = jnp.clip(inserted, 1, ring.shape[0]).astype(jnp.uint32)
    return jnp.take(ring, bits % size, axis=0)
