"""A sweep file read: what all runs share, the grid, the listed runs, and the line of everything."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autotelic._documents import DEPTH, FileError, parse, read_bytes

GRID, CELLS = "grid", "cells"
BACKENDS = ("ray", "slurm")
"""Tables with options of a backend."""
CORES = "cores"
_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z][\w-]*)(?:\.([\w-]+))?[\w.\s-]*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*(?:\"([^\"]+)\"|'([^']+)'|([\w-]+))\s*(?:\.[^=]*)?=")


class Fault(NamedTuple):
    """Something that must be put right before a sweep can begin, and where it stands."""

    line: int
    sentence: str


class Entry(NamedTuple):
    """A value of the file and its line."""

    value: Any
    line: int


Entries = dict[str, Entry]
"""Values by key; keys are spelled with hyphens, as flags are."""


class Listed(NamedTuple):
    """One of `[[cells]]`, and the line it begins at."""

    entries: Entries
    line: int


class SweepFile(NamedTuple):
    """What stands in a sweep file.

    shared: of all runs. grid: lists of values, of which every combination is a run; None without one.
    cells: runs that are listed. backends: options of each backend. faults: what cannot be read so.
    lines: of every key, see `lines_of`.
    """

    shared: Entries
    grid: Entries | None
    cells: list[Listed]
    cores: int
    backends: dict[str, dict[str, Any]]
    faults: list[Fault]
    grid_line: int
    lines: Mapping[tuple[str, int, str], int]

    def options_fault(self, backend: str, key: str, sentence: str) -> "Fault":
        """A fault in the table of a backend, at its key; "" is the whole table."""
        line = self.lines.get((backend, 0, key), self.lines.get((backend, 0, ""), 1))
        return Fault(line, sentence)


def read_sweep_file(path: Path) -> SweepFile:
    """Read a file; one that is no TOML at all is refused."""
    path.stat()  # of a file that is not there the system's own error
    try:
        text = read_bytes(path).decode()
        content = tomllib.loads(text)
        # Dates and times are words: no flag takes them, and the refusal says which does not.
        plain = parse(json.dumps(content, default=str).encode())
    except RecursionError:
        raise FileError(path, f"it nests lists and tables more than {DEPTH} deep") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(path, f"it is no TOML file ({error})") from None
    except FileError:
        raise
    except ValueError as error:
        raise FileError(path, str(error)) from None
    return understand(plain, lines_of(text))


def understand(content: dict[str, Any], lines: Mapping[tuple[str, int, str], int]) -> SweepFile:
    """The parts of a file's content."""
    faults: list[Fault] = []

    def entries(table: Any, name: str, index: int = 0) -> Entries:
        found: Entries = {}
        for key, value in table.items():
            line = lines.get((name, index, key), lines.get((name, index, ""), 1))
            hyphens = key.replace("_", "-")
            if hyphens in found:
                faults.append(Fault(line, f"{key} is given twice: {hyphens} and with underscores"))
            found[hyphens] = Entry(value, line)
        return found

    def table(name: str) -> dict[str, Any]:
        value = content.pop(name, {})
        if not isinstance(value, dict):
            faults.append(Fault(lines.get(("", 0, name), 1), f"{name} must be a table: [{name}]"))
            return {}
        return value

    has_grid = GRID in content
    grid = entries(table(GRID), GRID)
    options = {name: table(name) for name in BACKENDS}
    listed = content.pop(CELLS, [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        line = lines.get((CELLS, 0, ""), lines.get(("", 0, CELLS), 1))
        faults.append(Fault(line, "cells must be a list of tables, each under [[cells]]"))
        listed = []
    cells = [
        Listed(entries(one, CELLS, index), lines.get((CELLS, index, ""), 1))
        for index, one in enumerate(listed)
    ]
    shared = entries(content, "")
    cores = shared.pop(CORES, Entry(1, 1))
    if type(cores.value) is not int or cores.value < 1:
        faults.append(
            Fault(cores.line, f"cores must be a whole number of at least 1, got {cores.value!r}")
        )
    line = lines.get((GRID, 0, ""), lines.get(("", 0, GRID), 1))
    grid = grid if has_grid else None
    return SweepFile(shared, grid, cells, cores.value, options, faults, line, lines)


def lines_of(text: str) -> dict[tuple[str, int, str], int]:
    """The line of every key, by its table, the table's number among those of its name, and the key.

    A table itself has the key "". Keys of a table within a table stand where that begins.

    >>> lines_of("epochs = 3\\n[grid]\\nnum-goals = [2]\\n[[cells]]\\n[[cells]]\\nseeds = 1")
    {('', 0, 'epochs'): 1, ('grid', 0, ''): 2, ('grid', 0, 'num-goals'): 3, ('cells', 0, ''): 4,
    ('cells', 1, ''): 5, ('cells', 1, 'seeds'): 6}
    """
    found: dict[tuple[str, int, str], int] = {}
    table, index, within = "", 0, False
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            brackets, name, inner = header.groups()
            within = inner is not None or name not in (GRID, CELLS, *BACKENDS)
            if name not in (GRID, CELLS, *BACKENDS):
                found.setdefault(("", 0, name), number)
            elif inner is not None:
                found.setdefault((name, index, inner), number)
            else:
                index = index + 1 if brackets == "[[" and table == name else 0
                found.setdefault((name, index, ""), number)
                table = name
        elif not within and (key := _KEY.match(line)):
            found.setdefault((table, index, key[1] or key[2] or key[3]), number)
    return found
