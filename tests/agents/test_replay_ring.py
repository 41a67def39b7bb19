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
    """Insertion `number` [1, width], told by its first column; never zero, as an empty row is."""
    return jnp.full((1, LAYOUT.width), number + 1.0).at[:, 1].set(-1.0)


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


def test_several_rows_at_once_are_as_one_after_the_other():
    at_once = one_by_one = replay.init(6, LAYOUT)
    for number in range(0, 14, 2):
        rows = jnp.concatenate([row(number), row(number + 1)])
        at_once = replay.insert(at_once, rows, jnp.asarray(number))
        for own in (number, number + 1):
            one_by_one = replay.insert(one_by_one, row(own), jnp.asarray(own))
        np.testing.assert_array_equal(at_once, one_by_one)


@pytest.mark.parametrize("inserted", [1, 3, 4, 5, 6, 12])
def test_samples_are_rows_inserted_uniformly_with_replacement(inserted: int):
    count = 4_000
    bits = jax.random.bits(jax.random.key(inserted), (count,))
    ring = ring_after(inserted)
    batch = jnp.take(ring, replay.drawn(ring, jnp.asarray(inserted), bits), axis=0)
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


STEPS, GOALS = 2, 3


def visited(goals: list[int], capacity: int) -> jax.Array:
    """The ring after visits of STEPS rows to these goals; the first column counts the rows from 1."""
    ring = replay.init(capacity, LAYOUT)
    for number in range(STEPS * len(goals)):
        own = LAYOUT.pack(
            {
                "observation": jnp.full(3, number + 1.0),
                "goal": jnp.float32(goals[number // STEPS]),
                "action": jnp.zeros(1),
                "terminated": jnp.float32(0),
            }
        )
        ring = replay.insert(ring, own[None], jnp.asarray(number))
    return ring


def by_goal(ring: jax.Array, inserted: int, goal: int, count: int = 30_000) -> np.ndarray:
    """Rows drawn during the visit to `goal` that is under way, by their number from 1; sorted."""
    begin = inserted // STEPS * STEPS
    visits = replay.visits_by_goal(ring, LAYOUT, jnp.int32(begin), jnp.int32(goal), STEPS, GOALS)
    bits = jax.random.bits(jax.random.key(0), (count,), jnp.uint32)
    places = replay.drawn_by_goal(ring, visits, STEPS, jnp.int32(inserted), bits)
    rows = jnp.take(ring, places, axis=0)
    return np.asarray(LAYOUT.unpack(rows)["observation"][:, 0])


def test_goals_weigh_alike_and_so_do_the_rows_of_one():
    # Rows 1 to 4 and 7 are of goal 0, whose visit is under way; 5 and 6 of goal 2; goal 1 was not met.
    ring = visited([0, 0, 2, 0], capacity=20)
    found = by_goal(ring, inserted=7, goal=0)
    rows, counts = np.unique(found, return_counts=True)
    np.testing.assert_array_equal(rows, [1, 2, 3, 4, 5, 6, 7])
    expected = np.array([1 / 10] * 4 + [1 / 4] * 2 + [1 / 10]) * len(found)
    assert chisquare(counts, expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("capacity", "kept"),
    [
        (6, {5, 6, 7, 8}),  # the coming visit overwrites rows 3 and 4, the visit of 1 and 2 is gone
        (7, {5, 6, 7, 8}),  # row 3 survives the coming visit, its visit does not
        (8, {3, 4, 5, 6, 7, 8}),
        (20, {1, 2, 3, 4, 5, 6, 7, 8}),
    ],
)
def test_a_visit_that_is_being_overwritten_is_left_out(capacity: int, kept: set[int]):
    ring = visited([0, 1, 2, 1], capacity)
    assert set(by_goal(ring, inserted=8, goal=2)) == kept


def test_before_anything_is_remembered_the_first_row_comes():
    ring = replay.init(CAPACITY, LAYOUT)
    assert set(by_goal(ring, inserted=0, goal=1, count=50)) == {0.0}
