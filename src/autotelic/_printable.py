"""Texts of files that are shown to people: none may steer the terminal."""

import unicodedata
from typing import Any

STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that move the cursor, colour, ring, reverse or break lines, or are no characters."""
PLAIN = {ord("\n"): " ", ord("\t"): " "}
"""Which of them a text may have, though no name."""


def is_name(text: str) -> bool:
    """Whether a text is one line without a character that steers the terminal.

    >>> is_name("dp, T = 0.1"), is_name("dp\\x1b[2J"), is_name("dp\\n")
    (True, False, False)
    """
    return (text.isascii() and text.isprintable()) or not any(map(_steers, text))


def check(content: Any) -> None:
    """Refuse the content of a file if one of its texts would steer the terminal it is shown on."""
    waiting, texts = [content], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            texts += one  # names: of methods, runs, options
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            texts.append(one.translate(PLAIN))
    for text in texts:
        if not is_name(text):
            raise ValueError(
                f"it has a text that would steer the terminal it is shown on, {text[:80]!a}; "
                "remove it, or do not trust the file"
            )


def _steers(letter: str) -> bool:
    return unicodedata.category(letter) in STEERING
