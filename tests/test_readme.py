"""What the README shows runs as it stands."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

README = Path(__file__).parents[1] / "README.md"


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [block for word, block in found if word == language]


class StubAgent:
    """Learns nothing, and says so with random posteriors; visits differ in length."""

    def __init__(self):
        self.generator = np.random.default_rng(0)
        self.goals = []

    def practise(self, goal: int) -> Any:
        self.goals.append(goal)
        steps = int(self.generator.integers(2, 300))
        weights = self.generator.exponential(size=(steps, 20))
        return weights / weights.sum(axis=1, keepdims=True)


def test_the_loop_runs_as_written_with_visits_of_any_length():
    agent = StubAgent()
    [example] = [block for block in blocks("python") if "Curriculum" in block]
    names: dict[str, Any] = {"my_agent": agent}
    exec(compile(example, str(README), "exec"), names)
    assert len(agent.goals) == 500
    assert set(agent.goals) == set(range(names["curriculum"].num_goals))


@pytest.mark.slow
def test_the_commands_and_the_training_in_python_run_as_written(tmp_path: Path):
    lines = [line for block in blocks("") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    quickstart = ["autotelic", "report", "quickstart/run"]
    assert [c for c in commands if c[0] in ("make", "source")] == [
        ["make", "quickstart"],
        ["source", ".venv/bin/activate"],
    ]
    assert quickstart in commands  # of what `make quickstart` made, which has tests of its own
    [trained] = [block for block in blocks("python") if "at.train" in block]
    programs = [c[1:] for c in commands if c[0] == "autotelic" and c != quickstart]
    assert [words[0] for words in programs] == ["train", "evaluate", "report"]
    calls = [[sys.executable, "-m", "autotelic", *words] for words in programs]
    calls += [[sys.executable, "-c", f"import autotelic as at\n{trained}"]]
    for call in calls:
        done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, env=os.environ)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs/nav/report.html").stat().st_size > 10_000
    assert (tmp_path / "effective_skills.pdf").stat().st_size > 1_000


def test_every_link_of_the_readme_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", README.read_text()):
        assert (README.parent / target).exists(), target
