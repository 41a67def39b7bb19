"""How far a sweep is, from its files alone."""

import io
from pathlib import Path

import pytest
from fakes import fake_task
from rich.console import Console

from autotelic.runs.evaluated import write_evaluated
from autotelic.runs.lock import RunLock
from autotelic.sweeps import results, status
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.folder import Plan, Record, write_plan, write_record


@pytest.fixture
def tasks(tmp_path: Path):
    """One done, one running at its third epoch, one waiting, one failed."""
    found = [fake_task(tmp_path, name, epochs=4) for name in ("a", "b", "c", "d")]
    for task, state in zip(found, ("done", "running", "waiting", "failed"), strict=True):
        note = "it is poisoned" if state == "failed" else ""
        write_record(task, Record(state, attempts=2, note=note))
        (Path(task.run) / "checkpoints").mkdir(parents=True)
    (Path(found[0].run) / "checkpoints" / "epoch-000004.json").touch()
    (Path(found[0].run) / "skills.npz").touch()
    (Path(found[1].run) / "checkpoints" / "epoch-000001.json").touch()
    # The last line is being written, and the history is ahead of the checkpoint.
    (Path(found[1].run) / "history.csv").write_text("member,epoch,goal\n0,0,5\n0,1,7\n0,2,7\n0,33")
    return found


def test_states_and_epochs(tasks):
    found = status.rows(tasks, driven=True)
    assert [row.state for row in found] == ["done", "running", "waiting", "failed"]
    assert [row.epoch for row in found] == [4, 3, 0, 0]
    assert status.summary(found) == "1 of 4 done · 1 running · 1 waiting · 1 failed"


def test_nothing_runs_where_nobody_works_unless_a_process_has_the_run(tasks):
    assert [row.state for row in status.rows(tasks, driven=False)][1] == "waiting"
    with RunLock(tasks[1].run):
        assert [row.state for row in status.rows(tasks, driven=False)][1] == "running"


def test_a_run_that_was_deleted_is_not_done(tasks):
    (Path(tasks[0].run) / "skills.npz").unlink()
    assert status.rows(tasks, driven=True)[0].state == "waiting"


@pytest.mark.parametrize("width", [40, 80])
def test_the_table_loses_no_sentence_in_a_narrow_terminal(tasks, width: int):
    console = Console(file=io.StringIO(), width=width)
    console.print(status.table(status.rows(tasks, driven=True)))
    text = console.file.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    for word in ("poisoned", "failed", "3/4"):
        assert word in text


def test_of_many_runs_those_that_need_a_look_are_shown():
    rows = [status.Row(str(n), "done", 4, 4, 1, "") for n in range(50)]
    rows[40] = rows[40]._replace(state="failed", note="why")
    console = Console(file=io.StringIO(), width=80)
    console.print(status.table(rows, most=5))
    text = console.file.getvalue()
    assert "why" in text
    assert "45 more runs" in text


def test_the_page_of_a_sweep_compares_its_runs_and_links_to_them(tmp_path: Path):
    from autotelic.report.sweep import sweep_page

    cell = Checked("a+b", {"n": 1}, ["train", "--n", "1"], 3, 1)
    run = tmp_path / "runs" / cell.name
    run.mkdir(parents=True)
    (run / "report.html").touch()
    row = {"method": "dp", "trained": True, "metric": "x", "seeds": 2, "estimate": 0.5, "low": 0.25}
    words = {"meaning": "", "better": "high"}
    how = {"epochs": 3, "per_goal": 2, "steps": 5, "seed": 0}
    rest = {"setting": how, "confidence": 0.95, "alarms": [], "diverged": []}
    metrics = {"x": {"label": "the <x>", "headline": True, **words}}
    content = {"summary": [{**row, "high": 0.75}], "metrics": metrics}
    write_evaluated(run, {**content, **rest}, b"")
    file = tmp_path / "file.toml"
    file.write_text("n = 1")
    write_plan(tmp_path, Plan([cell], 1), file)
    page = sweep_page(tmp_path)
    assert '<a href="runs/a%2Bb/report.html">a+b</a>' in page
    assert results.text({**row, "high": 0.75}) == "0.500 (0.250 to 0.750)"
    assert "0.500 (0.250 to 0.750)" in page
    assert "the &lt;x&gt;" in page
    assert "{{" not in page
