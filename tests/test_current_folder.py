"""The current folder may be one that somebody sent: no process of ours takes a module from it unasked."""

import re
import subprocess
from pathlib import Path

import pytest
from fakes import fake_task

import autotelic
from autotelic._helping import Helpers
from autotelic._modules import PYTHON
from autotelic.environments.backends import Processes
from autotelic.sweeps.attempt import Attempt, Outcome
from autotelic.sweeps.checking import ask
from autotelic.sweeps.folder import Record
from autotelic.sweeps.grid import Cell

COMMON = ("json", "pickle", "struct", "numpy", "tyro", "selectors", "logging", "types", "runpy")
"""Modules that every process needs, of Python's own and others."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In the current folder all of them are a stranger's, who leaves a file behind."""
    for name in COMMON:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'PWNED')!r}, 'a').write('{name} ')"
        )
    monkeypatch.chdir(tmp_path)
    yield
    assert not (tmp_path / "PWNED").exists(), (tmp_path / "PWNED").read_text()


def test_processes_of_an_environment():
    backend = Processes("CartPole-v1", {}, 1)
    backend.close()


def test_processes_of_an_evaluation():
    with Helpers(1) as helpers:
        assert dict(helpers.share(abs, [-3, -4])) == {-3: 3, -4: 4}
        assert len(helpers.alive) == 1


def test_the_process_that_checks_a_sweep_file():
    values = {"environment": "navigation2d", "methods": ["dp"], "epochs": 3, "seeds": 1}
    (answer,) = ask([Cell("a", values, {}, 1)], Path("s"))
    assert answer["faults"] == [] and answer["learners"] == 1


def test_the_process_of_a_run(tmp_path: Path):
    task = fake_task(tmp_path / "s")._replace(directory=str(tmp_path), module="autotelic")
    attempt = Attempt(task._replace(words=["--version"]), Record())
    assert attempt.process.wait(60) == 0 and attempt.outcome() == Outcome("done")


@pytest.mark.parametrize("module", ["report.films", "playing.film"])
def test_processes_that_draw(module: str):
    """They fail for want of an order, after they have loaded all that they need."""
    words = [*PYTHON, "-m", f"autotelic.{module}"]
    done = subprocess.run(words, input=b"", capture_output=True, check=False)
    assert b"EOFError" in done.stderr or b"missing 4 required" in done.stderr


def test_there_are_no_others():
    """Who starts Python names it so, or in a window of `safe_path`."""
    folder = Path(autotelic.__file__).parent
    found = {
        str(path.relative_to(folder)): len(re.findall(r"sys\.executable|get_context", text))
        for path in folder.rglob("*.py")
        if "executable" in (text := path.read_text()) or "get_context" in text
    }
    assert found == {
        "_modules.py": 1,
        "environments/backends.py": 1,
        "commands/quickstart.py": 1,  # a line to copy
        "benchmark/environments.py": 1,  # the bench opens nothing that others made
    }
