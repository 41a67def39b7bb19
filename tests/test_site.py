"""The parts of the documentation site that are our own: docstrings, links, and what they are checked by."""

from pathlib import Path

import pytest
from check_links import broken
from plain_docstrings import converted, plain
from repository_links import rewritten


def test_only_code_has_a_meaning_in_a_docstring() -> None:
    assert plain("|G| goals, `a * b`, x_ and y * z") == r"\|G\| goals, ``a * b``, x\_ and y \* z"


def test_lines_that_hang_are_a_list_and_blocks_further_in_are_shown_as_they_are() -> None:
    text = ["First.", "", "a: one", "  more", "b: two", "", "Then", "", "    x = |y|", "", "End."]
    expected = ["First.", "", "- a: one", "  more", "- b: two", "", "Then", ""]
    assert converted(text) == [*expected, "::", "", "    x = |y|", "", "End.", ""]


def test_entries_of_a_section_stay_entries() -> None:
    text = ["Args:", "    a: one |x|", "", "    b: two"]
    assert converted(text) == ["Args:", r"    a: one \|x\|", "", "    b: two", ""]


@pytest.mark.parametrize(
    ("link", "site"),
    [
        ("[f](../../src/f.py)", '<a href="../files/src/f.py.txt">f</a>'),
        ("[`f`](../../src/f.py#L3)", '<a href="../files/src/f.py.txt"><code>f</code></a>'),
        ("[table](table.csv)", '<a href="../files/docs/results/table.csv.txt">table</a>'),
        ("[p](../page.md#part)", "[p](../page.md#part)"),
        ("[s](study)", "[s](study/README.md)"),
        ("[d](../../src)", "d"),
        ("![a picture](../p.png)", "![a picture](../p.png)"),
        ("[out](https://x.org)", "[out](https://x.org)"),
        ("[here](#part)", "[here](#part)"),
    ],
)
def test_links_lead_to_pages_or_to_copies_of_files(link: str, site: str, tmp_path: Path) -> None:
    """Of a page in docs/results."""
    docs = tmp_path / "docs"
    for name in (
        "src/f.py",
        "docs/page.md",
        "docs/results/study/README.md",
        "docs/results/table.csv",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    copies: set[Path] = set()
    assert rewritten(link, docs / "results" / "README.md", docs, copies) == site
    assert {f"../files/{path.relative_to(tmp_path)}.txt" for path in copies} == (
        {site.split('"')[1]} if "href" in site else set()
    )


def test_a_link_to_nothing_is_refused_when_the_page_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no such file: gone\.md"):
        rewritten("[x](gone.md)", tmp_path / "docs" / "a.md", tmp_path / "docs", set())


def test_links_in_code_are_left_alone(tmp_path: Path) -> None:
    text = "```\n[x](gone.md)\n```\n"
    assert rewritten(text, tmp_path / "docs" / "a.md", tmp_path / "docs", set()) == text


def test_broken_links_of_built_pages_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#yes">x</a><p id="top"></p>')
    (tmp_path / "b.html").write_text('<p id="yes"></p><a href="a.html#top">x</a>')
    assert broken(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<a href="a.html#gone">x</a><img src="no.png"><script src="https://cdn.org/x.js"></script>'
    )
    assert broken(tmp_path) == [
        "a.html: b.html#yes",
        "b.html: a.html#gone",
        "b.html: no.png",
        "b.html: https://cdn.org/x.js",
    ]
