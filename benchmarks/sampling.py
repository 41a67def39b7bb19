"""How fast are fresh trajectories sampled, of the rate of the bare environment on as many cores?

    python benchmarks/sampling.py --environment HalfCheetah-v5 --out docs/results/bench/sampling.json

The bare environment runs in a process for each core: under random actions, and under those that skills took
in it before (its physics may be dearer then). Then learners of a run that was hardly trained are sampled
as `autotelic evaluate` does, with helpers, and as one process does. Rounds of all four, one after the
other; medians.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import gymnasium
import numpy as np

import autotelic as at
from autotelic._cores import usable_cores
from autotelic._helping import Helpers
from autotelic.evaluation._threads import answer_at_once
from autotelic.evaluation.rollouts import sample_trajectories
from autotelic.runs import atomic
from autotelic.runs.export import skills_of

SECONDS, LEARNERS, GOALS = 3.0, 4, 20


opened = cache(at.load)


class Bare(NamedTuple):
    """Steps a second of an environment under given actions, and nothing else.

    skilled: the actions of a run's skills in it; otherwise random ones.
    """

    environment: str
    folder: str
    skilled: bool

    def __call__(self, seed: int) -> float:
        env = gymnasium.make(self.environment)
        take = taken(self.folder) if self.skilled else random_actions
        found = [take(env, goal) for goal in range(GOALS)]
        steps, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < SECONDS:
            for goal, actions in enumerate(found):
                env.reset(seed=goal)
                for action in actions:
                    env.step(action)
                steps += len(actions)
        return steps / (time.perf_counter() - begun)


Take = Callable[[gymnasium.Env, int], np.ndarray]


def random_actions(env: gymnasium.Env, goal: int) -> np.ndarray:
    """An episode's actions, drawn uniformly."""
    assert env.spec is not None and env.spec.max_episode_steps and env.action_space.shape
    shape = (env.spec.max_episode_steps, *env.action_space.shape)
    return np.random.default_rng(goal).uniform(-1, 1, shape)


@cache
def taken(folder: str) -> Take:
    """What a skill does for an episode that begins with this seed."""
    skills = skills_of(opened(folder), "any", 0)

    @cache
    def of_episode(env: gymnasium.Env, goal: int) -> np.ndarray:
        generator = np.random.default_rng(goal)
        observation, _ = env.reset(seed=goal)
        actions, over = [], False
        while not over:
            actions.append(skills.act(observation, goal, generator))
            observation, _, terminated, truncated, _ = env.step(actions[-1])
            over = terminated or truncated
        return np.array(actions)

    return of_episode


class Sampled(NamedTuple):
    """Steps of fresh trajectories of one learner of a run."""

    folder: str
    per_goal: int

    def __call__(self, seed: int) -> int:
        sampled = sample_trajectories(opened(self.folder), self.per_goal, members=[("any", seed)])
        return int(sampled.lengths.sum())


def rate(work: Sampled, helpers: Helpers) -> float:
    begun = time.perf_counter()
    steps = sum(steps for _, steps in helpers.share(work, range(LEARNERS)))
    return steps / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", default="HalfCheetah-v5")
    parser.add_argument(
        "--per-goal",
        type=int,
        default=4,
        help="trajectories of each of 20 skills: the fewest of evaluate",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    flags = parser.parse_args()
    answer_at_once()  # as the command does
    cores = usable_cores()
    with tempfile.TemporaryDirectory() as folder, Helpers(cores - 1) as helpers, Helpers(0) as none:
        run = str(Path(folder) / "run")
        setting = at.Setting(environment=flags.environment, steps_per_epoch=200, hidden_units=300)
        at.train(setting, {"any": at.Uniform()}, range(LEARNERS), 1, run)
        work = Sampled(run, flags.per_goal)

        def bare(skilled: bool) -> float:
            work = Bare(flags.environment, run, skilled)
            return sum(dict(helpers.share(work, range(cores))).values())

        measures = {
            "bare, random actions": lambda: bare(False),
            "bare, skills' actions": lambda: bare(True),
            "one process": lambda: rate(work, none),
            "shared": lambda: rate(work, helpers),
        }
        for measure in measures.values():
            measure()  # loads and compiles
        rounds = [
            {name: measure() for name, measure in measures.items()} for _ in range(flags.rounds)
        ]
    rates = {name: [one[name] for one in rounds] for name in measures}
    atomic.write_json(flags.out, {"environment": flags.environment, "cores": cores, "rates": rates})
    print(f"{flags.environment}, {cores} cores, steps/s (lowest to highest)")
    for name, found in rates.items():
        print(
            f"{name:22} {statistics.median(found):8,.0f} ({min(found):,.0f} to {max(found):,.0f})"
        )
    for name in list(measures)[:2]:
        shares = [one["shared"] / one[name] for one in rounds]
        print(f"shared, of {name}: {statistics.median(shares):.0%} (median of the rounds)")


if __name__ == "__main__":
    import sampling  # helpers import it by this name

    sampling.main()
