# pyright: reportMissingImports=false
"""Slurm through submitit, with its executors that need no cluster; preemption by its signals."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from fakes import fake_task

from autotelic.sweeps.backends.slurm import Slurm
from autotelic.sweeps.folder import epochs_done, read_record
from autotelic.sweeps.scheduler import Scheduler

pytest.importorskip("submitit")
pytestmark = pytest.mark.filterwarnings("ignore")


def on(sweep: Path, cluster: str, **options) -> Slurm:
    return Slurm(sweep, 1, {"cluster": cluster, "timeout_min": 10, **options})


@pytest.mark.parametrize("cluster", ["debug", "local"])
def test_jobs_end_and_failures_come_back_with_their_sentence(tmp_path: Path, cluster: str):
    tasks = [fake_task(tmp_path, "a"), fake_task(tmp_path, "b", fault="raise")]
    Scheduler(tasks, on(tmp_path, cluster), 0, lambda *_: None).run()
    assert [read_record(task).state for task in tasks] == ["done", "failed"]
    assert "it is poisoned" in read_record(tasks[1]).note


def job_process(backend: Slurm) -> int:
    """The process that submitit's local executor has for its job, below the one that restarts it."""
    controller = backend.jobs[0][0].job_id
    found = subprocess.run(["pgrep", "-P", controller], capture_output=True, text=True, check=False)
    return int(found.stdout.split()[0])


@pytest.mark.parametrize("number", [signal.SIGUSR2, signal.SIGTERM])
def test_a_preempted_job_saves_its_run_and_goes_on(tmp_path: Path, number: int):
    """SIGUSR2 is submitit's, and the job is queued again; SIGTERM is Slurm's own, before it kills."""
    task = fake_task(tmp_path, epochs=12, seconds=0.4)
    backend, saved, told = on(tmp_path, "local"), [], []

    def preempt() -> None:
        while epochs_done(Path(task.run)) < 2:
            time.sleep(0.05)
        os.kill(job_process(backend), number)
        asked = time.monotonic()
        while not Path(task.run, "ended-130").exists() and time.monotonic() - asked < 30:
            time.sleep(0.02)
        saved.append((time.monotonic() - asked, epochs_done(Path(task.run))))

    thread = threading.Thread(target=preempt)
    thread.start()
    Scheduler([task], backend, 1, lambda *words: told.append(words)).run()
    thread.join()
    seconds, epoch = saved[0]
    assert seconds < 10  # the epoch under way takes 0.4 s, and Slurm gives 90 s by default
    assert 2 <= epoch < 12
    assert read_record(task).state == "done"
    lines = Path(task.run, "history.csv").read_text().splitlines()
    assert lines == ["member,epoch", *(f"0,{epoch}" for epoch in range(12))]
    lost = [sentence for _, sentence in told if "tried again" in sentence]
    assert len(lost) == (number == signal.SIGTERM)


def test_ctrl_c_stops_jobs_elsewhere_by_a_file(tmp_path: Path):
    task = fake_task(tmp_path, epochs=1000, seconds=0.1)
    backend = on(tmp_path, "local")

    def press() -> None:
        while epochs_done(Path(task.run)) < 1:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        Scheduler([task], backend, 0, lambda *_: None).run()
    assert read_record(task).state == "waiting"
    assert not (tmp_path / "stop").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cluster": "local"}, "timeout_min"),
        ({"cluster": "local", "timeout_min": "long"}, "timeout_min"),
        ({"cluster": "local", "timeout_min": 5, "partitoin": "x"}, "partitoin"),
        ({"cluster": "nowhere", "timeout_min": 5}, "nowhere"),
        ({"timeout_min": 5}, "sbatch"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, options: dict, words: str, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match=words):
        Slurm(tmp_path, 1, options)
