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
from pathlib import Path

from tools.mutants import page, running
from tools.mutants.changes import Mutant, mutants
from tools.mutants.records import FOLDER, Records
from tools.mutants.running import Outcome
from tools.mutants.targets import LEFT_OUT, PACKAGE, ROOT, Target, targets

LONGEST = 600.0
"""Seconds of the processor that the tests of one file may take as they are."""


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
    records = Records(target)
    missing = [mutant for mutant in found if mutant.name not in records.current]
    print(f"{target.path}: {len(missing)} of {len(found)} mutants to run", flush=True)
    if not missing:
        return True
    clean = _tests(target.tests, target.path, None, LONGEST)
    if clean.result != "survived":
        print(f"without any fault {clean.by or 'the tests'} {clean.result}", flush=True)
        return False
    limit = 3 * clean.seconds + 5
    for mutant in missing:
        outcome = _outcome(target, tree, mutant, records.latest.get(mutant.name), limit)
        records.add(mutant.name, outcome)
        if outcome.result == "survived":
            print(f"  line {mutant.line}, {mutant.name}", flush=True)
    return True


def _outcome(
    target: Target, tree: ast.Module, mutant: Mutant, before: Outcome | None, limit: float
) -> Outcome:
    """The test that killed it before is asked first; it may be gone."""
    undo = mutant.apply()
    try:
        if before is not None and "::" in before.by and before.by.split("::")[0] in target.tests:
            again = _tests((before.by,), target.path, tree, limit)
            if again.result in ("killed", "timed out"):
                return again
        return _tests(target.tests, target.path, tree, limit)
    finally:
        undo()


def _tests(tests: tuple[str, ...], path: Path, tree: ast.Module | None, limit: float) -> Outcome:
    without = [word for name in LEFT_OUT for word in ("--deselect", name)]
    return running.run([*tests, *without], ROOT / path, tree, limit)


def _write_page() -> None:
    rows = []
    for target in targets():
        found = _read(target.path)[1]
        known = Records(target).current
        names = {mutant.name for mutant in found}
        outcomes = {name: outcome for name, outcome in known.items() if name in names}
        rows.append(page.Row(target.path, found, outcomes))
    page.PAGE.write_text(page.text(rows))


if __name__ == "__main__":
    sys.exit(main())
