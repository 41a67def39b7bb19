"""From a sweep file to its runs: every combination of the grid, then the listed ones, each with a folder."""

import hashlib
import itertools
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from autotelic.sweeps.file import CELLS, GRID, Entries, Fault, SweepFile

NAME = "name"
GIVEN = ("out", "resume")
"""Flags that the sweep itself gives to its runs."""
OURS = (*GIVEN, NAME)
LONGEST_NAME = 150
"""Bytes of a folder's name; file systems take 255, and the names of states are longer."""
MOST_RUNS, FEW_RUNS = 10_000, 10
"""Runs of a grid. Each is checked before the first begins, which takes a tenth of a second."""


class Cell(NamedTuple):
    """One run of a sweep.

    name: of its folder. values: by flags of `autotelic train`. lines: of the values in the file.
    line: of the run itself, or of the grid.
    """

    name: str
    values: dict[str, Any]
    lines: dict[str, int]
    line: int


def cells_of(file: SweepFile) -> tuple[list[Cell], list[Fault]]:
    """The runs of a file, and all that is wrong with the file as far as it can be seen without flags."""
    faults = [*file.faults, *_faults_of_grid(file), *_faults_of_keys(file)]
    cells = [*_combinations(file), *_listed(file)]
    if not cells and not faults:
        faults.append(
            Fault(file.grid_line, f"the sweep is empty: give lists under [{GRID}], or [[{CELLS}]]")
        )
    cells = [_without_ours(cell) for cell in cells]
    return cells, [*faults, *_same_folders(cells)]


def shared_by_all(file: SweepFile) -> Cell:
    """What stands above the grid, as if it were a run."""
    values = {key: entry.value for key, entry in file.shared.items()}
    lines = {key: entry.line for key, entry in file.shared.items()}
    return _without_ours(Cell("", values, lines, file.grid_line))


def _without_ours(cell: Cell) -> Cell:
    return cell._replace(values={key: v for key, v in cell.values.items() if key not in OURS})


def _combinations(file: SweepFile) -> list[Cell]:
    """A run for each combination of the grid's values, the last key changing first."""
    if not file.grid:
        return []
    lists = {
        key: [(key, value) for value in {_text(one): one for one in entry.value}.values()]
        for key, entry in file.grid.items()
        if isinstance(entry.value, list) and entry.value
    }
    found = []
    # A grid of too many is refused; a few of its runs are enough to see what else is wrong.
    most = None if _combined(file) <= MOST_RUNS else FEW_RUNS
    for combination in itertools.islice(itertools.product(*lists.values()), most):
        own = dict(combination)
        shared = {key: entry for key, entry in file.shared.items() if key not in own}
        values = {key: entry.value for key, entry in shared.items()} | own
        lines = {key: entry.line for key, entry in {**shared, **file.grid}.items()}
        found.append(Cell(folder_name(own), values, lines, file.grid_line))
    return found


def _combined(file: SweepFile) -> int:
    """How many combinations the grid has."""
    lists = [entry.value for entry in (file.grid or {}).values() if isinstance(entry.value, list)]
    return math.prod(map(len, lists))


def _listed(file: SweepFile) -> list[Cell]:
    found = []
    for number, listed in enumerate(file.cells, start=1):
        own = {key: entry for key, entry in listed.entries.items() if key != NAME}
        all_entries: Entries = {**file.shared, **own}
        name = listed.entries[NAME].value if NAME in listed.entries else None
        own_values = {key: entry.value for key, entry in own.items()}
        found.append(
            Cell(
                name
                if isinstance(name, str) and name
                else folder_name(own_values) or f"run-{number}",
                {key: entry.value for key, entry in all_entries.items()},
                {key: entry.line for key, entry in all_entries.items()},
                listed.line,
            )
        )
    return found


