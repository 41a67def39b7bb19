"""How much fits into a given time, and an evaluation that stops after a whole seed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autotelic.evaluation import budget
from autotelic.evaluation.budget import FEWEST, MOST, SHORTEST, Size, affordable, size_of
from autotelic.evaluation.evaluate import evaluate
from autotelic.runs.run import Runs


@given(st.floats(1.0, 1e9), st.integers(2, 200), st.integers(1, 2000), st.floats(1.0, 100.0))
def test_more_time_gives_no_smaller_sample_and_never_more_than_fits(
    states: float, goals: int, episode: int, factor: float
):
    size, larger = size_of(states, goals, episode), size_of(states * factor, goals, episode)
    assert FEWEST <= size.per_goal <= MOST and 1 <= size.steps <= episode
    assert larger >= size
    smallest = goals * FEWEST * min(SHORTEST, episode)
    assert goals * size.per_goal * size.steps <= max(states, smallest)
    if size.per_goal > FEWEST:
        assert size.steps == episode  # trajectories are cut short last


def runs_of(environment: Any, methods: int = 3, seeds: int = 5, episode: int = 1000) -> Any:
    return SimpleNamespace(
        methods=[f"method {number}" for number in range(methods)],
        seeds=list(range(seeds)),
        setting=SimpleNamespace(num_goals=20, steps_per_epoch=1000),
        description={"sizes": {"episode_length": episode}},
        environment=environment,
    )


class Slow:
    """A host environment whose clock is its own: a step takes a fixed time."""

    observation_size, action_size, episode_length = 2, 3, 1000

    def __init__(self) -> None:
        self.now = 0.0

    def pool(self, num_members: int, seeds: list[int]) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...

    def reset(self) -> np.ndarray:
        return np.zeros((1, 2))

    def step(self, actions: np.ndarray) -> None:
        assert actions.shape == (1, 3)
        self.now += 180e-6


def test_a_slow_environment_has_fewer_and_shorter_trajectories(monkeypatch: pytest.MonkeyPatch):
    slow = Slow()
    monkeypatch.setattr(budget.time, "perf_counter", lambda: slow.now)
    # 60 % of the time for 3 + 1 learners of two seeds; 180 us to step and 20 us to judge a state.
    # A little over 800 s: 300,000 states of a learner, 15 of each of 20 goals with 1000 steps.
    assert affordable(runs_of(slow), 800.01) == Size(15, 1000)
    # Over 53 1/3 s: 20,000 states, 4 trajectories of 250 steps.
    assert affordable(runs_of(slow), 53.3334) == Size(4, 250)
    # One seed has half as many learners.
    assert affordable(runs_of(slow, seeds=1), 53.3334) == Size(4, 500)
    # Two processes share a seed's four learners; with three of them the fourth learner waits.
    assert affordable(runs_of(slow), 53.3334, processes=2) == Size(4, 500)
    assert affordable(runs_of(slow), 53.3334, processes=3) == Size(4, 500)


def test_without_a_time_to_step_judging_decides():
    # 60 % of 53 1/3 s for 8 learners at 20 us are 200,000 states: 10 of each of 20 goals.
    assert affordable(runs_of(object()), 53.3334) == Size(10, 1000)
    with pytest.raises(ValueError, match="seconds must be greater than 0, got 0"):
        affordable(runs_of(object()), 0)


@pytest.mark.thorough
def test_an_evaluation_out_of_time_is_of_whole_seeds(runs: Runs):
    whole = evaluate(runs, per_goal=4)
    patient = evaluate(runs, per_goal=4, seconds=1e9)
    assert patient.table.equals(whole.table)
    told: list[tuple[int, int]] = []
    hurried = evaluate(
        runs, per_goal=4, seconds=1e-9, progress=lambda *numbers: told.append(numbers)
    )
    assert set(hurried.table["seed"]) == {runs.seeds[0]}
    assert told[-1] == (len(runs.methods) + 1, len(runs.members) + len(runs.seeds))
    # What needs no common scale is what it is with all seeds.
    own = hurried.table.query("metric == 'held_out_accuracy'")
    first = whole.table.query("metric == 'held_out_accuracy' and seed == @runs.seeds[0]")
    assert own.values.tolist() == first.values.tolist()
    assert {row.low for row in hurried.summary()} == {None}
