"""`make mutants`: put faults into source files, see which the tests find, write docs/mutants.md.

python -m tools.mutants                                     # what is not known yet
python -m tools.mutants --files progress.py selectors/      # of these files
python -m tools.mutants --sample 60 --files agents/sac.py   # of a file, 60 drawn at random
python -m tools.mutants --page                              # run nothing, write the page
"""

import argparse
import ast
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from tools.mutants import page, running
from tools.mutants.changes import Mutant, mutants
from tools.mutants.memory import Memory
from tools.mutants.records import FOLDER, Records
from tools.mutants.session import Fault, Session, Subject
from tools.mutants.targets import LEFT_OUT, PACKAGE, ROOT, Target, targets

DAY = 86400
"""Seconds: a session has its own limits for each mutant."""


def main() -> int:
    """Run what the words ask for; 1 if the tests fail without any fault."""
    words = _parser().parse_args()
    chosen = [] if words.page else _chosen(words.files)
    if chosen:
        FOLDER.mkdir(exist_ok=True)
        running.prepare(FOLDER / "programs", training=any(target.uses_jax for target in chosen))
    for _, group in groupby(chosen, key=lambda target: target.group):
        if not _run(list(group), words.sample):
            return 1
        _write_page()  # after every group: a run may be stopped
    if words.page:
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


def _read(target: Target, sample: int | None) -> tuple[ast.Module, list[Mutant]]:
    """A file and its mutants, or some drawn at random and those that survived before."""
    tree = ast.parse((ROOT / target.path).read_text())
    found = mutants(tree)
    if sample is not None and sample < len(found):
        before = _records(target).survived_before
        drawn = {mutant.name for mutant in random.Random(0).sample(found, sample)}
        found = [mutant for mutant in found if mutant.name in drawn or mutant.name in before]
    return tree, found


def _run(group: list[Target], sample: int | None) -> bool:
    """Run all mutants of files that are not known yet; False if their tests fail as they are."""
    works = [_Work(target, *_read(target, sample)) for target in group]
    for work in works:
        missing = len(work.missing())
        print(f"{work.target.path}: {missing} of {len(work.found)} mutants to run", flush=True)
    if not _by_session(works):
        return False
    for work in works:
        _load_anew(work)
        known = _records(work.target).current
        for mutant in work.found:
            if known[mutant.name].result == "survived" and mutant.name not in work.explained:
                print(f"{work.target.path}:{mutant.line}, {mutant.name}", flush=True)
    return True


class _Work(NamedTuple):
    """A file, and its mutants that are to be known."""

    target: Target
    tree: ast.Module
    found: list[Mutant]

    @property
    def explained(self) -> set[str]:
        return _explained(self.target)

    def missing(self) -> list[Mutant]:
        known = _records(self.target).current
        return [mutant for mutant in self.found if mutant.name not in known]

    def compiled(self) -> Iterator[Fault]:
        path = str(ROOT / self.target.path)
        for mutant in self.missing():
            undo = mutant.apply()
            try:
                yield Fault(
                    mutant.name, compile(ast.fix_missing_locations(self.tree), path, "exec")
                )
            finally:
                undo()


def _explained(target: Target) -> set[str]:
    return {name for file, name in page.explanations() if PACKAGE / file == target.path}


def _records(target: Target) -> Records:
    return Records(target, _explained(target))


def _memory() -> Memory:
    return Memory(FOLDER / "tests.jsonlines", ROOT / PACKAGE)


def _words(tests: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(tests), *(w for name in LEFT_OUT for w in ("--deselect", name))]


def _by_session(works: list[_Work]) -> bool:
    """What one session can do, in a child of its own; its outcomes are on disk."""
    subjects = []
    for work in works:
        path, faults = ROOT / work.target.path, list(work.compiled())
        before = compile(work.tree, str(path), "exec")
        if faults:
            subjects.append(Subject(path, before, faults, _records(work.target).add))
    if not subjects:
        return True
    session = Session(subjects, works[0].target.seconds, _memory())
    paths = {subject.path for subject in subjects}
    tests = [t for work in works if ROOT / work.target.path in paths for t in work.target.tests]

    def task(say: Callable[[str], None]) -> None:
        session.run(_words(tests), FOLDER / "tests")
        say(json.dumps([session.problem, session.left_out]))

    ended = running.in_child(task, limit=float(DAY), patience=float(DAY))
    problem, left_out = json.loads(ended.said or '["the session died", []]')
    for name in left_out:
        print(f"left out, as it fails without any fault: {name}", flush=True)
    if problem:
        print(problem, flush=True)
    return not problem


def _load_anew(work: _Work) -> None:
    """For what no session can do: the package with the mutant in it, and the quickest tests."""
    target, records = work.target, _records(work.target)
    seconds = {name: test.seconds for name, test in _memory().seen.items()}
    for mutant in work.missing():
        order = running.Order(seconds, target.seconds)
        undo = mutant.apply()
        try:
            tests, limit = _words(target.tests), 4 * target.seconds + 30
            outcome = running.run(tests, ROOT / target.path, work.tree, limit, order)
        finally:
            undo()
        records.add(mutant.name, outcome)


def _write_page() -> None:
    rows = []
    for target in targets():
        found = _read(target, None)[1]
        known = _records(target).known
        names = {mutant.name for mutant in found}
        outcomes = {name: outcome for name, outcome in known.items() if name in names}
        rows.append(page.Row(target.path, found, outcomes))
    page.PAGE.write_text(page.text(rows))


if __name__ == "__main__":
    sys.exit(main())
