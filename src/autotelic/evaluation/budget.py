"""How much can be evaluated in a given time: trajectories of each skill, and their length.

The estimate is rough, so `evaluate` also looks at the clock, and stops after a whole seed.
"""

import statistics
import time
from typing import Any, NamedTuple

import numpy as np

from autotelic import _validate
from autotelic.environments import HostEnvironment
from autotelic.runs.run import Runs

FIRST_LOOK = 45.0
"""Seconds for who only wants to see: with what it takes to start and to compile about a minute."""
MOST, FEWEST = 20, 4
"""Trajectories of each skill: half of them are for the classifier to be fitted to."""
SHORTEST = 50
"""Steps of a trajectory that is cut short; an episode may be shorter."""
SECONDS_TO_JUDGE = 20e-6
"""A state takes about as long to be judged by classifiers and distances, wherever it is from."""
SHARE = 0.6
"""Of the time, for so many seeds as make an interval: compiling takes the rest."""


class Size(NamedTuple):
    """Of an evaluation: trajectories of each goal, and steps of each."""

    per_goal: int
    steps: int


def episode_of(runs: Runs) -> int:
    """The steps of a whole trajectory: an episode, or an epoch where there is no limit."""
    return runs.description["sizes"]["episode_length"] or runs.setting.steps_per_epoch


def affordable(runs: Runs, seconds: float, processes: int = 1) -> Size:
    """What fits into so many seconds for two seeds of every method, between the most and the fewest.

    First there are fewer trajectories, then shorter ones. Processes share the learners of a seed.
    """
    _validate.number("seconds", seconds, above=0)
    in_turn = -(-(len(runs.methods) + 1) // processes)  # of a seed, and the one before training
    learners = in_turn * min(2, len(runs.seeds))
    each = SHARE * seconds / learners / (_seconds_to_step(runs.environment) + SECONDS_TO_JUDGE)
    return size_of(each, runs.setting.num_goals, episode_of(runs))


def expected_seconds(runs: Runs, size: Size, learners: int) -> float:
    """About how long so many learners take one after the other, without compiling."""
    states = learners * runs.setting.num_goals * size.per_goal * size.steps
    return states * (_seconds_to_step(runs.environment) + SECONDS_TO_JUDGE)


def size_of(states: float, goals: int, episode: int) -> Size:
    """Trajectories with at most so many states of a learner, if the fewest and shortest have no more.

    >>> size_of(1_000_000, goals=20, episode=100)
    Size(per_goal=20, steps=100)
    >>> size_of(200_000, goals=20, episode=1000)
    Size(per_goal=10, steps=1000)
    >>> size_of(20_000, goals=20, episode=1000)
    Size(per_goal=4, steps=250)
    """
    per_goal = min(MOST, max(FEWEST, int(states / (goals * episode))))
    steps = int(states / (goals * per_goal))
    return Size(per_goal, min(episode, max(SHORTEST, steps)))


def _seconds_to_step(environment: Any) -> float:
    """The median time of a step of a host environment; one that is compiled takes next to none."""
    if not isinstance(environment, HostEnvironment):
        return 0.0
    seconds = []
    with environment.pool(1, [0]) as pool:
        pool.reset()
        for _ in range(20):
            start = time.perf_counter()
            pool.step(np.zeros((1, environment.action_size), np.float32))
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
