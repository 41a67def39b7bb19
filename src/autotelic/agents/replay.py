"""Replay as one ring of packed rows: a step writes one row, a batch is one gather.

A row holds the integer goal and no reward: rewards depend on the current discriminator and p(g), so
they are computed when a batch is drawn. The caller counts insertions, because all learners of a
population step together and an index shared by them keeps the write in place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

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

    def column(self, name: str) -> int:
        """The first column of a field."""
        names = [field for field, _ in self.fields]
        return sum(max(size, 1) for _, size in self.fields[: names.index(name)])

    def pack(self, values: Mapping[str, Any]) -> jax.Array:
        """Vectors [..., size] and scalars [...] -> one row [..., width]; what no field names is left out."""
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


def insert(ring: jax.Array, rows: jax.Array, inserted: jax.Array) -> jax.Array:
    """The ring with `rows` [n, width] as its insertions from number `inserted` on (counted from 0).

    They take the place of the oldest when the ring is full; n must divide its capacity.
    """
    return jax.lax.dynamic_update_slice_in_dim(ring, rows, inserted % ring.shape[0], axis=0)


def drawn(ring: jax.Array, inserted: jax.Array, bits: jax.Array) -> jax.Array:
    """Places in the ring [batch], drawn uniformly with replacement from those of rows inserted so far; before
    any is, the first place.

    `bits` are uniform uint32 [batch]; the bias of the remainder is below capacity / 2**32.
    """
    size = jnp.clip(inserted, 1, ring.shape[0]).astype(jnp.uint32)
    return bits % size


class Visits(NamedTuple):
    """Which whole visits a ring holds, sorted by their goals; see `visits_by_goal`.

    numbers: [visits] since the run's first; first, counts: [goals] where a goal's begin among them, and
    how many there are; pursued: [] the goal of the visit under way.
    """

    numbers: jax.Array
    first: jax.Array
    counts: jax.Array
    pursued: jax.Array


def visits_by_goal(
    ring: jax.Array,
    layout: RowLayout,
    inserted: jax.Array,
    pursued: jax.Array,
    steps: int,
    num_goals: int,
) -> Visits:
    """The visits of `steps` rows each that stay in the ring while the next is made.

    inserted: [] rows before that next visit, a multiple of `steps`; pursued: [] its goal. A visit
    that begins to be overwritten on the way is left out.
    """
    capacity = ring.shape[0]
    numbers = inserted // steps - 1 - jnp.arange(capacity // steps)
    begins = numbers * steps
    kept = (numbers >= 0) & (begins >= inserted + steps - capacity)
    goals = layout.unpack(jnp.take(ring, begins % capacity, axis=0))["goal"].astype(jnp.int32)
    goals = jnp.where(kept, goals, num_goals)
    count = jnp.sum(jax.nn.one_hot(goals, num_goals, dtype=jnp.int32), axis=0)
    return Visits(numbers[jnp.argsort(goals)], jnp.cumsum(count) - count, count, pursued)


def drawn_by_goal(
    ring: jax.Array, visits: Visits, steps: int, inserted: jax.Array, bits: jax.Array
) -> jax.Array:
    """Places in the ring [batch]: a goal drawn uniformly from those met, then one of its rows; before any is
    inserted, the first place.

    inserted: [] rows so far, those of the visit under way included. `bits` are uniform uint32 [batch];
    the bias of the remainders is below goals x capacity / 2**32.
    """
    begin = inserted // steps * steps
    whole = visits.counts * steps
    own = jax.nn.one_hot(visits.pursued, len(visits.counts), dtype=jnp.int32)
    rows = whole + own * (inserted - begin)
    met = jnp.argsort(rows == 0)  # stable: those with rows first
    known = jnp.maximum(jnp.sum(rows > 0), 1).astype(jnp.uint32)
    chosen = met[bits % known]
    index = ((bits // known) % jnp.maximum(rows[chosen], 1).astype(jnp.uint32)).astype(jnp.int32)
    number = visits.numbers[(visits.first[chosen] + index // steps) % len(visits.numbers)]
    row = jnp.where(
        index < whole[chosen], number * steps + index % steps, begin + index - whole[chosen]
    )
    return row % ring.shape[0]


def turns_left(ended: jax.Array) -> jax.Array:
    """How many turns of its environment follow each row in its episode: [turns, environments] -> the same.

    ended: 1.0 where an episode, or the visit, ends with the row; it does with every last one.
    """
    turns = len(ended)
    numbers = jnp.arange(turns, dtype=jnp.float32)[:, None]
    ends = jnp.where(ended > 0, numbers, jnp.float32(turns - 1))
    return jax.lax.cummin(ends, axis=0, reverse=True) - numbers


def mark_ends(
    ring: jax.Array, layout: RowLayout, inserted: jax.Array, steps: int, environments: int
) -> jax.Array:
    """The ring with `left` filled in for the visit just made: `turns_left` of its rows.

    inserted: [] rows so far, a multiple of `steps`, which divides the ring's capacity: a visit lies in
    one piece. Rows of a visit under way have 0, and so know of no later state.
    """
    first = (inserted - steps) % ring.shape[0]
    rows = jax.lax.dynamic_slice_in_dim(ring, first, steps, axis=0)
    left = turns_left(layout.unpack(rows)["ended"].reshape(-1, environments)).reshape(-1, 1)
    return jax.lax.dynamic_update_slice(ring, left, (first, layout.column("left")))


def later(
    positions: jax.Array, left: jax.Array, environments: int, bits: jax.Array | None
) -> jax.Array:
    """Where in the ring a later row of the same episode is, [batch], the row itself among them.

    positions: [batch] of rows; left: [batch] their turns left; bits: uniform uint32 [batch] to draw any
    of them, or None for the last. A visit lies in one piece, its environments' rows in turn, and its
    first rows are overwritten first: what is later is still there.
    """
    left = left.astype(jnp.uint32)
    turns = left if bits is None else bits % (left + 1)
    return positions.astype(jnp.uint32) + turns * jnp.uint32(environments)
