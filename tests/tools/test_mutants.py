"""The faults that are put in, and that tests are run against them and not against the file."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.mutants import records
from tools.mutants.changes import mutants
from tools.mutants.page import Row, text
from tools.mutants.running import Outcome, module_name
from tools.mutants.swapping import exchange, functions_of, swap
from tools.mutants.targets import ROOT, Target, targets


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", ["a <= b"]),
        ("0 < a < b", ["0 <= a < b", "0 < a <= b", "1 < a < b"]),
        ("a + b", ["a - b"]),
        ("x += 2", ["x -= 2", "pass", "x += 3"]),
        ("a and b", ["a or b"]),
        ("x = 1", ["x = 2", "x = 0"]),
        ("x = True", ["x = False"]),
        ("f(a, b)", ["f(b, a)", "pass"]),
        ("x = f(a=b, c=d)", ["x = f(a=d, c=b)"]),
        ("x = min(a, b)", ["x = max(a, b)"]),
        ("x = np.abs(a)", ["x = a"]),
        ("if a: b", ["if not a: b"]),
        ("self.x = a", ["pass"]),
        ("x = (a, b)", ["x = (b, a)"]),
        ("raise ValueError(f'{1 + 1} is too much')", ["pass"]),
        # Left alone: words, docstrings, annotations, decorators, imports.
        ("x = 'a' + b", []),
        ("'''One.'''", []),
        ("x: Literal[1]", []),
        ("def f(x: int | None) -> Literal[1]: ...", []),
        ("@dataclass(frozen=True)\nclass A: ...", []),
        ("import a, b", []),
    ],
)
def test_changes(source: str, expected: list[str]):
    tree = ast.parse(source)
    before = ast.dump(tree)
    assert sorted(mutant.after for mutant in mutants(tree)) == sorted(expected)
    assert ast.dump(tree) == before


def test_a_second_assignment_may_go_and_a_first_may_not():
    tree = ast.parse("def f(a):\n    b = g(a)\n    b = h(b)\n    return b")
    assert [(mutant.line, mutant.after) for mutant in mutants(tree)] == [(3, "pass")]


def test_a_change_is_put_in_and_taken_out():
    tree = ast.parse("x = a - b")
    before = ast.dump(tree)
    (mutant,) = mutants(tree)
    undo = mutant.apply()
    assert ast.unparse(tree) == "x = a + b"
    undo()
    assert ast.dump(tree) == before


def test_mutants_that_read_alike_have_names_of_their_own():
    names = [mutant.name for mutant in mutants(ast.parse("x = 5\nx = 5"))]
    assert names == ["module: x = 5 -> x = 6", "module: x = 5 -> x = 6 (2)"]


def test_every_target_has_tests_and_a_name():
    for target in targets():
        assert all((ROOT / test.split("::")[0]).exists() for test in target.tests)
        assert len(target.tests) > 1, target.path
    assert module_name(Path("/a/src/autotelic/selectors/rules.py")) == "autotelic.selectors.rules"


def test_the_page_counts_what_was_run_and_lists_survivors():
    path = Path("src/autotelic/progress.py")
    found = mutants(ast.parse("x = a - b\ny = a < b\nz = a * b"))
    outcomes = {
        found[0].name: Outcome("killed", "t", 1.0),
        found[1].name: Outcome("survived", "", 1.0),
    }
    page = text([Row(path, found, outcomes), Row(Path("src/autotelic/other.py"), found, {})])
    assert "| progress.py | 3 | 2 | 1 | 0 | 1 | 0 | 50.0 % |" in page
    assert "| other.py | 3 | not yet |" in page
    assert "- line 2, module: `y = a < b` → `y = a <= b`" in page


MODULE = """
from functools import cache

LIMIT = 3

@cache
def double(x, times=2):
    return (lambda y: y * times)(x)

class Adder:
    def __call__(self, x):
        return x + 5
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("y * times", "y / times", {"double", "double.<locals>.<lambda>"}),
        ("x + 5", "x - 5", {"Adder.__call__"}),
        ("LIMIT = 3", "LIMIT = 4", None),
        ("times=2", "times=3", None),
    ],
)
def test_functions_can_be_exchanged_and_what_is_done_once_cannot(
    old: str, new: str, changed: set[str] | None
):
    before, after = (compile(words, "m", "exec") for words in (MODULE, MODULE.replace(old, new)))
    change = swap(before, after)
    found = None if change is None else {key.name for key in change.keys}
    assert found == changed


