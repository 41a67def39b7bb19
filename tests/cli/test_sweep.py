"""`autotelic sweep` from its file to the end, again, changed, interrupted and asked for its status."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes import HERE, fake_task
from running import train_words

from autotelic._documents import FileError
from autotelic.cli import main
from autotelic.runs.evaluated import write_evaluated
from autotelic.sweeps import checking, results, worker
from autotelic.sweeps import folder as on_disk
from autotelic.sweeps.naming import words_of

FILE = """
epochs = 2
[grid]
objective = ["a", "b"]
"""


def told(cell) -> dict:
    return {
        "words": words_of(cell.values, bool),
        "epochs": cell.values["epochs"],
        "learners": 1,
        "faults": [("objective", "objective is bad")] * (cell.values["objective"] == "bad"),
    }


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs of `fake_run`, whose fault an objective names; and a checker that takes all but `bad`."""

    def tasks(folder: Path, plan, kind="train", more=(), allowed=()):
        return [
            fake_task(folder, cell.name, cell.epochs, fault=str(cell.values["objective"]))
            for cell in plan.cells
        ]

    monkeypatch.setattr(checking, "ask", lambda cells, *_: [told(cell) for cell in cells])
    monkeypatch.setattr(on_disk, "tasks", tasks)
    monkeypatch.setenv("PYTHONPATH", HERE, prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)


def sweep(text: str, *words: str) -> int:
    Path("sweep.toml").write_text(text)
    return main(["sweep", "sweep.toml", "--out", "s", *words])


def test_a_sweep_is_trained_once(fakes, capsys):
    assert sweep(FILE) == 0
    assert "2 of 2 done" in capsys.readouterr().out
    runs = [Path("s/runs") / f"objective={name}" for name in "ab"]
    assert [(run / "skills.npz").exists() for run in runs] == [True, True]
    assert Path("s/sweep.toml").read_text() == FILE
    before = {path: path.stat().st_mtime_ns for path in Path("s/runs").rglob("*")}
    assert sweep(FILE) == 0
    assert {path: path.stat().st_mtime_ns for path in Path("s/runs").rglob("*")} == before


def test_a_run_that_fails_is_named_and_the_others_are_trained(fakes, capsys):
    assert sweep(FILE.replace('"a"', '"raise"')) == 1
    error = capsys.readouterr().err
    assert "1 of 2 runs failed" in error
    assert "objective=raise: the environment failed in epoch 0: it is poisoned" in error
    assert main(["sweep", "status", "s"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 done · 1 failed" in shown
    assert "poisoned" in shown


def test_a_dry_run_starts_nothing(fakes, capsys):
    assert sweep(FILE, "--dry-run") == 0
    assert "objective=a" in capsys.readouterr().out
    assert not Path("s").exists()


def test_a_bad_file_starts_nothing(fakes, capsys):
    assert sweep(FILE.replace('"a"', '"bad"') + "x = []") == 2
    error = capsys.readouterr().err
    assert "line 4: objective is bad (in objective=bad)" in error
    assert "line 5: x under [grid] is an empty list" in error
    assert not Path("s").exists()


def test_a_file_that_changed_is_told_and_nothing_is_overwritten(fakes, capsys):
    assert sweep(FILE) == 0
    skills = Path("s/runs/objective=a/skills.npz").read_bytes()
    capsys.readouterr()
    assert sweep(FILE + "num-goals = [3]") == 0  # other names: new runs beside the old
    out = capsys.readouterr().out
    assert "2 new: objective=a,num-goals=3, objective=b,num-goals=3" in out
    assert "2 gone from the file, left as they are: objective=a, objective=b" in out
    assert len(on_disk.read_plan(Path("s")).cells) == 4
    assert sweep("batch-size = 3\n" + FILE) == 2
    assert "line 1: batch-size was 'not given' and is 3 (in objective=a)" in capsys.readouterr().err
    assert Path("s/runs/objective=a/skills.npz").read_bytes() == skills


def test_more_epochs_prolong_and_fewer_are_refused(fakes, capsys):
    assert sweep(FILE) == 0
    assert sweep(FILE.replace("2", "1", 1)) == 2
    assert sweep(FILE.replace("2", "3", 1)) == 0
    assert "2 longer: objective=a, objective=b" in capsys.readouterr().out
    assert Path("s/runs/objective=a/skills.npz").read_bytes() == b"skills after 3 epochs"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sweep"], "the sweep file is missing"),
        (["sweep", "nothing.toml", "--out", "s"], "nothing.toml is no file"),
        (["sweep", "sweep.toml"], "--out is missing"),
        (["sweep", "sweep.toml", "--out", "s", "--max-parallel", "0"], "--max-parallel"),
        (["sweep", "sweep.toml", "--out", "s", "--address", "a:1"], "--backend ray"),
        (["sweep", "status", "nowhere"], "holds no sweep"),
        (["sweep", "evaluate", "nowhere"], "holds no sweep"),
        (["sweep", "report", "nowhere"], "holds no sweep"),
    ],
)
def test_what_cannot_be_is_refused(fakes, words: list[str], message: str, capsys):
    Path("sweep.toml").write_text(FILE)
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert not Path("s").exists() and not Path("nowhere").exists()


