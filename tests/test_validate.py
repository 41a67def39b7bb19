"""Sentences of refusals."""

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