def folder_name(values: Mapping[str, Any]) -> str:
    """What distinguishes a run, as a name that every file system takes.

    >>> folder_name({"num-goals": 10, "methods": ["diayn", "dp:temperature=0.3"]})
    'num-goals=10,methods=diayn+dp-temperature=0.3'
    """
    words = [f"{key}={_text(value)}" for key, value in values.items()]
    name = re.sub(r"[^\w.,=+-]+", "-", ",".join(words)).lstrip(".-")
    if len(name.encode()) <= LONGEST_NAME:
        return name
    begin = name.encode()[: LONGEST_NAME - 9].decode(errors="ignore")
    return f"{begin}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "+".join(f"{key}={_text(own)}" for key, own in value.items())
    return "+".join(map(_text, value)) if isinstance(value, list) else str(value)


def _faults_of_grid(file: SweepFile) -> list[Fault]:
    faults = []
    if _combined(file) > MOST_RUNS:
        sentence = (
            f"[{GRID}] has {_combined(file):,} combinations; a sweep has at most {MOST_RUNS:,}"
        )
        faults.append(
            Fault(file.grid_line, f"{sentence}: leave values out, or make several sweeps")
        )
    if file.grid is not None and not file.grid and not file.cells:
        faults.append(Fault(file.grid_line, f"[{GRID}] is empty: give at least one list of values"))
    for key, (value, line) in (file.grid or {}).items():
        if not isinstance(value, list):
            remedy = f"{key} = [{value!r}] is one, and a value for all runs stands above [{GRID}]"
            faults.append(Fault(line, f"{key} under [{GRID}] must be a list of values; {remedy}"))
        elif not value:
            faults.append(Fault(line, f"{key} under [{GRID}] is an empty list, so there is no run"))
        elif key == "seeds" and not all(isinstance(one, list | str) for one in value):
            each = ", ".join(f"[{one}]" for one in value)
            faults.append(
                Fault(
                    line,
                    f"seeds under [{GRID}] must be lists of seeds, one list for a run: {key} = [{each}] "
                    "if each of these is a seed",
                )
            )
        if isinstance(value, list) and len({_text(one) for one in value}) < len(value):
            faults.append(
                Fault(line, f"{key} under [{GRID}] has a value twice: two runs, one folder")
            )
        if key in file.shared:
            other = file.shared[key].line
            faults.append(
                Fault(line, f"{key} is given for all runs too (line {other}); leave one out")
            )
    return faults


def _faults_of_keys(file: SweepFile) -> list[Fault]:
    """Keys that stand where they cannot, and names that are none."""
    places = [file.shared, file.grid or {}, *(listed.entries for listed in file.cells)]
    faults = [
        Fault(entries[key].line, f"{key} is given by the sweep itself; leave it out")
        for entries in places
        for key in GIVEN
        if key in entries
    ]
    faults += [
        Fault(entries[NAME].line, f"{NAME} is for [[{CELLS}]]: it names the folder of one run")
        for entries in places[:2]
        if NAME in entries
    ]
    for listed in file.cells:
        name, line = listed.entries.get(NAME, ("run", 0))
        if sentence := fault_of_name(name):
            faults.append(Fault(line, sentence))
    return faults


def fault_of_name(name: Any) -> str:
    """What speaks against the name of a run, which is that of its folder; "" if nothing does.

    >>> fault_of_name("num-goals=10"), fault_of_name("../run")
    ('', "name must be letters, digits and any of . , = + - _, got '../run'")
    """
    if not isinstance(name, str) or not re.fullmatch(r"[\w][\w .,=+-]*", name):
        return f"name must be letters, digits and any of . , = + - _, got {name!a}"
    if len(name.encode()) > LONGEST_NAME:
        return f"name must have at most {LONGEST_NAME} bytes, got {len(name.encode())}"
    return ""


def _same_folders(cells: list[Cell]) -> list[Fault]:
    """Runs that would share a folder; names that differ in capitals alone do so on some systems."""
    first: dict[str, Cell] = {}
    faults: dict[str, Fault] = {}
    for cell in cells:
        other = first.setdefault(cell.name.lower(), cell)
        if other is not cell:
            where = f" (line {other.line})" if other.line != cell.line else ""
            faults[cell.name.lower()] = Fault(
                cell.line,
                f"two runs would have the folder {cell.name}{where}; let their values differ, or give "
                f"them names under [[{CELLS}]]",
            )
    return list(faults.values())
