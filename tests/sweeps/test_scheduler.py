"""Tasks are brought to their ends: lost ones again, failed ones alone, all of them resumable."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from fakes import Scripted, fake_task

from autotelic.sweeps.attempt import Outcome
from autotelic.sweeps.backends.base import ClusterLost
from autotelic.sweeps.folder import Record, read_record, write_record
from autotelic.sweeps.scheduler import Scheduler

DONE, LOST = Outcome("done"), Outcome("lost", "the process was killed")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("autotelic.sweeps.scheduler.POLL", 0.001)


def states(tasks) -> dict[str, str]:
    return {task.name: read_record(task).state for task in tasks}


def test_as_many_run_at_a_time_as_fit_and_no_more_than_asked(tmp_path: Path):
    tasks = [fake_task(tmp_path, name) for name in "abcde"]
    for slots, parallel, most in [(2, None, 2), (3, 1, 1), (None, None, 5), (None, 4, 4)]:
        backend = Scripted({task.name: [DONE] for task in tasks}, slots)
        Scheduler(tasks, backend, 0, lambda *_: None, parallel).run()
        assert backend.most == most
        assert backend.closed
        assert set(states(tasks).values()) == {"done"}


def test_what_fails_fails_alone_and_what_is_lost_is_tried_again(tmp_path: Path):
    tasks = [fake_task(tmp_path, name) for name in "abc"]
    told: list[tuple[str, str]] = []
    backend = Scripted(
        {"a": [Outcome("failed", "poisoned")], "b": [LOST, LOST, DONE], "c": [DONE]}, 1
    )
    Scheduler(tasks, backend, 2, lambda *words: told.append(words)).run()
    assert states(tasks) == {"a": "failed", "b": "done", "c": "done"}
    assert backend.started == ["a", "b", "c", "b", "b"]
    assert read_record(tasks[0]).note == "poisoned"
    assert read_record(tasks[1]).attempts == 3
    assert ("a", "failed: poisoned") in told
    assert any(name == "b" and "tried again" in sentence for name, sentence in told)


def test_a_task_is_given_up_when_it_gets_no_further(tmp_path: Path):
    task = fake_task(tmp_path, epochs=9)
    checkpoints = Path(task.run) / "checkpoints"
    checkpoints.mkdir(parents=True)

    class Slow(Scripted):
        """Its first five attempts get an epoch further, the others no more."""

        def start(self, task, record):
            super().start(task, record)
            if len(self.started) <= 5:
                (checkpoints / f"epoch-{len(self.started):06}.json").touch()

    backend = Slow({"a": [LOST] * 99})
    Scheduler([task], backend, 2, lambda *_: None).run()
    assert len(backend.started) == 5 + 2
    record = read_record(task)
    assert record.state == "failed"
    assert "7 attempts" in record.note


def test_out_of_memory_leaves_more_room(tmp_path: Path):
    tasks = [fake_task(tmp_path, name) for name in "abc"]
    memory = Outcome("lost", "most often out of memory")
    backend = Scripted({"a": [memory, DONE], "b": [DONE], "c": [DONE]}, 3)
    scheduler = Scheduler(tasks, backend, 1, lambda *_: None)
    scheduler.run()
    assert scheduler.limit == 2
    assert states(tasks) == dict.fromkeys("abc", "done")


def test_what_cannot_even_begin_fails_with_its_reason(tmp_path: Path):
    class Full(Scripted):
        def start(self, task, record):
            if task.name == "a":
                raise OSError(28, "No space left on device", str(tmp_path))
            super().start(task, record)

    tasks = [fake_task(tmp_path, name) for name in "ab"]
    Scheduler(tasks, Full({"b": [DONE]}), 3, lambda *_: None).run()
    assert states(tasks) == {"a": "failed", "b": "done"}
    assert "No space left" in read_record(tasks[0]).note


def test_what_is_done_is_not_started(tmp_path: Path):
    task = fake_task(tmp_path, epochs=1)
    (Path(task.run) / "checkpoints").mkdir(parents=True)
    (Path(task.run) / "checkpoints" / "epoch-000001.json").touch()
    (Path(task.run) / "skills.npz").touch()
    backend = Scripted({})
    write_record(task, Record("failed", note="given up"))
    Scheduler([task], backend, 0, lambda *_: None).run()
    assert backend.started == []
    assert (read_record(task).state, read_record(task).note) == ("done", "")


def test_one_interrupt_stops_all_and_nothing_new_begins(tmp_path: Path):
    tasks = [fake_task(tmp_path, name) for name in "abc"]
    backend = Scripted({"a": [None], "b": [None], "c": [None]}, 2)

    def press() -> None:
        while len(backend.running) < 2:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        Scheduler(tasks, backend, 0, lambda *_: None).run()
    assert backend.started == ["a", "b"]
    assert states(tasks) == dict.fromkeys("abc", "waiting")


def test_a_lost_cluster_ends_the_sweep_and_no_run_is_to_blame(tmp_path: Path):
    class Gone(Scripted):
        def poll(self):
            raise ClusterLost("gone")

    tasks = [fake_task(tmp_path, name) for name in "ab"]
    backend = Gone({})
    with pytest.raises(ClusterLost):
        Scheduler(tasks, backend, 0, lambda *_: None).run()
    assert backend.closed
    assert "failed" not in states(tasks).values()
