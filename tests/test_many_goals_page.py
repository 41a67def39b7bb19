"""The page on many goals at once runs as written."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autotelic as at

PAGE = Path(__file__).parents[1] / "docs/many_goals.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def run(number: int, **names: Any) -> dict[str, Any]:
    names |= {"at": at}
    exec(compile(BLOCKS[number], str(PAGE), "exec"), names)
    return names


def test_the_first_lines():
    curriculum = run(0)["curriculum"]
    assert len(curriculum.in_flight) == 0 and curriculum.metrics()["told"] == 7


def test_vectorised_environments():
    gymnasium = pytest.importorskip("gymnasium")

    class Reach(gymnasium.Env):
        action_space = observation_space = gymnasium.spaces.Discrete(3)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.goal, self.time = options["goal"], 0
            return self.goal, {}

        def step(self, action: Any) -> Any:
            self.time += 1
            return self.goal, 0.0, self.time == 5, False, {"is_success": self.goal == 1}

    gymnasium.register("Reach-v0", Reach, disable_env_checker=True)
    try:
        names = run(1, gymnasium=gymnasium, goals=[0, 1, 2], my_agent=lambda seen: 0 * seen)
    finally:
        del gymnasium.registry["Reach-v0"]
    # A hundred steps are sixteen episodes of five steps and one of reset, and four steps.
    assert names["envs"].curriculum.metrics()["told"] == 64 * 16


def test_a_simulator_of_robots():
    begun: dict[int, int] = {}

    def begin(env: Any, ids: Any, goals: Any) -> None:
        begun.update(zip(ids.tolist(), goals.tolist(), strict=True))

    names = run(2, begin_at_segment=begin, CurriculumTermCfg=SimpleNamespace)
    terminated = np.zeros(64, dtype=bool)
    env = SimpleNamespace(num_envs=64, termination_manager=SimpleNamespace(terminated=terminated))
    term = names["settings"]["segments"].func
    for _ in range(4):
        term(env, np.arange(64))
    assert set(begun) == set(range(64)) and set(begun.values()) == set(range(50))
    assert names["curriculum"].metrics()["told"] == 3 * 64


def test_prompts_of_a_language_model():
    generator = np.random.default_rng(0)
    rates = np.where(np.arange(200) < 40, 0.5, 0.0)  # a fifth can be answered
    names = run(
        3,
        prompts=rates,
        my_model=lambda p: (generator.random((len(p), 8)) < p[:, None]).astype(float),
    )
    assert names["curriculum"].metrics()["useful"] > 0.4  # prompts drawn evenly: 0.2
