"""Later rows of an episode in the ring: by hand, and by the law that a goal was really reached."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from autotelic.agents import replay
from autotelic.agents.replay import RowLayout

LAYOUT = RowLayout((("next_observation", 1), ("ended", 0), ("left", 0)))

MARK = jax.jit(replay.mark_ends, static_argnums=(1, 3, 4))


def ring_of(visits: int, steps: int, capacity: int, ended: np.ndarray, environments: int):
    """A ring after whole visits; row n says n; `ended` [visits * steps] beside each visit's last turn."""
    ring = np.zeros((capacity, LAYOUT.width), np.float32)
    for visit in range(visits):
        for n in range(visit * steps, (visit + 1) * steps):
            last = n % steps >= steps - environments
            ring[n % capacity] = n, ended[n] or last, 0.0
        ring = np.array(
            MARK(jnp.asarray(ring), LAYOUT, jnp.asarray((visit + 1) * steps), steps, environments)
        )
    return jnp.asarray(ring)


def test_turns_left_by_hand():
    # Environment 0: episodes of turns 0-1 and 2-4; environment 1: one of turns 0-4.
    ended = np.array([[0, 0], [1, 0], [0, 0], [0, 0], [1, 1]], np.float32)
    expected = [[1, 4], [0, 3], [2, 2], [1, 1], [0, 0]]
    np.testing.assert_array_equal(replay.turns_left(jnp.asarray(ended)), expected)


def test_a_ring_of_two_visits_by_hand():
    """Visits of 4 rows in two environments, in a ring for two: the third has replaced the first."""
    ended = np.zeros(12)
    ended[4] = 1  # environment 0 ends an episode with the first turn of the second visit
    ring = ring_of(3, 4, 8, ended, environments=2)
    np.testing.assert_array_equal(ring[:, 0], [8, 9, 10, 11, 4, 5, 6, 7])
    np.testing.assert_array_equal(ring[:, 2], [1, 1, 0, 0, 0, 1, 0, 0])
    positions = jnp.array([0, 1, 4, 5])
    final = replay.later(positions, ring[positions, 2], 2, None)
    np.testing.assert_array_equal(ring[final, 0], [10, 11, 4, 7])
    bits = jnp.array([6, 7, 6, 7], jnp.uint32)  # even: the row itself, odd: the next turn
    future = replay.later(positions, ring[positions, 2], 2, bits)
    np.testing.assert_array_equal(ring[future, 0], [8, 11, 4, 7])


def test_the_future_is_drawn_evenly_and_rows_under_way_know_none():
    ring = ring_of(1, 5, 10, np.zeros(10), environments=1)
    ring = replay.insert(ring, jnp.array([[5.0, 0.0, 0.0]]), jnp.asarray(5))
    bits = jax.random.bits(jax.random.key(0), (4000,), jnp.uint32)
    first = jnp.zeros(4000, int)
    found = ring[replay.later(first, ring[first, 2], 1, bits), 0]
    numbers, counts = np.unique(np.asarray(found), return_counts=True)
    np.testing.assert_array_equal(numbers, range(5))
    assert chisquare(counts).pvalue > 0.01
    assert replay.later(jnp.array([5]), ring[jnp.array([5]), 2], 1, bits[:1])[0] == 5


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
def test_what_is_later_was_reached_in_the_same_episode_of_the_same_visit(
    environments: int, turns: int, visits: int, room: int, seed: int
):
    generator = np.random.default_rng(seed)
    steps = environments * turns
    ended = generator.random(visits * steps) < 0.3
    ring = ring_of(visits, steps, room * steps, ended, environments)
    inserted = visits * steps
    bits = jnp.asarray(generator.integers(2**32, size=(2, 30)), jnp.uint32)
    positions = replay.drawn(ring, jnp.asarray(inserted), bits[0])
    for chosen in (bits[1], None):
        at = replay.later(positions, ring[positions, 2], environments, chosen)
        rows, others = np.asarray(ring)[np.array([positions, at]), 0].astype(int)
        for row, other in zip(rows, others, strict=True):
            assert other >= row and other < inserted
            assert other % environments == row % environments  # the same environment
            assert other // steps == row // steps  # the same visit
            between = np.arange(row, other, environments)
            assert not ended[between].any()  # no episode ended on the way
            if chosen is None:
                assert ended[other] or other % steps >= steps - environments
