"""Runs as processes of this machine: what becomes of them, whoever dies."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes import HERE, fake_task

from autotelic.runs.lock import RunLock, is_held
from autotelic.sweeps.attempt import Attempt, Outcome, judge
from autotelic.sweeps.backends.local import Local
from autotelic.sweeps.folder import Record, epochs_done, read_record
from autotelic.sweeps.scheduler import Scheduler

LONGEST = 60.0


def until(what, longest: float = LONGEST) -> None:
    end = time.monotonic() + longest
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def outcome(attempt: Attempt) -> Outcome:
    until(lambda: attempt.process.poll() is not None)
    found = attempt.outcome()
    assert found is not None
    return found


def test_runs_end_alike_whether_killed_or_not_and_faults_stay_alone(tmp_path: Path):
    faults = {
        "a": "",
        "killed": "kill@2",
        "full": "full",
        "poisoned": "raise",
        "hopeless": "kill-always",
    }
    tasks = [fake_task(tmp_path, name, epochs=4, fault=fault) for name, fault in faults.items()]
    backend = Local(cores=1, parallel=2)
    Scheduler(tasks, backend, 1, lambda *_: None).run()
    found = {task.name: read_record(task) for task in tasks}
    assert {name: record.state for name, record in found.items()} == {
        "a": "done",
        "killed": "done",
        "full": "failed",
        "poisoned": "failed",
        "hopeless": "failed",
    }
    skills = [Path(task.run, "skills.npz").read_bytes() for task in tasks[:2]]
    histories = [Path(task.run, "history.csv").read_bytes() for task in tasks[:2]]
    assert skills[0] == skills[1] and histories[0] == histories[1]
    assert (found["killed"].attempts, found["hopeless"].attempts) == (2, 2)
    assert found["full"].note == "history.csv: No space left on device"
    assert found["poisoned"].note == "the environment failed in epoch 0: it is poisoned"
    assert "SIGKILL" in found["hopeless"].note and "out of memory" in found["hopeless"].note
    assert "poisoned" in tasks[3].log_file.read_text()


def test_a_run_is_told_its_cores_and_bound_to_them(tmp_path: Path):
    task = fake_task(tmp_path)
    attempt = Attempt(task._replace(cores=3), Record(), pin=sorted(os.sched_getaffinity(0))[:1])
    assert outcome(attempt).kind == "done"
    assert Path(task.run, "cores.txt").read_text() == "3 1"


def test_slots_are_cores_that_no_two_runs_share():
    usable = len(os.sched_getaffinity(0))
    backend = Local(cores=1)
    assert backend.slots == usable
    pins = [core for slot in backend.free for core in slot]
    assert sorted(pins) == sorted(os.sched_getaffinity(0))
    assert Local(cores=10 * usable).slots == 1
    assert Local(cores=10 * usable).free == [[]]  # more than there are: bound to none
    assert Local(cores=1, parallel=usable + 1).free == [[]] * (usable + 1)


def test_a_stopped_run_saves_itself_and_is_no_failure(tmp_path: Path):
    attempt = Attempt(fake_task(tmp_path, epochs=1000, seconds=0.05), Record())
    until(lambda: epochs_done(Path(attempt.task.run)) > 0)
    attempt.stop()
    attempt.stop()  # a second signal would be "at once" to a run
    assert outcome(attempt).kind == "stopped"
    assert not is_held(attempt.task.run)


def test_a_run_whose_driver_is_killed_saves_itself_and_another_goes_on(tmp_path: Path):
    """The driver dies by SIGKILL: it can do nothing for its runs."""
    driver = (
        "import time; from pathlib import Path; from fakes import fake_task\n"
        "from autotelic.sweeps.attempt import Attempt; from autotelic.sweeps.folder import Record\n"
        f"Attempt(fake_task(Path({str(tmp_path)!r}), epochs=6, seconds=0.3), Record())\n"
        "time.sleep(600)"
    )
    task = fake_task(tmp_path, epochs=6)
    with subprocess.Popen([sys.executable, "-c", driver], cwd=HERE) as process:
        until(lambda: epochs_done(Path(task.run)) > 0)
        process.send_signal(signal.SIGKILL)
    # It may still be in its epoch: the next attempt waits for it.
    assert outcome(Attempt(task, Record())).kind == "done"
    undisturbed = fake_task(tmp_path, "undisturbed", epochs=6)
    assert outcome(Attempt(undisturbed, Record())).kind == "done"
    for name in ("history.csv", "skills.npz"):
        assert Path(task.run, name).read_bytes() == Path(undisturbed.run, name).read_bytes()


def test_an_attempt_waits_for_the_process_that_still_has_the_run(tmp_path: Path):
    task = fake_task(tmp_path)
    with RunLock(task.run):
        attempt = Attempt(task, Record())
        until(lambda: any("being trained" in line for line in attempt.lines))
        assert attempt.outcome() is None
    assert outcome(attempt).kind == "done"


@pytest.mark.parametrize(
    ("code", "lines", "kind", "words"),
    [
        (-9, [], "lost", "out of memory"),
        (-11, [], "lost", "SIGSEGV"),
        (130, [], "lost", "stopped from outside"),
        (1, ["MemoryError"], "lost", "out of memory"),
        (1, ["Traceback", "XlaRuntimeError: RESOURCE_EXHAUSTED: x"], "lost", "out of memory"),
        (1, ["Traceback", "KeyError: 3", ""], "failed", "KeyError: 3"),
        (2, ["autotelic: refused"], "failed", "refused"),
        (3, [], "failed", "exit code 3"),
    ],
)
def test_how_an_end_is_judged(code: int, lines: list[str], kind: str, words: str):
    found = judge(code, lines)
    assert found.kind == kind
    assert words in found.sentence
