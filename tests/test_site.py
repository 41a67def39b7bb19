"""The parts of the documentation site that are our own: docstrings, links, and what they are checked by."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from check_links import broken
from mathml import formula
from plain_docstrings import converted, plain
from repository_links import copied, rewritten

API = Path(__file__).parents[1] / "docs" / "api"
PUBLIC = (
    "autotelic",
    "autotelic.selectors.signals",
    "autotelic.selectors.rules",
    "autotelic.simulation",
    "autotelic.objectives",
    "autotelic.agents",
    "autotelic.evaluation",
    "autotelic.figures",
    "autotelic.downstream",
)


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_on_a_page_of_the_reference_and_says_what_it_is(package: str) -> None:
    text = "".join(path.read_text() for path in API.glob("*.md"))
    described = set(re.findall(r"automodule:: (\S+)", text))
    single = set(re.findall(r"autofunction:: (\S+)", text))
    module = import_module(package)
    things = {name: getattr(module, name) for name in getattr(module, "__all__", dir(module))}
    ours = {
        name: thing
        for name, thing in things.items()
        if inspect.isclass(thing) or inspect.isfunction(thing)
        if not name.startswith("_") and thing.__module__.startswith("autotelic.")
        if not thing.__module__.startswith("autotelic._")
    }
    assert ours
    absent = [
        name
        for name, thing in ours.items()
        if thing.__module__ not in described and f"{package}.{name}" not in single
    ]
    assert absent == []
    assert [name for name, thing in ours.items() if not thing.__doc__] == []


def test_every_bridge_is_on_a_page_of_the_reference() -> None:
    text = "".join(path.read_text() for path in API.glob("*.md"))
    bridges = [path.stem for path in (API.parents[1] / "src/autotelic/bridges").glob("[a-z]*.py")]
    assert [name for name in bridges if f":: autotelic.bridges.{name}\n" not in text] == []


def test_every_page_of_the_reference_is_in_its_contents() -> None:
    listed = (API / "index.md").read_text().split("maxdepth: 1\n")[1].split("\n```")[0].split()
    assert sorted(listed) == sorted(path.stem for path in API.glob("*.md") if path.stem != "index")


def test_names_of_functions_stand_apart_in_a_formula() -> None:
    assert formula(r"p(g) \log q").count("<mspace") == 2
    assert "<mspace" not in formula(r"1 + \exp(x)")


@pytest.mark.parametrize("text", ["s'", "s'_j"])
def test_a_prime_is_no_superscript(text: str) -> None:
    assert "sup>" not in formula(text) and "&#x02032;</mo>" in formula(text)


def test_a_colon_in_the_words_of_a_field_makes_no_type() -> None:
    from plain_docstrings import setup

    class App:
        handlers: list[Any] = []  # noqa: RUF012

        def connect(self, event: str, handler: Any, priority: int = 500) -> None:
            if event == "autodoc-process-docstring":
                self.handlers.append(handler)

    app: Any = App()
    setup(app)
    lines = ["Whether it is paid: a task."]
    before, after = app.handlers
    before(app, "attribute", "a.b", None, None, lines)
    lines[:] = ["a task.", "", ":type: Whether it is paid"]  # napoleon
    after(app, "attribute", "a.b", None, None, lines)
    assert lines == ["Whether it is paid: a task.", ""]


def test_only_code_has_a_meaning_in_a_docstring() -> None:
    assert plain("|G| goals, `a * b`, x_ and y * z") == r"\|G\| goals, ``a * b``, x\_ and y \* z"


def test_code_goes_on_in_the_next_line_and_may_be_followed_by_a_letter_or_a_parenthesis() -> None:
    assert converted(["see `a", "b` and `f`(x)"]) == ["see ``a", "b`` and ``f``\\ (x)", ""]


def test_lines_that_hang_are_a_list_and_blocks_further_in_are_shown_as_they_are() -> None:
    text = ["First.", "", "a: one", "  more", "b: two", "", "Then", "", "    x = |y|", "", "End."]
    expected = ["First.", "", "- a: one", "  more", "- b: two", "", "Then", ""]
    assert converted(text) == [*expected, "::", "", "    x = |y|", "", "End.", ""]


def test_bullets_and_numbers_of_a_docstring_are_its_own() -> None:
    assert converted(["* a", "  more", "* b"]) == ["- a", "  more", "- b", ""]
    assert converted(["1. a", "   more", "2. b"]) == ["1. a", "   more", "2. b", ""]


def test_entries_of_a_section_stay_entries() -> None:
    text = ["Args:", "    a: one |x|", "", "    b: two"]
    assert converted(text) == ["Args:", r"    a: one \|x\|", "", "    b: two", ""]


@pytest.mark.parametrize(
    ("link", "site"),
    [
        ("[f](../../src/f.py)", '<a href="../files/src/f.py.txt">f</a>'),
        ("[`f`](../../src/f.py#L3)", '<a href="../files/src/f.py.txt"><code>f</code></a>'),
        ("[table](table.csv)", '<a href="../files/docs/results/table.csv.txt">table</a>'),
        ("[c](curves.csv.gz)", '<a href="../files/docs/results/curves.csv.gz">c</a>'),
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
        "docs/results/curves.csv.gz",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    copies: set[Path] = set()
    assert rewritten(link, docs / "results" / "README.md", docs, copies) == site
    assert {f"../{copied(path, tmp_path)}" for path in copies} == (
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
