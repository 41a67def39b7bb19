"""Links of the pages to what lies outside the site: they lead to a copy of the file beside the pages.

The same Markdown is read in the repository, where such links lead to the files themselves.
"""

import os
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
FOLDER = "files"


INCLUDED = re.compile(r"```\{include\} (\S+)\n```\s*")


def copied(place: Path, root: Path) -> str:
    """Where the site has a file of the repository: as text that a browser shows, unless it is compressed."""
    return f"{FOLDER}/{place.relative_to(root)}" + ".txt" * (place.suffix != ".gz")


def rewritten(text: str, page: Path, docs: Path, copies: set[Path]) -> str:
    """The page's text with its links as the site has them; files to be copied are added to `copies`.

    A folder is its README.md if it has one; of others the words are left. A page that is nothing but
    another file of the repository has that file's links.
    """
    root = docs.parent
    origin = page
    included = INCLUDED.fullmatch(text)
    if included:
        origin = (page.parent / included[1]).resolve()
        text = origin.read_text()

    own = {"README.md": docs / "index.md"}
    for stub in docs.glob("*.md"):
        names = INCLUDED.fullmatch(stub.read_text())
        if names:
            own[(docs / names[1]).resolve().relative_to(root).as_posix()] = stub

    def replace(found: re.Match[str]) -> str:
        words, target = found.groups()
        path, mark, anchor = target.partition("#")
        if not path or ":" in path:
            return found[0]
        place = Path(os.path.normpath(origin.parent / path))
        place = own.get(place.relative_to(root).as_posix(), place)
        if place.is_dir():
            place = place / "README.md"
            if not place.exists():
                return words
        if not place.exists():
            raise ValueError(f"{origin}: no such file: {target}")
        if place.is_relative_to(docs) and place.suffix in (".md", ".ipynb"):
            return f"[{words}]({os.path.relpath(place, page.parent)}{mark}{anchor})"
        copies.add(place)
        up = "../" * len(page.relative_to(docs).parent.parts)
        shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", words)
        return f'<a href="{up}{copied(place, root)}">{shown}</a>'

    outside_code = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.startswith("```") else LINK.sub(replace, part) for part in outside_code
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite pages as they are read, and copy what they link to when the site is done."""
    copies: set[Path] = set()
    docs = Path(app.srcdir).resolve()

    def read(app: Sphinx, name: str, source: list[str]) -> None:
        page = Path(app.env.doc2path(name))
        if page.suffix in (".md", ".ipynb"):
            source[0] = rewritten(source[0], page, docs, copies)
            if (
                page.parent.parent == docs / "results"
            ):  # a study's page is reached from the results'
                source[0] = f"---\norphan: true\n---\n\n{source[0]}"

    def copy(app: Sphinx, error: Exception | None) -> None:
        for place in sorted(copies) if error is None else ():
            target = Path(app.outdir) / copied(place, docs.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place, target)

    app.connect("source-read", read)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": False}
