"""All runs of a sweep are checked by `autotelic train`'s own code before any of them starts."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autotelic import _names
from autotelic._documents import Count
from autotelic._modules import PYTHON
from autotelic.sweeps.file import Fault, SweepFile
from autotelic.sweeps.grid import Cell, cells_of, shared_by_all
from autotelic.sweeps.naming import missing, names_of

CHECKER = "autotelic.commands.sweep_check"
"""A program, as `autotelic train` is: the flags it knows need JAX, which is not loaded here."""


class Checked(NamedTuple):
    """A run that nothing speaks against.

    values: as the file gives them. words: of `autotelic` that say the same, without a folder.
    epochs, learners: its size; 0 if unknown.
    """

    name: str
    values: dict[str, Any]
    words: list[str]
    epochs: Count
    learners: Count


def checked_cells(
    path: Path,
    file: SweepFile,
    out: Path,
    known: Sequence[Fault] = (),
    allowed: Sequence[str] = (),
    *,
    dry_run: bool = False,
) -> list[Checked]:
    """The runs of a file, or a refusal that names every fault with its line.

    path: of the file, for the refusal. out: where the runs' folders are to be. known: faults of other parts.
    allowed: names that may be imported. dry_run: import none of them, and leave unknown what that hides.
    """
    cells, faults = cells_of(file)
    # A file without a run may have more to put right than that.
    looked_at = cells or [shared_by_all(file)]
    answers = ask(looked_at, out, allowed, dry_run)
    faults += faults_of_names(looked_at, allowed)
    refuse(path, [*faults, *_placed(looked_at, answers), *known])
    return [
        Checked(cell.name, cell.values, one["words"], one["epochs"], one["learners"])
        for cell, one in zip(cells, answers, strict=True)
    ]


def refuse(path: Path, faults: Sequence[Fault]) -> None:
    """Name all faults of a file, if it has any."""
    found = sorted(set(faults))
    if found:
        things = f"{len(found)} things" if len(found) > 1 else "one thing"
        raise ValueError(
            f"nothing was started: {path} has {things} to put right\n"
            + "\n".join(f"  line {fault.line}: {fault.sentence}" for fault in found)
        )


def faults_of_names(cells: Sequence[Cell], allowed: Sequence[str]) -> list[Fault]:
    """What runs name that would be imported, and that the command line does not name too."""
    return [
        Fault(cell.lines.get(key, cell.line), sentence)
        for cell in cells
        for key, sentence in missing(cell.values, allowed)
    ]


def ask(
    cells: Sequence[Cell], out: Path, allowed: Sequence[str] = (), dry_run: bool = False
) -> list[dict[str, Any]]:
    """What the checker says to each run; names that are not allowed are left out."""
    if not cells:
        return []
    requests = []
    for cell in cells:
        left_out = dict(missing(cell.values, allowed))
        values = {key: value for key, value in cell.values.items() if key not in left_out}
        imports = "environment" not in left_out and not (dry_run and names_of(cell.values))
        requests.append({"values": values, "out": str(out / cell.name), "imports": imports})
    done = subprocess.run(
        [*PYTHON, "-m", CHECKER],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **_names.variables(allowed)},
    )
    if done.returncode:
        raise RuntimeError(f"the check of the sweep file failed:\n{done.stderr}")
    names = ("words", "epochs", "learners", "faults")
    return [dict(zip(names, one, strict=True)) for one in json.loads(done.stdout)]


def _placed(cells: Sequence[Cell], answers: Sequence[dict[str, Any]]) -> list[Fault]:
    """The checker's faults with their lines; one that several runs share is told once."""
    runs: dict[Fault, list[str]] = {}
    for cell, found in zip(cells, answers, strict=True):
        for key, sentence in found["faults"]:
            fault = Fault(cell.lines.get(key, cell.line), sentence)
            runs.setdefault(fault, []).append(cell.name)
    return [
        fault if len(names) == len(cells) else fault._replace(sentence=_with_runs(fault, names))
        for fault, names in runs.items()
    ]


def _with_runs(fault: Fault, names: Sequence[str]) -> str:
    which = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return f"{fault.sentence} (in {which})"