DRIVER = f"""
import os, sys
sys.path.insert(0, {HERE!r})
os.environ["PYTHONPATH"] = {HERE!r} + os.pathsep + os.environ.get("PYTHONPATH", "")
from pathlib import Path
from fakes import fake_task
from autotelic._documents import FileError
from autotelic.cli import main
from autotelic.sweeps import checking, folder
from autotelic.sweeps.naming import words_of
checking.ask = lambda cells, *_: [
    dict(words=words_of(cell.values, bool), epochs=40, learners=1, faults=[]) for cell in cells
]
folder.tasks = lambda where, plan, allowed=(): [
    fake_task(where, cell.name, 40, seconds=0.05) for cell in plan.cells
]
sys.exit(main(["sweep", "sweep.toml", "--out", "s"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_that_is_stopped_or_killed_goes_on(tmp_path: Path, number: int):
    (tmp_path / "sweep.toml").write_text(FILE)
    start = [sys.executable, "-c", DRIVER]
    with subprocess.Popen(start, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as driver:
        while not list(tmp_path.glob("s/runs/*/checkpoints/epoch-000002.json")):
            assert driver.poll() is None
            time.sleep(0.02)
        os.kill(driver.pid, number)
        _, error = driver.communicate()
    if number == signal.SIGINT:
        assert driver.returncode == 130
        assert "the same command goes on" in error
    assert not list(tmp_path.glob("s/runs/*/skills.npz"))
    assert subprocess.run(start, cwd=tmp_path, check=False).returncode == 0
    for run in tmp_path.glob("s/runs/*"):
        lines = (run / "history.csv").read_text().splitlines()
        assert lines == ["member,epoch", *(f"0,{epoch}" for epoch in range(40))]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *((name, 0) for name in ("sweep.toml", "sweep.toml.partial", "sweep.json.partial", "stop")),
        *(
            (name, 2)
            for name in (".lock", "runs", "runs/objective=a", "state", "state/x.train.log")
        ),
    ],
)
def test_a_sweep_writes_to_no_file_outside_its_folder(fakes, name: str, code: int, capsys):
    target, path = Path("precious").absolute(), Path("s") / name
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    target.write_bytes(b"dear") if "." in name or name == "stop" else target.mkdir()
    assert sweep(FILE) == code
    assert target.read_bytes() == b"dear" if target.is_file() else not list(target.iterdir())
    if code:
        assert "is a link" in capsys.readouterr().err and not Path("s/sweep.json").exists()


def test_a_run_whose_lock_is_no_lock_is_waited_for_by_nobody(tmp_path: Path):
    """The run itself says what is wrong."""
    (tmp_path / ".lock").symlink_to("precious")
    worker._wait_until_free(str(tmp_path))
    assert not (tmp_path / "precious").exists()


def test_an_evaluation_that_is_no_file_is_not_left_out_in_silence(tmp_path: Path):
    run = tmp_path / "runs" / "a"
    run.mkdir(parents=True)
    os.mkfifo(run / "evaluation.json")
    with pytest.raises(FileError, match=r"evaluation\.json: it is no regular file"):
        results.lines(tmp_path, [checking.Checked("a", {}, [], 3, 1)])


def test_all_estimates_are_one_table(tmp_path: Path):
    cells = [checking.Checked(f"n={n}", {"n": n, "m": [1]}, [], 3, 1) for n in (1, 2)]
    words = {"meaning": "", "better": "high"}
    how = {"epochs": 3, "per_goal": 2, "steps": 5, "seed": 0}
    rest = {"setting": how, "confidence": 0.95, "alarms": [], "diverged": []}
    metrics = {
        "x": {"label": "the x", "headline": True, **words},
        "y": {"label": "y", "headline": False, **words},
    }
    for cell in cells:
        run = tmp_path / "runs" / cell.name
        run.mkdir(parents=True)
        row = {"method": "dp", "trained": True, "metric": "x", "seeds": 2}
        row |= {"estimate": cell.values["n"] / 4, "low": 0.125, "high": 0.75}
        null = {**row, "trained": False, "estimate": 0.0, "low": None, "high": None}
        content = {"summary": [row, null], "metrics": metrics}
        write_evaluated(run, {**content, **rest}, b"")
    found = results.lines(tmp_path, cells)
    text = results.write(tmp_path, found).read_text().splitlines()
    assert text[0] == "run,n,method,trained,metric,seeds,estimate,low,high"
    assert text[1] == "n=1,1,dp,True,x,2,0.25,0.125,0.75"
    assert text[4] == "n=2,2,dp,False,x,2,0.0,,"
    assert results.labels(tmp_path, found) == {"x": "the x"}
    shown = results.by_method(found)
    assert list(shown) == [("n=1", "dp"), ("n=1", "untrained"), ("n=2", "dp"), ("n=2", "untrained")]
    assert results.text(shown["n=2", "dp"]["x"]) == "0.500 (0.125 to 0.750)"


def test_a_run_of_a_sweep_is_what_train_does_with_the_same_words(tmp_path: Path, monkeypatch):
    """From the file to the end in real processes: checked, trained, and not trained again."""
    (tmp_path / "sweep.toml").write_text(
        """
environment = "navigation2d"
methods = ["diayn", "dp:offset=5,smoothing=5"]
seeds = 1
num-goals = 3
steps-per-epoch = 20
hidden-units = 8
batch-size = 8
first-update = 8
replay-capacity = 60
[grid]
epochs = [3]
"""
    )
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", "sweep.toml", "--out", "s"]) == 0
    monkeypatch.setenv("AUTOTELIC_CORES", "1")
    assert main(train_words(tmp_path / "alone", 3)) == 0
    for name in ("history.csv", "skills.npz"):
        of_sweep = (tmp_path / "s/runs/epochs=3" / name).read_bytes()
        assert of_sweep == (tmp_path / "alone" / name).read_bytes()
    assert main(["sweep", "sweep.toml", "--out", "s"]) == 0
