"""What is done of a study: the rows of its finished parts, small enough to be committed.

FOLDER/parts/PART.json: a finished population's rows, how long it took, and with which versions. A study
goes on from them on another machine, without the runs. With the last part the results are
written, which say all of it, and the folder goes. Of results that are there, a part counts as finished
too: a study that gets another arm trains that arm alone.
"""

import io
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from autotelic.runs import atomic
from studies.study import Part
from studies.tables import COLUMNS, FILES, Table, Tables, read

FOLDER = "parts"


class Kept(NamedTuple):
    """A finished part: its tables, the seconds it took and the versions that trained it."""

    tables: Tables
    seconds: float
    versions: dict[str, Any]


def path_of(out: Path, part: Part) -> Path:
    """Where a part of the study with these results is kept."""
    return out / FOLDER / f"{part.folder}.json"


def keep(out: Path, part: Part, done: Kept) -> None:
    """Write a finished part."""
    path = path_of(out, part)
    path.parent.mkdir(parents=True, exist_ok=True)
    tables = {name: _lines(table) for name, table in done.tables._asdict().items()}
    content = {"seconds": done.seconds, "versions": done.versions, **tables}
    atomic.write_json(path, content)


def kept(out: Path, part: Part) -> Kept | None:
    """The part, if it is kept, or in the results."""
    path = path_of(out, part)
    if not path.exists():
        return _in_results(out, part)
    content = json.loads(path.read_text())
    tables = Tables(*(read(io.StringIO("\n".join(content[name]))) for name in Tables._fields))
    return Kept(tables, content["seconds"], content["versions"])


def _in_results(out: Path, part: Part) -> Kept | None:
    """The part's rows of a study's results; None if they are not there, or of an older form."""
    path = out / "study.json"
    known = json.loads(path.read_text()).get("parts", {}) if path.exists() else {}
    if part.folder not in known:
        return None
    arms = {(arm.condition, arm.name) for arm in part.arms}
    tables = []
    for name, columns in COLUMNS._asdict().items():  # without those that a study added
        table = read(out / FILES[name]).reindex(columns=columns)
        own = [key in arms for key in zip(table["condition"], table["arm"], strict=True)]
        tables.append(table[own].reset_index(drop=True))
    return Kept(Tables(*tables), **known[part.folder])


def forget(out: Path) -> None:
    """The study is done: its results hold what the parts did."""
    shutil.rmtree(out / FOLDER, ignore_errors=True)


def _lines(table: Table) -> list[str]:
    """A table as the lines of a CSV file, so that a difference between two files can be read."""
    return table.to_csv(index=False, lineterminator="\n").splitlines()
