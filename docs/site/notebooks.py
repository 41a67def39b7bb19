"""Notebooks as pages: their text and code, as Markdown. The build runs nothing; the tests run their code."""

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx


def page_of(notebook: str) -> str:
    """The Markdown of a notebook's file: texts as they are, code in blocks, no outputs."""
    cells: list[dict[str, Any]] = json.loads(notebook)["cells"]
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text)
    return "\n\n".join(parts) + "\n"


def code_of(notebook: str) -> list[str]:
    """The code of a notebook's file, cell by cell."""
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Turn notebooks into Markdown as they are read, before the links in them are looked at."""

    def read(app: Sphinx, name: str, source: list[str]) -> None:
        if Path(app.env.doc2path(name)).suffix == ".ipynb":
            source[0] = page_of(source[0])

    app.connect("source-read", read, priority=100)
    return {"parallel_read_safe": True}
