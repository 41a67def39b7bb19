"""The conversation with a peer's process, played by small scripts of our own."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.comparison import peers
from benchmarks.comparison.peers import Peer, PeerTask, PeerUnavailable

TASK = PeerTask("navigation2d", hidden_units=32, batch_size=128, steps=100, repeats=2)
PYTHON = Path(sys.executable)

POLITE = """
import json, sys
print("Using cpu device")
print(json.dumps({"ready": True}), flush=True)
assert sys.stdin.readline() == "\\n"
seconds = [float(sys.argv[-1]), 4.0]
print("[1, 2]")
print(json.dumps({"steps": 100, "seconds": seconds, "versions": {"polite": "1.0"}}))
"""


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "SCRIPTS", tmp_path)
    return tmp_path


def test_processes_side_by_side_each_give_their_rates(scripts):
    (scripts / "polite.py").write_text(POLITE)
    found = peers.measure(Peer("Polite", (), ("polite.py",)), PYTHON, TASK, ["1.0"], ["2.0"])
    assert [one.rates for one in found] == [[100.0, 25.0], [50.0, 25.0]]
    assert found[0].versions == {"polite": "1.0"}


def test_all_are_told_the_same_task(scripts):
    script = """
import json, sys
print(json.dumps({"ready": True}), flush=True)
print(json.dumps({"steps": 1, "seconds": [], "versions": {"words": sys.argv[1:]}}))
"""
    (scripts / "echo.py").write_text(script)
    (found,) = peers.measure(Peer("Echo", (), ("echo.py", "first")), PYTHON, TASK, ["--last"])
    assert found.versions["words"] == [
        *("first", "--environment", "navigation2d", "--hidden", "32", "--batch", "128"),
        *("--steps", "100", "--repeats", "2", "--last"),
    ]


def test_a_process_that_dies_says_why(scripts):
    (scripts / "dying.py").write_text("import sys\nprint('hello')\nraise ImportError('no torch')")
    with pytest.raises(
        PeerUnavailable, match=r"Dying stopped without a result: ImportError: no tor"
    ):
        peers.measure(Peer("Dying", (), ("dying.py",)), PYTHON, TASK, [])


def test_a_process_that_takes_too_long_is_stopped(scripts, monkeypatch):
    monkeypatch.setattr(peers, "LONGEST_RUN", 0.05)
    (scripts / "slow.py").write_text("import time\ntime.sleep(60)")
    with pytest.raises(PeerUnavailable, match="Slow stopped without a result"):
        peers.measure(Peer("Slow", (), ("slow.py",)), PYTHON, TASK, [])


@pytest.mark.thorough
def test_a_peer_that_cannot_be_installed_says_why(tmp_path):
    missing = Peer("Missing one", (str(tmp_path / "no_such_package"),), ())
    with pytest.raises(PeerUnavailable, match=r"Missing one cannot be installed: ERROR"):
        peers.install(missing, tmp_path)
    assert not (tmp_path / "missing" / "installed.json").exists()


def test_an_installed_peer_is_not_installed_again(tmp_path, monkeypatch):
    nothing = Peer("Nothing", ("torch",), ())
    folder = tmp_path / "nothing"
    folder.mkdir()
    wanted = {"python": sys.version, "requirements": ["torch==1.2.3"]}
    (folder / "installed.json").write_text(json.dumps(wanted))
    monkeypatch.setenv(peers.TORCH_VARIABLE, "torch==1.2.3")
    monkeypatch.setattr(peers.venv, "create", lambda *a, **k: pytest.fail("it is there"))
    assert peers.install(nothing, tmp_path).parent.parent == folder


@pytest.mark.parametrize("line", ["", "3", "[1]", '{"other": 1}', "{'ready': True}", "{"])
def test_chatter_is_no_message(line):
    assert peers.parse_message(line, "ready") is None


def test_every_peer_has_its_script():
    for peer in (peers.SB3, peers.SBX, peers.QDAX):
        assert (peers.SCRIPTS / peer.script[0]).is_file()
