"""The README's first example with a curriculum runs as written."""

import re
from pathlib import Path
from typing import Any

import numpy as np

import autotelic as at

README = Path(__file__).parents[1] / "README.md"


class StubAgent:
    """Learns nothing, and says so with random posteriors."""

    def __init__(self):
        self.generator = np.random.default_rng(0)
        self.goals = []

    def run_epoch(self, goal: int, prior: Any):
        assert prior.min() > 0
        self.goals.append(goal)
        weights = self.generator.exponential(size=(1000, len(prior)))
        return weights / weights.sum(axis=1, keepdims=True)


def curriculum_example():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    return next(block for block in blocks if "Curriculum" in block)


def test_the_readmes_example_runs_as_written():
    agent = StubAgent()
    saved = at.Curriculum(at.DiversityProgress(750, 250), num_goals=20).state_dict()
    # The names that the example leaves to the reader.
    names = {"my_agent": agent, "MySelector": at.RoundRobin, "d": saved}
    exec(compile(curriculum_example(), str(README), "exec"), names)
    curriculum = names["curriculum"]
    assert sorted(agent.goals[: curriculum.num_goals]) == list(range(curriculum.num_goals))
    assert len(agent.goals) > curriculum.num_goals
