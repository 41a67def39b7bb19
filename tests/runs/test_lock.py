import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autotelic.runs.lock import RunLock, RunLocked

HOLD = """
import sys
from autotelic.runs.lock import RunLock
with RunLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_is_named_and_a_kill_lets_go(tmp_path: Path):
    arguments = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with (
            pytest.raises(
                RunLocked, match=f"{tmp_path} is being trained by process {process.pid};"
            ),
            RunLock(tmp_path),
        ):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    with RunLock(tmp_path):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_it_is_free_again_afterwards_even_after_an_error(tmp_path: Path):
    folder = tmp_path / "new" / "run"
    with pytest.raises(ZeroDivisionError), RunLock(folder):
        _ = 1 / 0
    with (
        RunLock(folder),
        pytest.raises(RunLocked, match=f"by process {os.getpid()};"),
        RunLock(folder),
    ):
        pass
    with RunLock(folder):
        pass
