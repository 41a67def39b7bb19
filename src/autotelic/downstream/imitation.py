"""Imitation: the goal under which a trajectory is most probable, and how near following it comes (DIAYN)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.downstream.episodes import Plan, at_random, episodes, held, in_turn
from autotelic.downstream.own_environment import own_environment
from autotelic.downstream.tasks import TaskFor
from autotelic.environments.tasks import TASKS
from autotelic.evaluation.statistics import Interval, mean_interval, paired_difference
from autotelic.runs import atomic
from autotelic.skills import Skills
from autotelic.skills.judges import START, STATE

FILE = "imitation.json"
IMITATED, RANDOM, ROUND_ROBIN = "imitated skill", "random skill", "round-robin"
SMALLEST = 1e-30
"""A probability is taken for no less, as its logarithm is."""


@dataclass(frozen=True)
class Imitation:
    """Which skill a trajectory is, and how near it comes.

    Args:
        goal: the most probable one.
        log_probabilities: [goals] the sum of log q(g | s) over the trajectory.
        distances: by arm, [rollouts], how far episodes are from the trajectory, see `distance`.
    """

    goal: int
    log_probabilities: np.ndarray
    distances: Mapping[str, np.ndarray]

    def intervals(self) -> dict[str, Interval]:
        """The mean distance of each arm, with its interval over rollouts."""
        return {arm: mean_interval(own) for arm, own in self.distances.items()}

    def advantage(self, over: str = RANDOM) -> Interval:
        """How much nearer the imitated skill comes than another arm, from the same starts."""
        return paired_difference(self.distances[over], self.distances[IMITATED])

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "goal": self.goal,
            "log_probabilities": self.log_probabilities.tolist(),
            "arms": {arm: one._asdict() for arm, one in self.intervals().items()},
            "advantage over a random skill": self.advantage()._asdict(),
        }

    def save(self, folder: str | Path) -> Path:
        """Write it to imitation.json in a folder."""
        path = Path(folder) / FILE
        atomic.make_folder(path.parent)
        atomic.write_json(path, self.describe())
        return path


def imitate(
    skills: Skills,
    trajectory: npt.ArrayLike,
    *,
    task: str | None = None,
    options: Mapping[str, Any] | None = None,
    rollouts: int = 10,
    steps_per_skill: int = 25,
    seed: int = 0,
) -> Imitation:
    """Find the skill that a trajectory shows, follow it, and say how near it comes.

    Beside it, from the same starts: a random skill held throughout an episode, and all in turn.

    Args:
        skills: of one learner, whose objective recognises goals.
        trajectory: [steps + 1, observation] of the skills' environment, the start first.
        task: where the skill is followed; by default the skills' environment.
        options: for it, beside those of the skills' environment.
        rollouts: episodes of each arm.
        steps_per_skill: how long a skill is held where all take turns.
        seed: of everything random.
    """
    _validate.integer("rollouts", rollouts, minimum=2, maximum=100_000)
    _validate.integer("steps_per_skill", steps_per_skill, minimum=1)
    _validate.seed("seed", seed)
    given = checked_trajectory(skills, trajectory)
    found = log_probabilities(skills, given)
    made = TaskFor(_own_task(skills) if task is None else task, skills, options or {})
    goal, steps = int(np.argmax(found)), len(given) - 1
    starts = [seed * rollouts + number for number in range(rollouts)]
    plans: dict[str, tuple[Plan, int]] = {
        IMITATED: (held(goal), steps),
        RANDOM: (at_random(len(skills)), steps),
        ROUND_ROBIN: (in_turn(len(skills)), steps_per_skill),
    }
    distances = {
        arm: np.array(
            [
                distance(given, one.observations)
                for one in episodes(made, plan, starts, steps_per_skill=hold, limit=steps)
            ]
        )
        for arm, (plan, hold) in plans.items()
    }
    return Imitation(goal, found, distances)


def log_probabilities(skills: Skills, trajectory: np.ndarray) -> np.ndarray:
    """sum_t log q(g | s_t) of every goal, [goals], by what the skills' objective judges.

    trajectory: [steps + 1, observation].
    """
    states, following = trajectory[:-1], trajectory[1:]
    if skills.judged_by == STATE:
        posterior = skills.posterior(following)
    elif skills.judged_by == START:
        start = np.broadcast_to(trajectory[0], following.shape)
        posterior = skills.posterior(following, start=start)
    else:
        posterior = skills.posterior(states, next_observation=following)
    return np.log(np.maximum(posterior.astype(np.float64), SMALLEST)).sum(axis=0)


def distance(trajectory: np.ndarray, other: np.ndarray) -> float:
    """The root mean square over entries of how far states are apart, its mean over steps after the start.

    Each entry is measured in its standard deviation over the trajectory, or as it is where that is 0. One
    that ended early stays where it ended. [steps + 1, observation] and [at most steps + 1, observation].

    >>> round(distance(np.array([[0.0], [2.0], [4.0], [2.0]]), np.array([[0.0], [2.0]])), 3)  # 2/3 / 2 ** 0.5
    0.471
    """
    trajectory, other = np.asarray(trajectory, np.float64), np.asarray(other, np.float64)
    spread = trajectory.std(axis=0)
    rows = np.minimum(np.arange(1, len(trajectory)), len(other) - 1)
    apart = (trajectory[1:] - other[rows]) / np.where(spread > 0, spread, 1.0)
    return float(np.sqrt(np.mean(apart**2, axis=1)).mean())


def checked_trajectory(skills: Skills, trajectory: npt.ArrayLike) -> np.ndarray:
    """A trajectory as float32; refuses another shape, and what is not finite."""
    try:
        given = np.asarray(trajectory, np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"trajectory must be an array of numbers ({error})") from error
    size = skills.observation_size
    if given.ndim != 2 or len(given) < 2 or given.shape[1] != size:
        raise ValueError(
            f"trajectory must have the shape [steps + 1, {size}] of {skills.environment} with at least 1 "
            f"step, got {list(given.shape)}"
        )
    if not np.isfinite(given).all():
        raise ValueError("trajectory must hold finite numbers")
    return given


def _own_task(skills: Skills) -> str:
    """A task of the skills' environment as it is."""
    for name, task in TASKS.items():
        if task.base == skills.environment:
            return name
    return own_environment(skills, "name it yourself: --task my_module:MyEnv-v0 (task=...)")[0]
