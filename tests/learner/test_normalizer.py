import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.learner import normalizer as normalizers

SEEN = jnp.array([[1.0, 5.0], [3.0, 5.0], [8.0, 5.0]])


def test_by_hand():
    """Mean 4 and deviation sqrt((9 + 1 + 16) / 3); the second entry never varies."""
    known = normalizers.update(normalizers.init(2), SEEN)
    np.testing.assert_allclose(known.mean, [4.0, 5.0])
    np.testing.assert_allclose(known.squares, [26.0, 0.0], atol=1e-6)
    found = normalizers.normalize(known, jnp.array([4.0 + (26 / 3) ** 0.5, 7.0]))
    np.testing.assert_allclose(found, [1.0, 2.0], rtol=1e-6)


def test_before_anything_was_seen_observations_stay_as_they_are():
    found = normalizers.normalize(normalizers.init(2), SEEN)
    np.testing.assert_array_equal(found, SEEN)


@pytest.mark.parametrize("first", [1, 4, 9])
def test_two_parts_are_as_good_as_the_whole(first: int):
    seen = np.random.default_rng(first).normal(3.0, 2.0, (10, 2)).astype(np.float32)
    once = normalizers.update(normalizers.init(2), jnp.asarray(seen))
    part = normalizers.update(normalizers.init(2), jnp.asarray(seen[:first]))
    twice = normalizers.update(part, jnp.asarray(seen[first:]))
    assert float(twice.number) == 10
    for one, other in zip(once, twice, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)
    own = normalizers.normalize(once, jnp.asarray(seen))
    assert np.std(np.asarray(own), axis=0) == pytest.approx([1.0, 1.0], rel=1e-4)
