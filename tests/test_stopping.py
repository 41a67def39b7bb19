"""Stop signals, in programs of their own: they end a command however an exception is lost on its way."""

import signal
import subprocess
import sys
import time

import pytest

LISTENING = """
import gc, os, signal, sys, time
from autotelic import _stopping
_stopping.PATIENCE = {patience}
_stopping.listen()
"""
DROPPED = """
def collected(phase, information):
    gc.callbacks.clear()
    signal.raise_signal(signal.SIGTERM)

gc.callbacks.append(collected)
try:
    gc.collect()
    time.sleep(30)
except KeyboardInterrupt:
    print("raised again", flush=True)
    _stopping.leave(130)
"""
SWALLOWED = """
with _stopping.saying(lambda: "two epochs are saved"):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        pass
    time.sleep(30)
"""
DEAF = """
print("ready", flush=True)
while True:
    try:
        time.sleep(30)
    except KeyboardInterrupt:
        print("heard", flush=True)
"""
ANSWERED = """
from autotelic.training.interruption import Interruption

with Interruption() as interruption:
    signal.raise_signal(signal.SIGTERM)
    time.sleep(0.5)
    print(interruption.requested, flush=True)
    try:
        signal.raise_signal(signal.SIGTERM)
    except KeyboardInterrupt:
        print("at once", flush=True)
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


def ended(code: str, patience: float = 30.0) -> tuple[int, str]:
    """How a program ends that listens, and what it says."""
    words = [sys.executable, "-c", LISTENING.format(patience=patience) + code]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=25, check=False
    )
    return done.returncode, done.stdout


def test_an_interruption_that_python_drops_in_a_callback_is_raised_again():
    assert ended(DROPPED) == (130, "raised again\n")


def test_one_that_a_package_swallows_ends_the_process_with_the_farewell():
    assert ended(SWALLOWED, patience=0.3) == (130, "two epochs are saved\n")


def test_a_part_that_answers_has_the_time_it_needs_until_the_second_signal():
    assert ended(ANSWERED, patience=0.2) == (130, "True\nat once\ninterrupted\n")


def test_a_signal_to_a_forked_process_is_none_to_this_one():
    assert ended(FORKED, patience=0.2) == (0, f"{-signal.SIGTERM}\ngoes on\n")


def test_the_second_signal_ends_the_process_at_once():
    with started(LISTENING.format(patience=30.0) + DEAF) as process:
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "heard\n"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    assert (process.returncode, said) == (130, "interrupted\n")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(30)",
        # As XLA does with what a callback raises.
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
