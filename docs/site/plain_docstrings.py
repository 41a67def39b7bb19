"""Docstrings are plain text with `code` in single quotes; Sphinx reads reStructuredText.

Paragraphs whose lines hang are lists, one item for each line that does not:

    offset: how far apart the windows are, and a
      second line of it.
    smoothing: ...
"""

import re
from typing import Any

from sphinx.application import Sphinx

SPECIAL = re.compile(r"([|*\\]|_(?=\W|$))")
CODE = re.compile(r"(`[^`]+`)")
HANGING = re.compile(r" {2,3}\S")
KEPT = (">>>", "...", ":", "..")


def plain(line: str) -> str:
    """A line in which nothing but `code` has a meaning.

    >>> print(plain("|G| goals: `a * b` is x * y_"))
    \\|G\\| goals: ``a * b`` is x \\* y\\_
    """
    parts = CODE.split(line)
    return "".join(f"`{p}`" if CODE.fullmatch(p) else SPECIAL.sub(r"\\\1", p) for p in parts)


def converted(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText: lists of lines that hang, blocks further in as they are."""
    found: list[str] = []
    for paragraph in _paragraphs(lines):
        first = paragraph[0]
        if first.startswith("    ") and not first.lstrip().startswith(KEPT):
            literal = bool(found) and found[-1:] == [""] and not _in_section(found)
            found += (
                ["::", "", *paragraph] if literal else [plain(line) for line in paragraph]
            ) + [""]
        elif not first.startswith(" ") and any(HANGING.match(line) for line in paragraph):
            for line in paragraph:
                found.append(
                    f"  {plain(line.strip())}" if line.startswith(" ") else f"- {plain(line)}"
                )
            found.append("")
        else:
            found += [
                line
                if line.lstrip().startswith(KEPT) or first.lstrip().startswith(">>>")
                else plain(line)
                for line in paragraph
            ] + [""]
    return found


def _paragraphs(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def _in_section(found: list[str]) -> bool:
    """Whether the text so far ends in a section of Google's style, whose entries are indented."""
    heads = [line for line in found if line and not line.startswith(" ")]
    return bool(heads) and heads[-1] in ("Args:", "Attributes:", "Returns:", "Raises:", "Examples:")


def setup(app: Sphinx) -> dict[str, bool]:
    """Convert every docstring before the sections of Google's style are read."""

    def process(
        app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
    ) -> None:
        del app, what, name, thing, options
        lines[:] = converted(lines)

    def skip(app: Sphinx, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool:
        """Fields of a NamedTuple are described by its own docstring."""
        del app, what, name, options
        return skipped or str(getattr(thing, "__doc__", "")).startswith("Alias for field number")

    app.connect("autodoc-process-docstring", process, priority=400)  # napoleon's has 500
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
