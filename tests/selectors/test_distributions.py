"""Softmax, the floor, the draw and the effective number of skills."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autotelic.selectors.distributions import (
    PRIOR_FLOOR,
    draw,
    effective_number_of_skills,
    levelled,
    positive,
    softmax,
)

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)


def test_softmax_of_logarithms_gives_their_ratio_back():
    assert softmax(np.log([1.0, 2.0, 5.0])) == pytest.approx([0.125, 0.25, 0.625])
    # Halving the temperature squares the ratio.
    assert softmax(np.log([1.0, 2.0]), temperature=0.5) == pytest.approx([0.2, 0.8])


@given(VALUES, st.floats(-1e6, 1e6), st.sampled_from([0.1, 1.0, 10.0]))
def test_softmax_is_invariant_to_a_shift_and_never_overflows(
    values: Any, shift: float, temperature: float
):
    p = softmax(values, temperature)
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    # A shift by 1e6 costs the values about 1e-10 of precision.
    assert softmax(np.add(values, shift), temperature) == pytest.approx(p, abs=1e-7)


@given(VALUES)
def test_softmax_tends_to_uniform_and_to_the_largest(values: Any):
    hot = softmax(values, 1e15)
    assert hot == pytest.approx(np.full(len(values), 1 / len(values)), abs=1e-8)
    best = np.array(values) == max(values)
    assert softmax(values, 5e-324) == pytest.approx(best / best.sum())


def test_the_floor_raises_only_what_lies_under_it():
    p = positive(np.array([0.0, 1.0]))
    assert p == pytest.approx([PRIOR_FLOOR, 1.0], rel=1e-5)
    assert p.sum() == pytest.approx(1.0, abs=1e-15)
    assert positive(np.array([0.3, 0.7])).tolist() == [0.3, 0.7]


def test_draws_follow_their_probabilities():
    p = np.array([0.5, 0.0, 0.3, 0.2, 0.0])
    generator = np.random.default_rng(0)
    counts = np.bincount([draw(p, generator) for _ in range(20_000)], minlength=5)
    assert counts[1] == counts[4] == 0
    # Chi-squared with 2 degrees of freedom: 13.8 is exceeded once in a thousand seeds.
    expected = 20_000 * p[[0, 2, 3]]
    assert ((counts[[0, 2, 3]] - expected) ** 2 / expected).sum() < 13.8


def test_effective_number_of_skills():
    assert effective_number_of_skills([1.0, 0.0, 0.0]) == 1.0
    assert effective_number_of_skills(np.full(20, 0.05)) == pytest.approx(20)
    # entropy of (1/2, 1/4, 1/4) is 1.5 bits
    assert effective_number_of_skills([0.5, 0.25, 0.25]) == pytest.approx(2**1.5)
    batch = effective_number_of_skills([[[0.5, 0.5], [1.0, 0.0]]])
    assert isinstance(batch, np.ndarray)
    assert batch == pytest.approx(np.array([[2.0, 1.0]]))


@pytest.mark.parametrize("bad", [[0.5, 0.4], [1.5, -0.5], [float("nan"), 1.0]])
def test_effective_number_of_no_distribution_is_refused(bad: Any):
    with pytest.raises(ValueError, match="sum to 1"):
        effective_number_of_skills(bad)


@pytest.mark.parametrize("bad", [[], 1.0])
def test_effective_number_of_a_wrong_shape_is_refused(bad: Any):
    with pytest.raises(ValueError, match="shape"):
        effective_number_of_skills(bad)


class Highest:
    """A generator whose number is the largest below 1."""

    def random(self) -> float:
        return np.nextafter(1.0, 0.0)


@pytest.mark.parametrize("p", [np.full(10, 0.1), np.array([0.25, 0.25, 0.4999])])
def test_the_last_goal_is_drawn_when_rounding_leaves_the_sum_below_one(p: np.ndarray):
    assert np.cumsum(p)[-1] < 1.0
    assert draw(p, cast(Any, Highest())) == len(p) - 1


def test_the_effective_number_of_no_rows_is_no_number():
    assert np.shape(effective_number_of_skills(np.empty((0, 3)))) == (0,)
    with pytest.raises(ValueError, match=r"got the shape \(3, 0\)"):
        effective_number_of_skills(np.empty((3, 0)))


def test_every_row_of_a_batch_must_be_a_distribution():
    with pytest.raises(ValueError, match="sum to 1"):
        effective_number_of_skills([[0.5, 0.5], [0.5, 0.4]])


def test_goals_are_levelled_whatever_the_size_of_the_logits():
    # The mean probability of logits 0 and 1000 is that of log((e^0 + e^1000) / 2) = 1000 - log 2.
    found = levelled(np.array([0.0, 1000.0]), np.array([True, False]))
    np.testing.assert_allclose(found, [1000.0 - np.log(2.0), 1000.0], rtol=1e-12)