def test_an_exchanged_function_is_another_for_all_who_hold_it():
    before, after = (
        compile(words, "held", "exec")
        for words in (MODULE, MODULE.replace("y * times", "y / times").replace("x + 5", "x - 5"))
    )
    names: dict[str, Any] = {}
    exec(before, names)
    double, add = names["double"], names["Adder"]()
    change = swap(before, after)
    assert change is not None
    exchange(change, functions_of({"held"}))
    assert double(8) == 4  # behind its decorator
    assert add(8) == 3


def test_killed_stays_killed_when_tests_are_added_and_a_survivor_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(records, "KNOWN", tmp_path / "known")
    source, tests = tmp_path / "src/autotelic/x.py", tmp_path / "tests/test_x.py"
    for file, content in ((source, "x = 1"), (tests, "Y = 1\ndef test_a(): assert Y")):
        file.parent.mkdir(parents=True)
        file.write_text(content)
    target = Target(Path("src/autotelic/x.py"), ("tests/test_x.py",))

    def known() -> set[str]:
        records.test_digest.cache_clear()
        return set(records.Records(target, {"explained"}).current)

    first = records.Records(target, {"explained"})
    first.add("killed", Outcome("killed", "tests/test_x.py::test_a[2-3]", 1.0))
    for name in ("survived", "explained"):
        first.add(name, Outcome("survived", "", 1.0))
    assert known() == {"killed", "survived", "explained"}
    tests.write_text("import z\nY = 1\ndef test_a(): assert Y\nX = 3\ndef test_b(): ...")
    assert known() == {"killed", "explained"}
    assert set(records.Records(target, ()).known) == {"killed", "explained", "survived"}
    tests.write_text("Y = 2\ndef test_a(): assert Y")  # what the test uses is another
    assert known() == {"explained"}
    source.write_text("x = 2")
    assert known() == set()


NOT_ENTERED = "return progress / (len(progress) / 2.0)"
"""A fault in a function of which no example is run."""
PROGRAM = """
import ast
from pathlib import Path
from tools.mutants import running
from tools.mutants.changes import mutants
from tools.mutants.memory import Memory
from tools.mutants.session import Fault, Session, Subject
from tools.mutants.targets import ROOT

running.prepare(Path("unused"), training=False)
path, tests = ROOT / "src/autotelic/progress.py", ["src/autotelic/progress.py"]
tree = ast.parse(path.read_text())
print(running.run(tests, path, None, 60).result)
change = next(m for m in mutants(tree) if m.after == "return earlier + recent")
undo = change.apply()
print(*running.run(tests, path, tree, 60)[:2])
undo()
print(running.run(tests, path, tree, 60).result)
print(running.run(tests, path, ast.parse("while True: pass"), 1).result)
def in_session(say):
    before = compile(tree, str(path), "exec")
    told = {}
    faults = []
    for mutant in mutants(tree):
        if mutant.after in ("return earlier + recent", "ROUNDING = 1.000000000001", NOT_ENTERED):
            undo = mutant.apply()
            faults.append(Fault(mutant.after, compile(tree, str(path), "exec")))
            undo()
    memory = Memory(Path(TEMPORARY + '.known'), ROOT / 'src/autotelic')
    session = Session([Subject(path, before, faults, told.__setitem__)], 10.0, memory)
    session.run(tests, Path(TEMPORARY))
    say(session.problem + repr({name: found[:2] for name, found in told.items()}))

print(running.in_child(in_session, 10_000).said.decode())
try:
    running.run(["tests/test_readme.py"], ROOT / "src/autotelic/report/films.py", tree, 60)
except RuntimeError as error:
    print("was not loaded" in str(error))
"""


@pytest.mark.thorough
def test_tests_see_the_fault_and_a_fault_that_was_not_loaded_is_an_error(tmp_path: Path):
    """In a process of its own: a parent must not have our package loaded when it forks.

    A session leaves what is done when a module is loaded, such as a constant, to others. What no test
    enters survives.
    """
    names = {"TEMPORARY": str(tmp_path / "session"), "NOT_ENTERED": NOT_ENTERED}
    program = "".join(f"{name} = {value!r}\n" for name, value in names.items()) + PROGRAM
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    killer = "src/autotelic/progress.py::autotelic.progress.diversity_progress"
    assert done.stdout.splitlines() == [
        "survived",
        f"killed {killer}",
        "survived",
        "timed out",
        repr({"return earlier + recent": ("killed", killer), NOT_ENTERED: ("survived", "")}),
        "True",
    ], done.stderr
