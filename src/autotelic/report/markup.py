"""HTML that is safe by construction: a text is escaped unless it is markup already."""

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any


class Html(str):
    """A piece of markup, made by the functions here."""


def escaped(value: Any) -> Html:
    """A value as text of the page; markup stays as it is.

    >>> escaped("<b>")
    '&lt;b&gt;'
    """
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def joined(parts: Iterable[Any], separator: str = "") -> Html:
    """Pieces one after the other."""
    return Html(separator.join(escaped(part) for part in parts))


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """An element. Of attributes `class_` is spelled `class`, and `_` becomes a hyphen.

    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    words = [name] + [
        f'{key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
    ]
    return Html(f"<{' '.join(words)}>{joined(children)}</{name}>")


def table(
    caption: str, head: Sequence[Any], rows: Iterable[Sequence[Any]], class_: str = ""
) -> Html:
    """A table whose first column names the rows; it scrolls by itself where it is too wide."""
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    ]
    made = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", name, scope="col") for name in head))),
        tag("tbody", *body),
        **({"class_": class_} if class_ else {}),
    )
    return tag("div", made, class_="scroll", tabindex="0")


def raised(text: str) -> str:
    """The text with its first letter as a capital, unless it is a symbol.

    >>> raised("only one"), raised("q(g|s) is low")
    ('Only one', 'q(g|s) is low')
    """
    return text[0].upper() + text[1:] if text[1:2].isalpha() else text


def embedded(data: Any) -> Html:
    """Data as JSON that no text in it can end or turn into markup.

    >>> embedded(["</script>"])
    '["\\\\u003c/script>"]'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return Html(text.replace("<", "\\u003c"))
