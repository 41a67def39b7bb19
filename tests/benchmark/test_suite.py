"""`autotelic bench`: rates as a table and as JSON."""

import io
import json

import pytest
from rich.console import Console

from autotelic.benchmark import suite as suites
from autotelic.benchmark.engine import LoopRates
from autotelic.benchmark.results import Result, rate_table
from autotelic.benchmark.suite import quick
from autotelic.commands import bench
from autotelic.objectives import OBJECTIVES

LOOP = "whole loop"


def test_the_table_fits_a_terminal_and_holds_the_numbers():
    rows = [
        Result("A", "environment alone", "one instance", [2e6]),
        Result("A", LOOP, "five", [90.0, 100.0, 130.0], environment_share=0.04, note="plain"),
    ]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(rate_table(rows))
    text = console.export_text()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    assert ["five", "100", "90 - 130", "4.0%"] in cells
    assert ["one instance", "2.0 M", "2.0 M - 2.0 M", ""] in cells
    assert text.index(LOOP) < text.index("environment alone")
    assert "plain" in text and "…" not in text


def test_a_quick_run_measures_the_same_loops_in_less_time():
    for task in suites.TASKS:
        shorter = quick(task)
        assert shorter.loops == task.loops
        assert shorter.steps * shorter.jobs < task.steps * task.jobs


@pytest.fixture
def rates(monkeypatch):
    loop = lambda setting, members, size: LoopRates([10.0 * members], 0.1)  # noqa: E731
    monkeypatch.setattr(suites.engine, "measure_loop", loop)
    monkeypatch.setattr(suites.engine, "measure_updates", lambda s, n, size: [20.0 * n])
    monkeypatch.setattr(suites.environments, "gymnasium_rates", lambda *a: [1e4])
    monkeypatch.setattr(suites.environments, "navigation_rates", lambda *a: [1e6])
    monkeypatch.setattr(suites.environments, "bare_rates", lambda *a: [2e4])


def test_the_command_writes_what_it_found(tmp_path, rates, capsys):
    bench.main(["--quick", "--out", str(tmp_path / "a" / "b")])
    written = json.loads((tmp_path / "a" / "b" / "results.json").read_text())
    loops = [r for r in written["results"] if r["what"] == LOOP and "2d" in r["task"]]
    assert [row["name"] for row in loops] == [
        *("autotelic, 1 learner", "autotelic, 5 learners", "autotelic, 20 learners")
    ]
    assert [row["steps_per_second"] for row in loops] == [10.0, 50.0, 200.0]
    notes = {result["task"]: result["note"] for result in written["results"]}
    # Four learners make 40 steps a second here, the bare environments 20,000.
    assert "0% of the bare environments' steps" in notes["Ant-v5, METRA's loop, 256 units"]
    updated = [r["name"] for r in written["results"] if "objectives" in r["task"]]
    learned = [name for name, kind in OBJECTIVES.items() if kind.learns]
    assert [name.partition(",")[0] for name in updated] == learned
    assert written["machine"]["usable_cores"] >= 1 and "jax" in written["versions"]
    assert "autotelic, 20 learners" in capsys.readouterr().out


def test_the_command_refuses_before_it_measures(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "Suite", lambda *a: pytest.fail("too late"))
    with pytest.raises(ValueError, match="repeats must be at least 1, got 0"):
        bench.main(["--repeats", "0"])
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file; choose another folder"):
        bench.main(["--out", str(tmp_path / "file")])
