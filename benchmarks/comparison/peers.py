"""Other libraries at the same batch, widths and update ratio, each in a virtual environment of its own."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

SCRIPTS = Path(__file__).parents[1] / "peers"
TORCH_VARIABLE = "AUTOTELIC_BENCH_TORCH"
"""Environment variable with the requirement to install PyTorch by, such as "torch==2.9.0"."""

LONGEST_INSTALLATION = 1800.0
LONGEST_RUN = 1800.0
MUJOCO = ("gymnasium[mujoco]", "mujoco<4")


class PeerUnavailable(RuntimeError):
    """A library could not be installed or run; says why."""


@dataclass(frozen=True)
class Peer:
    """A library to compare with.

    name: as tables call it; requirements: what pip installs, "torch" standing for what
    AUTOTELIC_BENCH_TORCH says; script: which of `SCRIPTS`, with the words that come first.
    """

    name: str
    requirements: tuple[str, ...]
    script: tuple[str, ...]


SB3 = Peer(
    "Stable-Baselines3 SAC",
    ("stable-baselines3", "torch", *MUJOCO),
    ("sac.py", "stable_baselines3"),
)
SBX = Peer("SBX SAC", ("sbx-rl", "torch", *MUJOCO), ("sac.py", "sbx"))
QDAX = Peer("QDax DIAYN", ("qdax",), ("qdax_diayn.py",))


class PeerTask(NamedTuple):
    """What a peer is to do; the same for all of them."""

    environment: str
    hidden_units: int
    batch_size: int
    steps: int
    repeats: int

    @property
    def flags(self) -> list[str]:
        """As the scripts spell it."""
        return [
            *("--environment", self.environment),
            *("--hidden", str(self.hidden_units)),
            *("--batch", str(self.batch_size)),
            *("--steps", str(self.steps)),
            *("--repeats", str(self.repeats)),
        ]


class PeerRates(NamedTuple):
    """Steps a second of every repeat, and the versions of what was measured."""

    rates: list[float]
    versions: dict[str, str]


def install(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's virtual environment under `cache`, made if it is not there."""
    requirements = [
        os.environ.get(TORCH_VARIABLE, "torch") if name == "torch" else name
        for name in peer.requirements
    ]
    folder = cache / peer.name.split()[0].lower()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed.json"
    wanted = json.dumps({"python": sys.version, "requirements": requirements})
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    # A fresh one: what a former attempt left behind may be half of it.
    venv.create(folder, clear=True, with_pip=True, symlinks=os.name != "nt")
    words = [python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    try:
        done = subprocess.run(
            [*words, *requirements], capture_output=True, text=True, timeout=LONGEST_INSTALLATION
        )
    except subprocess.TimeoutExpired as error:
        raise PeerUnavailable(
            f"{peer.name} was not installed within {LONGEST_INSTALLATION:g} s"
        ) from error
    if done.returncode:
        raise PeerUnavailable(f"{peer.name} cannot be installed: {reason(done.stderr)}")
    stamp.write_text(wanted)
    return python


def measure(peer: Peer, python: Path, task: PeerTask, *variants: Sequence[str]) -> list[PeerRates]:
    """One process for each of the variants (further words of the command), timed side by side."""
    words = [str(python), str(SCRIPTS / peer.script[0]), *peer.script[1:], *task.flags]
    with (
        tempfile.TemporaryDirectory() as folder,
        _started([[*words, *variant] for variant in variants], Path(folder)) as processes,
    ):
        for process in processes:
            _next_message(process, peer, "ready")
        for process in processes:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # one that has ended is found out below
                process.stdin.write("\n")
                process.stdin.flush()
        return [rates_of(_next_message(process, peer, "seconds")) for process in processes]


def rates_of(message: dict[str, Any]) -> PeerRates:
    """The rates that a script's last message tells of.

    >>> rates_of({"steps": 200, "seconds": [2.0, 1.0], "versions": {"sbx-rl": "0.25"}}).rates
    [100.0, 200.0]
    """
    rates = [message["steps"] / seconds for seconds in message["seconds"]]
    return PeerRates(rates, message["versions"])


def parse_message(line: str, key: str) -> dict[str, Any] | None:
    """The JSON object in a line of a script's output if it has the key; None for other chatter.

    >>> parse_message('{"ready": true}', "ready"), parse_message("Using cpu device", "ready")
    ({'ready': True}, None)
    """
    try:
        message = json.loads(line)
    except json.JSONDecodeError:
        return None
    return message if isinstance(message, dict) and key in message else None


def reason(errors: str) -> str:
    """The line of an error output that says what went wrong: the last that speaks of an error.

    >>> reason("WARNING: a\\nERROR: No matching distribution\\nnotice: b\\n\\n")
    'ERROR: No matching distribution'
    """
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()]
    return [*(lines or ["it said nothing"]), *telling][-1]


@contextmanager
def _started(
    commands: Sequence[Sequence[str]], folder: Path
) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes in an empty folder, where they may write what they like; all are gone at the end."""
    # A peer is to see its own packages, and its own default settings of XLA.
    hidden = ("PYTHONPATH", "XLA_FLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    processes: list[subprocess.Popen[str]] = []
    try:
        for index, command in enumerate(commands):
            with open(folder / f"{index}.stderr", "w") as errors:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    cwd=folder,
                    env=environment,
                )
            processes.append(process)
        timer = threading.Timer(LONGEST_RUN, lambda: [process.kill() for process in processes])
        timer.start()
        try:
            yield processes
        except _Silent as silent:
            errors = (folder / f"{processes.index(silent.process)}.stderr").read_text()
            raise PeerUnavailable(
                f"{silent.peer.name} stopped without a result: {reason(errors)}"
            ) from silent
        finally:
            timer.cancel()
    finally:
        for process in processes:
            process.kill()
            process.communicate()


class _Silent(Exception):
    """A process ended, or was ended, before it said what it was to say."""

    def __init__(self, process: subprocess.Popen[str], peer: Peer):
        self.process = process
        self.peer = peer


def _next_message(process: subprocess.Popen[str], peer: Peer, key: str) -> dict[str, Any]:
    """Wait for the message; what else the library prints is passed over."""
    assert process.stdout is not None
    for line in process.stdout:
        message = parse_message(line, key)
        if message is not None:
            return message
    raise _Silent(process, peer)
