"""Sentences of refusals."""

import pytest

from autotelic import _validate


def test_an_unknown_word_is_told_what_there_is():
    assert (
        _validate.unknown("option of it", "lenght", ["length", "noise"])
        == "unknown option of it 'lenght'; choose from length, noise. Did you mean 'length'?"
    )
    assert (
        _validate.unknown("option of it", "length", [])
        == "unknown option of it 'length'; there is none to choose from."
    )


def test_integers_have_bounds_and_seeds_any_number_of_digits():
    with pytest.raises(ValueError, match=r"^window must be at most 2147483647, got 2147483648$"):
        _validate.integer("window", 2**31, minimum=1)
    with pytest.raises(ValueError, match=r"^goals must be at most 9, got 10$"):
        _validate.integer("goals", 10, minimum=1, maximum=9)
    _validate.seed("seed", 2**128)
    with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
        _validate.seed("seed", -1)
