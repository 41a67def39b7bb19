"""What tests do without any fault: how long they take, and which functions they enter.

Kept on disk as long as the package and the test are the same, so that a run goes on at once.
"""

import json
from pathlib import Path
from typing import NamedTuple

from tools.mutants.records import digest, test_digest
from tools.mutants.swapping import Key


class Seen(NamedTuple):
    """Of a test as it is: its name, its seconds, and the functions that it entered."""

    name: str
    seconds: float
    entered: frozenset[Key]


class Memory:
    """What is known of tests, by their names; `package` is the folder whose functions are noted."""

    def __init__(self, file: Path, package: Path):
        self._file, self.package = file, package
        self._version = digest(sorted(package.rglob("*.py")))
        self.seen: dict[str, Seen] = {}
        for line in file.read_text().splitlines() if file.exists() else []:
            version, name, seconds, entered = json.loads(line)
            if version == self._version + test_digest(name):
                keys = (Key(str(package / inside), *key) for inside, *key in entered)
                self.seen[name] = Seen(name, seconds, frozenset(keys))

    def add(self, test: Seen) -> None:
        """Remember a test, on disk too."""
        self.seen[test.name] = test
        keys = [[str(Path(k.file).relative_to(self.package)), k.name, k.line] for k in test.entered]
        version = self._version + test_digest(test.name)
        with self._file.open("a") as file:
            file.write(json.dumps([version, test.name, test.seconds, sorted(keys)]) + "\n")
