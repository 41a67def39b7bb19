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
MARK = re.compile(r"(?:[*-]|\d+\.) ")
FIELDS = ("attribute", "data", "property")
KEPT = (">>>", "...", ":", "..")


def plain(line: str) -> str:
    """A line in which nothing but `code` has a meaning.

    >>> print(plain("|G| goals: `a * b` is x * y_"))
    \\|G\\| goals: ``a * b`` is x \\* y\\_
    """
    found = ""
    for part in CODE.split(line):
        if CODE.fullmatch(part):
            found += f"`{part}`"
        else:  # reStructuredText wants a space or a full stop after code
            found += "\\ " * bool(found and re.match(r"[\w(]", part)) + SPECIAL.sub(r"\\\1", part)
    return found


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
            found += [*_items(paragraph), ""]
        elif any(line.lstrip().startswith(KEPT) for line in paragraph):
            code = first.lstrip().startswith(">>>")
            found += [
                line if code or line.lstrip().startswith(KEPT) else plain(line)
                for line in paragraph
            ] + [""]
        else:  # `code` may go on in the next line
            found += [*plain("\n".join(paragraph)).split("\n"), ""]
    return found


def _items(paragraph: list[str]) -> list[str]:
    """A list, one item for each line that does not hang; a bullet or number of its own is kept."""
    found = []
    mark = "- "
    for line in paragraph:
        if line.startswith(" "):
            found.append(" " * len(mark) + plain(line.strip()))
        else:
            own = MARK.match(line)
            mark = own[0] if own and own[0][0].isdigit() else "- "
            found.append(mark + plain(line[len(own[0]) :] if own else line))
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
    fields: dict[str, list[str]] = {}

    def process(
        app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
    ) -> None:
        del app, thing, options
        if what in FIELDS:
            fields[name] = converted(lines)
        else:
            lines[:] = converted(lines)

    def restore(
        app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
    ) -> None:
        """Google's style would take what stands before a colon for a field's type."""
        del app, thing, options
        if what in FIELDS:
            lines[:] = fields.pop(name)

    def skip(app: Sphinx, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool:
        """Fields of a NamedTuple are described by its own docstring; a module's numbers are its own."""
        del app, options
        number = (
            what == "module" and name.isupper() and isinstance(thing, int | float | str | tuple)
        )
        field = str(getattr(thing, "__doc__", "")).startswith("Alias for field number")
        return skipped or number or field

    app.connect("autodoc-process-docstring", process, priority=400)  # napoleon's has 500
    app.connect("autodoc-process-docstring", restore, priority=600)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
