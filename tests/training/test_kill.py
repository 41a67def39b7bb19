import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from saved_runs import assert_equals_what_was_saved, contents, save

from autotelic.runs import atomic
from autotelic.runs.store import CheckpointStore


class Killed(BaseException):
    pass


class Killer:
    """Lets `steps` writes, fsyncs, renames and deletions pass, and dies amid the next."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, steps: int):
        self.left = steps
        write, unlink, replace = atomic.Stream.write, os.unlink, os.replace

        def torn_write(stream: atomic.Stream, data: bytes) -> int:
            if not self.left:
                write(stream, bytes(data)[: len(bytes(data)) // 2])
            self.step()
            return write(stream, data)

        monkeypatch.setattr(atomic.Stream, "write", torn_write)
        monkeypatch.setattr(os, "fsync", lambda _: self.step())
        monkeypatch.setattr(os, "replace", lambda *names: [self.step(), replace(*names)])
        monkeypatch.setattr(os, "unlink", lambda path: [self.step(), unlink(path)])

    def step(self):
        if not self.left:
            raise Killed
        self.left -= 1


@pytest.mark.parametrize("rows_per_epoch", [3, pytest.param(10, marks=pytest.mark.thorough)])
def test_a_kill_at_any_step_loses_nothing_that_was_complete(tmp_path: Path, rows_per_epoch: int):
    def train(folder: Path, last_epoch: int) -> None:
        store = CheckpointStore(folder)
        start = assert_equals_what_was_saved(store, rows_per_epoch)
        for epoch in range(start + 1, last_epoch + 1):
            save(store, epoch, rows_per_epoch)

    never_stopped = tmp_path / "never stopped"
    with pytest.MonkeyPatch.context() as patch:
        killer = Killer(patch, 10**6)
        train(never_stopped, 4)
        steps = 10**6 - killer.left
    assert steps > 100  # else the steps are not those of the store
    reached = set()
    for step in range(steps):
        folder = tmp_path / str(step)
        with pytest.MonkeyPatch.context() as patch:
            Killer(patch, step)
            with pytest.raises(Killed):
                train(folder, 4)
        reached.add(assert_equals_what_was_saved(CheckpointStore(folder), rows_per_epoch))
        train(folder, 5)
        train(folder, 5)  # nothing is left to do, and nothing is done
        with_five = CheckpointStore(folder)
        assert assert_equals_what_was_saved(with_five, rows_per_epoch) == 5
        if step == 0:
            train(never_stopped, 5)
        assert contents(folder) == contents(never_stopped)  # no litter is left either
    assert reached == {0, 1, 2, 3, 4}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names descriptors as Linux does")
def test_the_manifest_is_named_when_all_else_is_durable_and_deleting_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store = CheckpointStore(tmp_path)
    save(store, 1, 10)
    save(store, 2, 10)
    calls = []
    fsync, replace, unlink = os.fsync, os.replace, os.unlink

    def record(verb: str, path: str) -> None:
        calls.append(f"{verb} {Path(path).name}")

    monkeypatch.setattr(
        os, "fsync", lambda n: [record("sync", os.readlink(f"/proc/self/fd/{n}")), fsync(n)]
    )
    monkeypatch.setattr(os, "replace", lambda a, b: [record("name", b), replace(a, b)])
    monkeypatch.setattr(
        os, "unlink", lambda path: [record("delete", path) if path.exists() else None, unlink(path)]
    )
    save(store, 3, 10)
    assert calls == [
        "sync epoch-000003.npz.partial",
        "name epoch-000003.npz",
        "sync checkpoints",
        "sync rows-000000023-000000030.npy.partial",
        "name rows-000000023-000000030.npy",
        "sync replay",
        "sync epoch-000003.json.partial",
        "name epoch-000003.json",
        "sync checkpoints",
        "delete epoch-000001.json",
        "delete epoch-000001.npz",
        "delete rows-000000003-000000010.npy",
    ]


SAVE_FOREVER = """
import sys
sys.path.insert(0, sys.argv[1])
from saved_runs import CheckpointStore, assert_equals_what_was_saved, save
store = CheckpointStore(sys.argv[2])
epoch = assert_equals_what_was_saved(store)
while True:
    epoch += 1
    save(store, epoch)
    print(epoch, flush=True)
"""


def test_sigkill_while_saving(tmp_path: Path):
    arguments = [sys.executable, "-c", SAVE_FOREVER, str(Path(__file__).parent), str(tmp_path)]
    last = 0
    for kill_after in (1, 2, 5, 9):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = [int(process.stdout.readline()) for _ in range(kill_after)]
            process.send_signal(signal.SIGKILL)  # while it saves the next one
            assert process.wait() == -signal.SIGKILL
        assert said[0] == last + 1
        last = assert_equals_what_was_saved(CheckpointStore(tmp_path))
        assert last >= said[-1]
