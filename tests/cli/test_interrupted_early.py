"""Ctrl-C before the first epoch: nothing is lost, and nothing crashes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import train_words


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_ctrl_c_while_programs_are_compiled_ends_as_said(tmp_path: Path, seconds: float):
    words = ["train", "navigation2d", "--methods", "diayn", "--seeds", "1", "--epochs", "1000"]
    command = [sys.executable, "-m", "autotelic", *words, "--out", str(tmp_path / "run")]
    # As a user compiles: nothing is kept from before, and without the flags that make tests compile fast.
    quick = ("XLA_FLAGS", "JAX_DISABLE_MOST_OPTIMIZATIONS")
    own = {name: value for name, value in os.environ.items() if name not in quick}
    own["JAX_COMPILATION_CACHE_DIR"] = str(tmp_path / "programs")
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=own,
    )
    assert process.stdout is not None
    assert "compiling" in process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    # Otherwise XLA's threads crash the process at its end (SIGSEGV).
    assert process.returncode == 130, said
    assert "--resume" in said.splitlines()[-1]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("loaded", ["numpy", "jaxlib", "autotelic.agents"])
def test_a_signal_while_packages_are_loaded_ends_the_command(tmp_path: Path, loaded: str, stop):
    words = train_words(tmp_path / "run", 100_000)
    command = [sys.executable, "-X", "importtime", "-m", "autotelic", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(line.split()[-1] == loaded for line in process.stderr)
        process.send_signal(stop)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted" in said  # among the lines of modules
    assert "Traceback" not in said and "KeyboardInterrupt" not in said
    assert not (tmp_path / "run").exists()
