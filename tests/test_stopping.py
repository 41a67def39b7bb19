"""Stop signals, in programs of their own: they end a command at any moment."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LISTENING = """
import gc, os, signal, subprocess, sys, time
from autotelic import _stopping
_stopping.listen()
"""
IN_A_CALLBACK = """
def collected(phase, information):
    gc.callbacks.clear()
    signal.raise_signal(signal.SIGTERM)

gc.callbacks.append(collected)
print("printed before")
gc.collect()
time.sleep(30)
"""
WITH_A_FAREWELL = """
with _stopping.saying(lambda: "two epochs are saved"):
    signal.raise_signal(signal.SIGINT)
    time.sleep(30)
"""
WITH_A_CHILD = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
signal.raise_signal(signal.SIGTERM)
time.sleep(30)
"""
ANSWERED = """
from autotelic.training.interruption import Interruption

with Interruption() as interruption:
    signal.raise_signal(signal.SIGTERM)
    time.sleep(0.5)
    print(interruption.requested, flush=True)
    for _ in range(2):
        try:
            signal.raise_signal(signal.SIGTERM)
            time.sleep(30)
        except KeyboardInterrupt:
            print("raised", flush=True)
    time.sleep(30)
"""
FORKED = """
child = os.fork()
if child == 0:
    time.sleep(30)
    os._exit(1)
time.sleep(0.1)
os.kill(child, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
time.sleep(1.0)
print("goes on")
"""
COMMAND = """
import sys, time, types
from autotelic import cli

def main(words):
    print("ready", flush=True)
    {work}

sys.modules["working"] = types.SimpleNamespace(main=main)
cli.COMMANDS["evaluate"] = cli.COMMANDS["evaluate"]._replace(module="working")
sys.argv = ["autotelic", "evaluate"]
cli.run()
"""


def ended(code: str) -> tuple[int, str]:
    """How a program ends that listens, and what it says."""
    done = subprocess.run(
        [sys.executable, "-c", LISTENING + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=25,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_signal_in_a_callback_ends_the_process_and_nothing_printed_is_lost():
    code, said = ended(IN_A_CALLBACK)
    assert (code, sorted(said.splitlines())) == (130, ["interrupted", "printed before"])


def test_the_process_ends_with_the_farewell_of_the_part_that_it_is_in():
    assert ended(WITH_A_FAREWELL) == (130, "two epochs are saved\n")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of children")
def test_processes_that_were_started_end_too():
    code, said = ended(WITH_A_CHILD)
    child = int(said.splitlines()[0])
    assert code == 130
    status, patience = Path(f"/proc/{child}/status"), 15.0
    while status.exists() and "State:\tZ" not in status.read_text():
        time.sleep(0.1)  # it is killed as soon as it gets a core
        patience -= 0.1
        assert patience > 0


def test_a_part_that_answers_hears_two_signals_and_the_third_ends_the_process():
    code, said = ended(ANSWERED)
    assert (code, said.splitlines()[:2]) == (130, ["True", "raised"])
    assert "interrupted" in said


def test_a_signal_to_a_forked_process_is_none_to_this_one():
    assert ended(FORKED) == (0, f"{-signal.SIGTERM}\ngoes on\n")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(30)",
        # As XLA does with what a callback raises, and packages that drop everything.
        "\n    try: time.sleep(30)\n    except KeyboardInterrupt: raise RuntimeError('INTERNAL')",
        "\n    try: time.sleep(30)\n    except KeyboardInterrupt: return",
    ],
)
def test_every_command_ends_with_130(work: str, stop: signal.Signals):
    with started(COMMAND.format(work=work)) as process:
        process.send_signal(stop)
        said, _ = process.communicate(timeout=20)
    assert (process.returncode, said) == (130, "interrupted\n")


def test_signals_are_heard_before_anything_large_is_loaded():
    code = "import sys, autotelic.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "autotelic._stopping" in loaded.split()
    assert not {"numpy", "jax", "rich", "tyro"} & set(loaded.split())


def started(code: str) -> "subprocess.Popen[str]":
    """A program that has said that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)  # it says so a moment before it works
    return process
