"""The table of mutants as a page, with every survivor and why it may live."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tools.mutants.changes import Mutant
from tools.mutants.running import Outcome
from tools.mutants.targets import ROOT

PAGE = ROOT / "docs" / "mutants.md"
EXPLAINED = Path(__file__).with_name("explained.toml")

_HEAD = """# Mutants

Would the tests notice a fault? `make mutants` puts small ones into the files that decide results, one
at a time (`<` for `<=`, `+` for `-`, a number one larger, two arguments swapped, a statement left out),
and runs tests that enter the changed function, quick ones first, then others of their files. They have a
second and a half of the processor; ten seconds where programs are compiled, and 25 for the training
loop. A fault that makes a test fail is killed; so is one that does not end in time. One that only slower
tests would find counts as a survivor, and so does one in a function that none of them enters. This page
is written by that command (`python -m tools.mutants`); `python -m tools.mutants --files agents/ --sample 14`
runs a sample.

A file of which fewer mutants were run than it has was sampled: so many were drawn at random. Where
tests were then written for the survivors of a sample, its share flatters the mutants that were not
drawn; a run of all of them is the cure. Explained survivors change nothing that a test could see, or
only the time it takes. The share counts them as survivors: it is (killed + timed out) / run.

Mutants of what is done when a module is loaded come last, and with them survivors whose function runs
then. A run that was stopped before has not counted them: the share of a file that lacks some of those
that were drawn flatters it too.

| File | Mutants | Run | Killed | Timed out | Survived | Explained | Share |
|---|---:|---:|---:|---:|---:|---:|---:|
"""


class Row(NamedTuple):
    """A file's mutants, all of them, and what is known of those that were run."""

    path: Path
    mutants: list[Mutant]
    outcomes: Mapping[str, Outcome]

    def number(self, result: str) -> int:
        """Of the mutants with this result."""
        return sum(outcome.result == result for outcome in self.outcomes.values())

    @property
    def survivors(self) -> list[Mutant]:
        """In the order of lines."""
        outcomes = self.outcomes
        left = [
            m for m in self.mutants if m.name in outcomes and outcomes[m.name].result == "survived"
        ]
        return sorted(left, key=lambda mutant: mutant.line)


def explanations() -> dict[tuple[str, str], str]:
    """Why a survivor may live, by file and mutant."""
    entries = tomllib.loads(EXPLAINED.read_text()) if EXPLAINED.exists() else {}
    return {
        (file, mutant): why for file, reasons in entries.items() for mutant, why in reasons.items()
    }


def text(rows: Iterable[Row]) -> str:
    """The page."""
    rows = list(rows)
    why = explanations()
    lines = [_line(row, why) for row in rows] + [_total(rows, why)]
    parts = [_survivors(row, why) for row in rows if row.survivors]
    return _HEAD + "\n".join(lines) + "\n\n## Survivors\n" + "".join(parts)


def _explained(row: Row, why: Mapping[tuple[str, str], str]) -> int:
    return sum((_short(row.path), mutant.name) in why for mutant in row.survivors)


def _line(row: Row, why: Mapping[tuple[str, str], str]) -> str:
    if not row.outcomes:
        return f"| {_short(row.path)} | {len(row.mutants)} | not yet | | | | | |"
    return _cells(f"{_short(row.path)}", len(row.mutants), [row], _explained(row, why))


def _total(rows: list[Row], why: Mapping[tuple[str, str], str]) -> str:
    run = [row for row in rows if row.outcomes]
    explained = sum(_explained(row, why) for row in run)
    return _cells("**All that were run**", sum(len(row.mutants) for row in run), run, explained)


def _cells(name: str, mutants: int, rows: list[Row], explained: int) -> str:
    killed, late, survived = (
        sum(row.number(result) for row in rows) for result in ("killed", "timed out", "survived")
    )
    done = killed + late + survived
    share = f"{(killed + late) / done:.1%}".replace("%", " %") if done else ""
    cells = (name, mutants, done, killed, late, survived, explained, share)
    return "| " + " | ".join(map(str, cells)) + " |"


def _survivors(row: Row, why: Mapping[tuple[str, str], str]) -> str:
    lines = [f"\n### {_short(row.path)}\n"]
    for mutant in row.survivors:
        reason = why.get((_short(row.path), mutant.name))
        change = f"`{mutant.before}` → `{mutant.after}`"
        end = f". Explained: {reason}" if reason else ""
        lines.append(f"- line {mutant.line}, {mutant.where}: {change}{end}")
    return "\n".join(lines) + "\n"


def _short(path: Path) -> str:
    return "/".join(path.parts[2:])
