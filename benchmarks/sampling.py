"""How fast are fresh trajectories sampled, of the rate of the bare environment on as many cores?

    python benchmarks/sampling.py --environment HalfCheetah-v5 --out docs/results/bench/sampling.json

The bare environment takes random actions, in a process for each core. Then learners of a run that was hardly
trained are sampled as `autotelic evaluate` does, with helpers, and as one process does. Three rounds
of all three, one after the other; medians.
"""

import argparse
import statistics
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import gymnasium
import numpy as np

import autotelic as at
from autotelic._cores import usable_cores
from autotelic._helping import Helpers
from autotelic.evaluation.rollouts import sample_trajectories
from autotelic.runs import atomic

SECONDS, LEARNERS = 3.0, 4


opened = cache(at.load)


class Bare(NamedTuple):
    """Steps that an environment makes under random actions in a few seconds."""

    environment: str

    def __call__(self, seed: int) -> float:
        env = gymnasium.make(self.environment)
        env.reset(seed=seed)
        actions = np.random.default_rng(seed).uniform(
            -1, 1, (1000, *(env.action_space.shape or ()))
        )
        steps, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < SECONDS:
            for action in actions:
                *_, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()
            steps += len(actions)
        return steps / (time.perf_counter() - begun)


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
    parser.add_argument("--out", type=Path, required=True)
    flags = parser.parse_args()
    cores = usable_cores()
    with tempfile.TemporaryDirectory() as folder, Helpers(cores - 1) as helpers:
        run = str(Path(folder) / "run")
        setting = at.Setting(environment=flags.environment, steps_per_epoch=200, hidden_units=300)
        at.train(setting, {"any": at.Uniform()}, range(LEARNERS), 1, run)
        work = Sampled(run, flags.per_goal)
        bare, alone, shared = [], [], []
        with Helpers(0) as nobody:
            rate(work, nobody)  # compiles
            rate(work, helpers)
            for _ in range(3):
                found = dict(helpers.share(Bare(flags.environment), range(cores)))
                bare.append(sum(found.values()))
                alone.append(rate(work, nobody))
                shared.append(rate(work, helpers))
    rates = {"bare": bare, "one process": alone, "shared": shared}
    atomic.write_json(flags.out, {"environment": flags.environment, "cores": cores, "rates": rates})
    whole = statistics.median(bare)
    print(
        f"{flags.environment}, {cores} cores, steps/s (lowest to highest; of the bare environment)"
    )
    for name, found in rates.items():
        middle = statistics.median(found)
        print(
            f"{name:12} {middle:8,.0f} ({min(found):,.0f} to {max(found):,.0f}; {middle / whole:.0%})"
        )


if __name__ == "__main__":
    import sampling  # helpers import it by this name

    sampling.main()
