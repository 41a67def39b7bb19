"""What there is of a kind, in the words of its docstrings: for `objectives` and `selectors`."""

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

WIDTH = 80
"""Columns of a terminal."""


class Entry(NamedTuple):
    """A class by its shell name: its first sentence, and where it was published."""

    name: str
    kind: str
    sentence: str
    reference: str


def entry(name: str, kind: type) -> Entry:
    """What a class says of itself.

    The sentence is the first paragraph of its docstring. The reference is declared (`reference`), or
    follows "Reference:" in the docstring, or begins it ("Park et al. 2024: reward ...").
    """
    paragraphs = [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]
    sentence = paragraphs[0]
    options = {f.name for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else ()
    reference = "" if "reference" in options else getattr(kind, "reference", "")
    cited = [p.partition(":")[2].strip() for p in paragraphs if re.match("References?:", p)]
    begins = re.match(r"(.{1,60}? \d{4})[:,] ", sentence)
    if begins:
        sentence = sentence[begins.end() :]
        sentence = sentence[:1].upper() + sentence[1:]
    if not reference:
        reference = cited[0] if cited else begins[1] if begins else ""
    return Entry(name, kind.__name__, sentence, reference.rstrip("."))


def listed(kinds: Mapping[str, type]) -> str:
    """Every class in the order given, its shell name at the left, within 80 columns."""
    margin = 2 + max(len(name) for name in kinds)
    lines = []
    for one in (entry(name, kind) for name, kind in kinds.items()):
        lines.append(wrapped(f"{one.kind}. {one.sentence}", one.name.ljust(margin), margin))
        if one.reference:
            lines.append(wrapped(one.reference, " " * margin, margin))
    return "\n".join(lines)


def wrapped(text: str, first: str = "", margin: int = 0) -> str:
    """A text in lines that fit, the first after `first`, the others after a margin."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def asks_for_help(command: str, summary: str, words: Sequence[str]) -> bool:
    """Whether the words ask for help, which is then given; others are refused: there are no options."""
    if not words:
        return False
    if words[0] not in ("-h", "--help"):
        raise ValueError(f"autotelic {command} takes no options, got {' '.join(words)!r}")
    print(f"usage: autotelic {command} [-h]\n\n{wrapped(summary)}")
    return True
