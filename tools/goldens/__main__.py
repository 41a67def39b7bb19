"""What the library gives now beside what it gave when the goldens were recorded.

    python -m tools.goldens check                 every case; says by name what differs, and where
    python -m tools.goldens check --only metra    the cases whose names have it (a regular expression)
    python -m tools.goldens record                keep what there is now, and say what that changes

About 70 tiny runs are trained and exported, some evaluated, interrupted and resumed; 200 command lines are
resolved; selectors see a fixed stream. Each column, array and option is a golden by itself, in goldens.json.

There are two kinds. **Bits** are hashes. They are the same on one machine with the same versions alone, and
there any difference is a fault: a change of form gives the same bits. **Numbers** are two means of each
array, compared to 1e-4 of their size; on another machine, or with other versions, they alone decide. `check`
says of each golden which of both differ, and ends with 1 if one that decides does. Where bits differ on the
same machine and numbers hold, sums are rounded in another order; record it and say why. Options and single
numbers are compared as they are.

Programs are compiled with few optimisations. That is quick, and another form of the same program then rounds
in the same way more often.
"""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.goldens.making import Found, machine, make_all, units
from tools.goldens.values import ABSENT, difference

PLAIN = "line: navigation2d"
FILE = Path(__file__).with_name("goldens.json")
SAME_AS_RUN = ("resumed", "prolonged")
"""Cases that have no goldens of their own: they must end as the run does that was never interrupted."""


class Difference(NamedTuple):
    """One golden that is not what it was; numbers: whether they differ too, and not the bits alone."""

    case: str
    golden: str
    numbers: bool
    words: str


def differences(goldens: Mapping[str, Any], found: Found) -> Iterator[Difference]:
    """Of all cases that were made."""
    for case, values in found.items():
        if "raised" in values:
            yield Difference(case, "raised", True, values["raised"])
            continue
        kind, _, meaning = case.partition(": ")
        expected = goldens.get(case, {})
        if kind in SAME_AS_RUN:
            expected = goldens.get(f"run: {meaning}", {})
        for name in {**expected, **values}:
            apart = difference(expected.get(name, ABSENT), values.get(name, ABSENT))
            if apart is not None:
                yield Difference(case, name, *apart)


def deciding(found: Sequence[Difference], same_machine: bool) -> list[Difference]:
    """Those that are faults: on another machine, bits may differ."""
    return [one for one in found if one.numbers or same_machine]


def report(found: Sequence[Difference], same_machine: bool) -> list[str]:
    """What differs, by cases. Bits are counted where they decide nothing."""
    shown = deciding(found, same_machine)
    lines = []
    for case in dict.fromkeys(one.case for one in shown):
        lines.append(case)
        lines += [f"    {one.golden}: {one.words}" for one in shown if one.case == case]
    quiet = len(found) - len(shown)
    if quiet:
        lines.append(f"{quiet} goldens differ in their bits, as on another machine they may")
    return lines


def read() -> dict[str, Any]:
    """The goldens that are kept, {"machine": ..., "cases": ...}."""
    if not FILE.exists():
        return {"machine": {}, "cases": {}}
    content = json.loads(FILE.read_text())
    cases = content["cases"]
    for name, values in cases.items():
        if name.startswith("line: ") and name != PLAIN:
            whole = {**cases[PLAIN], **values}
            cases[name] = {key: value for key, value in whole.items() if value != ABSENT}
    return content


def write(cases: Found) -> None:
    """Keep these, a line each; of command lines only what differs from that of the plainest."""
    lines = []
    for name, values in cases.items():
        if name.startswith("line: ") and name != PLAIN:
            plain = cases[PLAIN]
            values = {
                key: values.get(key, ABSENT)
                for key in {**plain, **values}
                if values.get(key, ABSENT) != plain.get(key, ABSENT)
            }
        lines.append(f"{json.dumps(name)}: {json.dumps(values, separators=(',', ':'))}")
    head = json.dumps(machine())
    FILE.write_text(f'{{"machine": {head}, "cases": {{\n' + ",\n".join(lines) + "\n}}\n")


def main() -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        "tools.goldens", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("check", "record"))
    parser.add_argument("--only", default="", metavar="PATTERN", help="cases whose names have it")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 4), metavar="N")
    given = parser.parse_args()
    begun = time.monotonic()
    wanted = [unit for unit in units() if any(re.search(given.only, name) for name in unit.names)]
    if not wanted:
        parser.error(f"no case has the name {given.only!r}")
    kept_before = read()
    found = make_all(wanted, given.processes)
    if given.command == "record":
        return record(kept_before, found, whole=not given.only)
    same = kept_before["machine"] == machine()
    gone = set(kept_before["cases"]) - {name for unit in units() for name in unit.names}
    apart = list(differences(kept_before["cases"], found))
    print("\n".join([*report(apart, same), *(f"{name}: no case has this name" for name in gone)]))
    seconds = time.monotonic() - begun
    cases, numbers = {one.case for one in apart}, sum(one.numbers for one in apart)
    judge = "the machine they are of: bits decide" if same else "another machine: numbers decide"
    print(
        f"{len(cases)} of {len(found)} cases differ, in {len(apart)} goldens of "
        f"{sum(map(len, found.values()))}, in {numbers} by numbers ({seconds:.0f} s; {judge})"
    )
    return int(bool(gone or deciding(apart, same)))


def record(before: Mapping[str, Any], found: Found, whole: bool) -> int:
    """Keep what was found, beside the cases that were not made; refuses what cannot be a golden."""
    own = {name: values for name, values in found.items() if not name.startswith(SAME_AS_RUN)}
    wrong = list(differences(own, found))
    if wrong:
        print("nothing is recorded:", *report(wrong, True), sep="\n")
        return 1
    known = {name: values for name, values in found.items() if name in before["cases"]}
    print(*report(list(differences(before["cases"], known)), True), sep="\n")
    cases = {} if whole else dict(before["cases"])
    if cases and before["machine"] != machine():
        print("the goldens are of another machine: record all of them")
        return 1
    cases.update(own)
    order = [name for unit in units() for name in unit.names]
    write({name: cases[name] for name in order if name in cases})
    print(f"{len(own)} cases recorded, {len(own) - len(known)} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
