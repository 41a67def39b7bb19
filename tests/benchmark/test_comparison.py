"""Rates beside the machine's limit and the peers': tables, JSON and a chart."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from autotelic.benchmark import suite as ours
from autotelic.benchmark.engine import LoopRates
from benchmarks.comparison import __main__ as command
from benchmarks.comparison import report as reports
from benchmarks.comparison import suite as suites
from benchmarks.comparison.peers import PeerRates, PeerUnavailable
from benchmarks.comparison.results import Report, Result, as_json
from benchmarks.comparison.roofline import CopyRates, PeakMeter
from benchmarks.comparison.suite import Comparison, quick
from benchmarks.comparison.waiting import Wait

LOOP = "whole loop"


def found() -> Report:
    return Report(
        [
            Result("A", LOOP, "ours", [90.0, 100.0, 130.0], flops=1_000, environment_share=0.04),
            Result("A", LOOP, "theirs", [40.0, 50.0, 60.0], ours=False, note="plain"),
            Result("A", "environment alone", "one instance", [2e6]),
            Result("B", LOOP, "ours", [7.0], flops=2_000),
        ],
        peaks=[1e5, 4e5, 2e5],
        unavailable={"QDax": "QDax cannot be installed: ERROR: x"},
        waits=[Wait("A", first=[9.0, 7.0, 8.0], again=[4.0])],
    )


def test_medians_spread_and_the_share_of_the_median_peak():
    rows = as_json(found())["results"]
    assert [row["steps_per_second"] for row in rows] == [100.0, 50.0, 2e6, 7.0]
    assert rows[0]["spread"] == [90.0, 130.0]
    assert [row["fraction_of_peak"] for row in rows] == [0.5, None, None, 0.07]


def test_ratios_compare_the_same_work_in_the_same_task():
    assert found().ratios("A", LOOP) == {"ours": {"theirs": 2.0}}
    assert found().ratios("A", "update alone") == {}
    assert found().ratios("B", LOOP) == {}


def test_the_tables_fit_a_terminal_and_hold_the_numbers():
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(reports.tables(found()))
    text = console.export_text()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    assert ["ours", "100", "90 - 130", "50%", "4.0%"] in rows
    assert ["ours", "2.00"] in rows
    assert ["A", "8.0 (7.0 - 9.0)", "4.0 (4.0 - 4.0)"] in rows
    assert "theirs: plain" in text
    assert "not measured: QDax cannot be installed: ERROR: x" in text
    assert "…" not in text


def test_the_chart_draws_loops_and_updates_with_their_ranges():
    upper, lower = reports.chart(found()).axes
    assert [bar.get_width() for bar in upper.patches] == [100.0, 50.0]
    assert [label.get_text() for label in upper.get_yticklabels()] == ["ours", "theirs"]
    # The peak would allow 200 steps/s of A; of B 100, which is too far away to be shown.
    limits = [
        [list(line.get_xdata()) for line in panel.lines if line.get_linestyle() == "--"]
        for panel in (upper, lower)
    ]
    assert limits == [[[200.0, 200.0]], []]


@pytest.fixture
def suite(monkeypatch):
    monkeypatch.setattr(
        suites.engine, "measure_loop", lambda s, n, size: LoopRates([10.0 * n], 0.1)
    )
    monkeypatch.setattr(suites.engine, "measure_updates", lambda s, n, size: [20.0 * n])
    monkeypatch.setattr(ours.environments, "gymnasium_rates", lambda *a: [1e4])
    monkeypatch.setattr(ours.environments, "navigation_rates", lambda *a: [1e6])
    monkeypatch.setattr(ours.environments, "bare_rates", lambda *a: [2e4])
    monkeypatch.setattr(suites, "copy_rates", lambda: CopyRates(1e9, 2e9))
    monkeypatch.setattr(suites, "measure_wait", lambda name, repeats: Wait(name, [8.0], [3.0]))
    return Comparison(repeats=1, say=lambda text: None, meter=PeakMeter(size=8, products=1))


def test_the_peak_is_measured_around_everything(suite):
    suite.measure(suites.HALF_CHEETAH)
    assert len(suite.report.results) == 7
    assert len(suite.report.peaks) == 8


def test_a_single_learner_is_one_row_of_all_moments_beside_what_threads_copied(suite, monkeypatch):
    clock = iter([100.0, 460.0])
    monkeypatch.setattr(suites.time, "monotonic", lambda: next(clock))
    copied = iter([CopyRates(40e9, 118e9), CopyRates(41e9, 52e9)])
    monkeypatch.setattr(suites, "copy_rates", lambda: next(copied))
    rates = iter([[430.0, 440.0], [650.0, 660.0]])
    monkeypatch.setattr(
        suites.engine, "measure_loop", lambda s, n, size: LoopRates(next(rates), 0.1)
    )
    alone = replace(suites.HALF_CHEETAH, loops=(1,), updates=())
    suite.measure(alone)
    suite.measure_loop(alone, 1)
    loop, _ = suite.report.results
    assert loop.name == "autotelic, 1 learner"
    assert loop.rates == [430.0, 440.0, 650.0, 660.0] and loop.rate == 545.0
    assert loop.note.endswith(
        "one learner, at 2 moments within 6 minutes, steps/s (and GB/s that two threads and one copied "
        "just before): 435 (118 and 40), 655 (52 and 41)"
    )
    assert as_json(suite.report)["copied_bytes_per_second"][1] == {"one": 41e9, "two": 52e9}


def test_the_better_setting_of_a_peer_counts_and_one_that_fails_stops_nothing(suite, monkeypatch):
    def measure(peer, python, task, *variants):
        if peer is suites.peers.QDAX:
            raise PeerUnavailable("QDax DIAYN stopped without a result: x")
        rate = {"--threads 1": 100.0, "--threads 2": 50.0, "--core 3": 70.0}
        rates = [rate.get(" ".join(words), 60.0) for words in variants]
        return [PeerRates([rate], {"version": "1"}) for rate in rates]

    monkeypatch.setattr(suites.peers, "install", lambda peer, cache: cache)
    monkeypatch.setattr(suites.peers, "measure", measure)
    monkeypatch.setattr(suites, "usable_workers", lambda: 2)
    monkeypatch.setattr(suites.os, "sched_getaffinity", lambda process: {3, 5}, raising=False)
    suite.measure_peers(suites.NAVIGATION, cache=None)
    rates = {result.name: result.rate for result in suite.report.results}
    assert rates == {"Stable-Baselines3 SAC": 100.0, "SBX SAC": 60.0, "2 x SBX SAC": 130.0}
    assert "faster on a core each" in suite.report.results[-1].note
    assert suite.report.unavailable == {"QDax DIAYN": "QDax DIAYN stopped without a result: x"}


def test_updates_are_counted_where_they_are_the_papers(suite):
    suite.measure(suites.NAVIGATION)
    suite.measure_acting()
    flops = {(result.task, result.what): result.flops for result in suite.report.results}
    assert flops[suites.NAVIGATION.name, "whole loop"] == suites.NAVIGATION.counted[0] > 0
    assert flops[suites.NAVIGATION.name, "environment alone"] is None
    assert flops["Ant-v5, METRA's loop, 256 units", "whole loop"] is None


def test_a_quick_run_measures_the_same_loops_in_less_time():
    for task in suites.TASKS:
        shorter = quick(task)
        assert shorter.loops == task.loops
        assert shorter.steps * shorter.jobs < task.steps * task.jobs
        assert shorter.peer_steps * 4 == task.peer_steps


def test_the_command_writes_what_it_found(tmp_path, suite, monkeypatch, capsys):
    monkeypatch.setattr(command, "Comparison", lambda repeats, say: suite)
    out = tmp_path / "a" / "b"
    monkeypatch.setattr("sys.argv", ["comparison", "--quick", "--out", str(out)])
    command.main()
    written = json.loads((out / "results.json").read_text())
    assert written["results"][0]["repeats"] == [10.0, 10.0]  # of one learner, at the end once more
    assert written["results"][1]["name"] == "autotelic, 5 learners"
    assert written["results"][1]["steps_per_second"] == 50.0
    assert {wait["environment"]: wait["again"] for wait in written["seconds_to_first_epoch"]} == {
        "navigation2d": [3.0],
        "HalfCheetah-v5": [3.0],
    }
    assert (out / "rates.png").read_bytes().startswith(b"\x89PNG")
    assert "autotelic, 20 learners" in capsys.readouterr().out
