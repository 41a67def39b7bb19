"""What is known of each mutant, kept as it is found: a run that was stopped goes on where it was.

One file of JSON lines for each source file, named by what the source holds. A line is of use as long
as the tests are the same too; after that it still says which test to try first.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from tools.mutants.running import Outcome
from tools.mutants.targets import ROOT, Target

FOLDER = ROOT / ".mutants"


class Records:
    """The outcomes for one source file by the mutant's name: of these tests, and of any before."""

    def __init__(self, target: Target):
        self._tests = _digest(ROOT / test for test in target.tests)
        source = _digest([ROOT / target.path])
        name = ".".join(target.path.with_suffix("").parts[2:])
        self._file = FOLDER / f"{name}-{source}.jsonl"
        self.current: dict[str, Outcome] = {}
        self.latest: dict[str, Outcome] = {}
        for line in self._lines():
            entry = json.loads(line)
            self._take(entry["mutant"], entry["tests"], Outcome(*entry["outcome"]))

    def add(self, mutant: str, outcome: Outcome) -> None:
        """Remember an outcome, on disk too."""
        self._take(mutant, self._tests, outcome)
        FOLDER.mkdir(exist_ok=True)
        entry = {"mutant": mutant, "tests": self._tests, "outcome": outcome}
        with self._file.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def _lines(self) -> list[str]:
        return self._file.read_text().splitlines() if self._file.exists() else []

    def _take(self, mutant: str, tests: str, outcome: Outcome) -> None:
        self.latest[mutant] = outcome
        if tests == self._tests:
            self.current[mutant] = outcome


def _digest(files: Iterable[Path]) -> str:
    content = hashlib.sha256()
    for file in files:
        content.update(file.read_bytes())
    return content.hexdigest()[:16]
