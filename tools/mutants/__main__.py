"""`make mutants`: put faults into source files, see which the tests find, write docs/mutants.md.

python -m tools.mutants                                     # what is not known yet
python -m tools.mutants --files progress.py selectors/      # of these files
python -m tools.mutants --sample 60 --files agents/sac.py   # of a file, 60 drawn at random
python -m tools.mutants --page                              # run nothing, write the page
"""

import argparse
import ast
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType

from tools.mutants import page, running
from tools.mutants.changes import Mutant, mutants
from tools.mutants.records import FOLDER, Records
from tools.mutants.session import Fault, Session
from tools.mutants.targets import LEFT_OUT, PACKAGE, ROOT, Target, targets

LONGEST = 600.0
"""Seconds of the processor that the tests of one file may take as they are."""
DAY = 86400
"""Seconds: a session has its own limits for each mutant."""


def main() -> int:
    """Run what the words ask for; 1 if the tests fail without any fault."""
    words = _parser().parse_args()
    chosen = [] if words.page else _chosen(words.files)
    if chosen:
        FOLDER.mkdir(exist_ok=True)
        running.prepare(FOLDER / "programs", training=any(target.uses_jax for target in chosen))
    for target in chosen:
        if not _run(target, words.sample):
            return 1
        _write_page()  # after every file: a run may be stopped
    _write_page()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument(
        "--files", nargs="+", default=[""], help="paths within src/autotelic begin so"
    )
    parser.add_argument("--sample", type=int, help="how many mutants of each file, drawn at random")
    parser.add_argument("--page", action="store_true", help="write the page from what is known")
    return parser


def _chosen(beginnings: list[str]) -> list[Target]:
    chosen = [
        target
        for target in targets()
        if str(target.path.relative_to(PACKAGE)).startswith(tuple(beginnings))
    ]
    if not chosen:
        sys.exit(f"--files {' '.join(beginnings)}: no file of tools/mutants/targets.py begins so")
    return chosen


def _read(path: Path) -> tuple[ast.Module, list[Mutant]]:
    tree = ast.parse((ROOT / path).read_text())
    return tree, mutants(tree)


def _run(target: Target, sample: int | None) -> bool:
    """Run all mutants of a file that are not known yet; False if its tests fail as it is."""
    tree, found = _read(target.path)
    if sample is not None and sample < len(found):
        found = random.Random(0).sample(found, sample)
    missing = _missing(target, found)
    print(f"{target.path}: {len(missing)} of {len(found)} mutants to run", flush=True)
    if missing:
        _by_session(target, tree, missing)
        missing = _missing(target, found)
    if missing and not _run_slowly(target, tree, missing):
        return False
    known = _records(target).current
    for mutant in found:
        if known[mutant.name].result == "survived" and mutant.name not in _explained(target):
            print(f"  line {mutant.line}, {mutant.name}", flush=True)
    return True


def _missing(target: Target, found: list[Mutant]) -> list[Mutant]:
    known = _records(target).current
    return [mutant for mutant in found if mutant.name not in known]


def _explained(target: Target) -> set[str]:
    return {name for file, name in page.explanations() if PACKAGE / file == target.path}


def _records(target: Target) -> Records:
    return Records(target, _explained(target))


def _words(target: Target) -> list[str]:
    return [*target.tests, *(word for name in LEFT_OUT for word in ("--deselect", name))]


def _by_session(target: Target, tree: ast.Module, missing: list[Mutant]) -> None:
    """What one session can do, in a child of its own; its outcomes are on disk."""
    records, path = _records(target), ROOT / target.path
    faults = [Fault(mutant.name, code) for mutant, code in _compiled(path, tree, missing)]
    session = Session(path, compile(tree, str(path), "exec"), records.add)

    def task(say: Callable[[str], None]) -> None:
        session.run(_words(target), faults, FOLDER / "tests")
        say(session.problem)

    ended = running.in_child(task, limit=float(DAY), patience=float(DAY))
    if ended.said:
        print(f"  {ended.said.decode()}: each mutant is loaded anew", flush=True)


def _compiled(
    path: Path, tree: ast.Module, found: list[Mutant]
) -> Iterator[tuple[Mutant, CodeType]]:
    for mutant in found:
        undo = mutant.apply()
        try:
            yield mutant, compile(ast.fix_missing_locations(tree), str(path), "exec")
        finally:
            undo()


def _run_slowly(target: Target, tree: ast.Module, missing: list[Mutant]) -> bool:
    """Load the package anew for each mutant; False if the tests fail without any."""
    records, path = _records(target), ROOT / target.path
    clean = running.run(_words(target), path, None, LONGEST)
    if clean.result != "survived":
        print(f"without any fault {clean.by or 'the tests'} {clean.result}", flush=True)
        return False
    for mutant in missing:
        undo = mutant.apply()
        try:
            outcome = running.run(_words(target), path, tree, 3 * clean.seconds + 5)
        finally:
            undo()
        records.add(mutant.name, outcome)
    return True


def _write_page() -> None:
    rows = []
    for target in targets():
        found = _read(target.path)[1]
        known = _records(target).current
        names = {mutant.name for mutant in found}
        outcomes = {name: outcome for name, outcome in known.items() if name in names}
        rows.append(page.Row(target.path, found, outcomes))
    page.PAGE.write_text(page.text(rows))


if __name__ == "__main__":
    sys.exit(main())
