import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

from autotelic.agents import replay
from autotelic.agents.replay import RowLayout

pytestmark = pytest.mark.usefixtures("strict_shapes")

LAYOUT = RowLayout((("observation", 3), ("goal", 0), ("action", 1), ("terminated", 0)))
CAPACITY = 5


def row(number: int) -> jax.Array:
    """Insertion `number`, told by its first column; never zero, as an empty row is."""
    return jnp.full(LAYOUT.width, number + 1.0).at[1].set(-1.0)


def ring_after(inserted: int) -> jax.Array:
    ring = replay.init(CAPACITY, LAYOUT)
    for number in range(inserted):
        ring = replay.insert(ring, row(number), jnp.asarray(number))
    return ring


def test_ring_holds_the_latest_rows_at_every_step():
    ring, expected = replay.init(CAPACITY, LAYOUT), np.zeros(CAPACITY)
    assert ring.shape == (CAPACITY, 6)
    for number in range(2 * CAPACITY + 2):
        ring = replay.insert(ring, row(number), jnp.asarray(number))
        expected[number % CAPACITY] = number + 1
        np.testing.assert_array_equal(ring[:, 0], expected)
        np.testing.assert_array_equal(ring[:, 1], np.where(expected > 0, -1.0, 0.0))


@pytest.mark.parametrize("inserted", [1, 3, 4, 5, 6, 12])
def test_samples_are_rows_inserted_uniformly_with_replacement(inserted: int):
    count = 4_000
    bits = jax.random.bits(jax.random.key(inserted), (count,))
    batch = replay.sample(ring_after(inserted), jnp.asarray(inserted), bits)
    kept = min(inserted, CAPACITY)
    numbers, counts = np.unique(np.asarray(batch[:, 0]), return_counts=True)
    np.testing.assert_array_equal(numbers, np.arange(inserted - kept, inserted) + 1)
    # Fixed keys: uniform draws fail at this level for one key in a hundred.
    assert kept == 1 or chisquare(counts).pvalue > 0.01
    np.testing.assert_array_equal(batch[:, 1], np.full(count, -1.0))  # rows come whole


def test_a_population_shares_the_count():
    """Learners side by side, rows their own, the counter common: each is as if alone."""
    alone = [10.0 * member + ring_after(CAPACITY) for member in range(3)]
    rows = jnp.stack([row(100 + member) for member in range(3)])
    together = jax.vmap(replay.insert, in_axes=(0, 0, None))(jnp.stack(alone), rows, jnp.asarray(7))
    for member in range(3):
        expected = replay.insert(alone[member], rows[member], jnp.asarray(7))
        np.testing.assert_array_equal(together[member], expected)


@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
def test_what_is_packed_is_unpacked(leading: tuple[int, ...]):
    keys = iter(jax.random.split(jax.random.key(0), 4))
    shapes = {name: leading + ((size,) if size else ()) for name, size in LAYOUT.fields}
    values = {name: jax.random.normal(next(keys), shape) for name, shape in shapes.items()}
    values["goal"] = jnp.full(leading, 19)  # an integer comes back as the same number
    rows = LAYOUT.pack(dict(reversed(values.items())))  # the layout decides the order
    assert rows.shape == (*leading, LAYOUT.width) and rows.dtype == jnp.float32
    np.testing.assert_array_equal(rows[..., 3], values["goal"])
    back = LAYOUT.unpack(rows)
    assert list(back) == [name for name, _ in LAYOUT.fields]
    for name, value in values.items():
        np.testing.assert_array_equal(back[name], value, strict=name != "goal")
