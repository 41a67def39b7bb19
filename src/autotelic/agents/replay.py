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
    """Which columns of a row hold what; every field is a float32 vector of a fixed size."""

    fields: tuple[tuple[str, int], ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return sum(size for _, size in self.fields)

    def pack(self, values: Mapping[str, jax.Array]) -> jax.Array:
        """Fields [..., size] -> one row [..., width]; a field of size 1 may lack its last axis."""
        parts = [
            values[name][..., None] if size == 1 else values[name] for name, size in self.fields
        ]
        return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=-1)

    def unpack(self, rows: jax.Array) -> dict[str, jax.Array]:
        """Rows [..., width] -> fields [..., size], or [...] where the size is 1."""
        values, start = {}, 0
        for name, size in self.fields:
            values[name] = rows[..., start] if size == 1 else rows[..., start : start + size]
            start += size
        return values


def init(capacity: int, layout: RowLayout) -> jax.Array:
    """An empty ring [capacity, width]."""
    return jnp.zeros((capacity, layout.width), jnp.float32)


def insert(ring: jax.Array, row: jax.Array, inserted: jax.Array) -> jax.Array:
    """The ring with `row` as its insertion number `inserted` (counted from 0), over the oldest when full."""
    return jax.lax.dynamic_update_index_in_dim(ring, row, inserted % ring.shape[0], axis=0)


def sample(ring: jax.Array, inserted: jax.Array, bits: jax.Array) -> jax.Array:
    """Rows [batch, width] drawn uniformly with replacement from those inserted so far.

    `bits` are uniform uint32 [batch]; the bias of the remainder is below capacity / 2**32.
    """
    size = jnp.minimum(inserted, ring.shape[0]).astype(jnp.uint32)
    return jnp.take(ring, bits % size, axis=0)
