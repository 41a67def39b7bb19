"""What is known of each mutant, kept as it is found: a run that was stopped goes on where it was.

One file of JSON lines for each source file, named by what the source holds, and committed: a run that one
machine did not finish goes on on another. A mutant that was killed
stays killed as long as the test that did it is the same. One that survived is asked again when any of
its tests changed, unless it is explained.
"""

import ast
import hashlib
import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from tools.mutants.running import Outcome
from tools.mutants.targets import ROOT, Target

FOLDER = ROOT / ".mutants"
"""What a machine keeps for itself: compiled programs, and which functions a test enters."""
KNOWN = ROOT / "tools" / "mutants" / "known"


class Records:
    """The outcomes for one source file that still hold, by the mutant's name.

    survived_before: those that are to be asked again, as tests have changed since.
    """

    def __init__(self, target: Target, explained: Collection[str]):
        self._tests = digest(ROOT / test.split("::")[0] for test in target.tests)
        self._explained = explained
        source = digest([ROOT / target.path])
        name = ".".join(target.path.with_suffix("").parts[2:])
        self._name = name
        self._file = KNOWN / f"{name}-{source}.jsonl"
        self.current: dict[str, Outcome] = {}
        self.survived_before: dict[str, Outcome] = {}
        for line in self._lines():
            entry = json.loads(line)
            outcome = Outcome(*entry["outcome"])
            if self._holds(entry, outcome):
                self.current[entry["mutant"]] = outcome
            elif outcome.result == "survived":
                self.survived_before[entry["mutant"]] = outcome

    @property
    def known(self) -> dict[str, Outcome]:
        """What still holds; a survivor counts as one until it is asked again."""
        return {**self.survived_before, **self.current}

    def add(self, mutant: str, outcome: Outcome) -> None:
        """Remember an outcome, on disk too."""
        self.current[mutant] = outcome
        if not self._file.exists():
            KNOWN.mkdir(exist_ok=True)
            for other in KNOWN.glob(f"{self._name}-*.jsonl"):  # of what the source was before
                other.unlink()
        entry = {"mutant": mutant, "tests": self._tests, "outcome": outcome}
        with self._file.open("a") as file:
            file.write(json.dumps({**entry, "by": test_digest(outcome.by)}) + "\n")

    def _lines(self) -> list[str]:
        return self._file.read_text().splitlines() if self._file.exists() else []

    def _holds(self, entry: dict[str, str], outcome: Outcome) -> bool:
        if entry["tests"] == self._tests:
            return True
        if outcome.result == "survived":
            return entry["mutant"] in self._explained
        return bool(entry["by"]) and entry["by"] == test_digest(outcome.by)


@cache
def test_digest(name: str) -> str:
    """Of a test and of what it uses of its file; of a doctest's whole file; "" of no test."""
    file, _, test = name.partition("::")
    path = ROOT / file
    if not test or not path.exists():
        return ""
    if file.startswith("src/"):
        return digest([path])
    parts = [ast.dump(node) for node in _used(ast.parse(path.read_text()), test.partition("[")[0])]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _used(tree: ast.Module, function: str) -> list[ast.stmt]:
    """The statements that define a name, and the names that these use, and so on; fixtures too."""
    defined: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in _defines(node):
            defined.setdefault(name, []).append(node)
    names, todo = set(), [function]
    while todo:
        name = todo.pop()
        if name in names or name not in defined:
            continue
        names.add(name)
        inner = [inside for node in defined[name] for inside in ast.walk(node)]
        todo += [node.id for node in inner if isinstance(node, ast.Name)]
        todo += [node.arg for node in inner if isinstance(node, ast.arg)]
    return [node for node in tree.body if names & _defines(node)]


def _defines(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return set()
    names = [inside for inside in ast.walk(node) if isinstance(inside, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def digest(files: Iterable[Path]) -> str:
    """Of what files hold."""
    content = hashlib.sha256()
    for file in files:
        content.update(file.read_bytes())
    return content.hexdigest()[:16]
