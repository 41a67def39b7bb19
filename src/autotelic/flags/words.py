"""The words of a command before they are read as flags."""

from collections.abc import Sequence
from itertools import pairwise

MOST_SEEDS = 1000
"""Beyond this a number is taken for a seed that was meant by itself."""


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse an empty text, which is what a variable of the shell leaves that is not set.

    >>> refuse_empty(["navigation2d", "--out", " "])
    Traceback (most recent call last):
    ValueError: --out is given an empty text; give it a value, or leave it out
    """
    for before, word in pairwise(["", *words]):
        flag, equals, value = word.partition("=")
        if not word.strip():
            place = before if before.startswith("--") else "an argument"
        elif flag.startswith("--") and equals and not value.strip():
            place = flag
        else:
            continue
        raise ValueError(f"{place} is given an empty text; give it a value, or leave it out")
