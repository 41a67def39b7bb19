"""Does a learner of places keep away from a cliff? Trains beside one, and counts successes and falls.

    python benchmarks/cliff.py [--out FILE]

A point starts near an edge beyond which an episode terminates, and is to reach twelve places above it. An
objective that pays a learner for ending an episode teaches it to jump. Four learners with three seeds each,
30 epochs of 1000 steps; about two minutes. The numbers are printed, and written as CSV.
"""

import argparse
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import autotelic as at
from autotelic import presets
from autotelic.agents import Agent, AutoSac, GmmSac
from autotelic.environments.base import EnvironmentStep
from autotelic.evaluation import sample_trajectories
from autotelic.evaluation.success import mean_success, successes_of
from autotelic.learner.setting import Setting
from autotelic.objectives import Reach
from autotelic.training.train import train

LEARNERS: dict[str, tuple[Agent, Reach, bool]] = {
    "sac sparse": (AutoSac(discount=0.98), Reach(), False),
    "sac dense": (AutoSac(discount=0.98), Reach(reward_form="dense"), False),
    "discrete-sac sparse": (AutoSac(discount=0.98), Reach(), True),
    "gmm-sac sparse": (GmmSac(discount=0.98), Reach(), False),
}
"""Agent, objective, and whether actions are discrete."""
SEEDS, EPOCHS, TRAJECTORIES = 3, 30, 10
MOVES = ((0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
"""What discrete actions do."""


class PointState(NamedTuple):
    """Where the point is, and for how many steps the episode has lasted."""

    position: jax.Array
    time: jax.Array


@dataclass(frozen=True)
class Cliff:
    """A point in [-1, 1]^2 that falls, and ends its episode, where y < -0.3; it starts at the origin.

    With steps of 0.05 the shortest fall takes seven of them.
    """

    discrete_actions: bool = False
    episode_length: int = 100
    observation_size: int = 2

    goal_entries: ClassVar[tuple[int, ...]] = (0, 1)
    goal_bounds: ClassVar[tuple[tuple[float, float], ...]] = ((-1.0, 1.0), (-0.2, 1.0))
    goal_radius: ClassVar[float] = 0.1

    @property
    def action_size(self) -> int:
        """A step along each axis, or one of five moves."""
        return len(MOVES) if self.discrete_actions else 2

    def positions(self, observations: np.ndarray) -> np.ndarray:
        """x and y [..., 2]: the observations themselves."""
        return observations

    def reset(self, key: jax.Array) -> tuple[PointState, jax.Array]:
        """The start of an episode, and its observation [2]."""
        del key
        position = jnp.zeros(2)
        return PointState(position, jnp.zeros((), jnp.int32)), position

    def step(
        self, state: PointState, action: jax.Array, key: jax.Array
    ) -> tuple[PointState, EnvironmentStep]:
        """A step of at most 0.05 along each axis; a new episode begins where one ends."""
        way = jnp.asarray(MOVES)[jnp.argmax(action)] if self.discrete_actions else action
        position = jnp.clip(state.position + 0.05 * jnp.clip(way, -1.0, 1.0), -1.0, 1.0)
        moved = PointState(position, state.time + 1)
        terminated = position[1] < -0.3
        truncated = ~terminated & (moved.time >= self.episode_length)
        start, _ = self.reset(key)
        over = terminated | truncated
        following = jax.tree.map(lambda new, old: jnp.where(over, new, old), start, moved)
        return following, EnvironmentStep(position, terminated, truncated, following.position)


class Outcome(NamedTuple):
    """Of one learner: the share of fresh trajectories that reached their goals, and that fell."""

    success: float
    falls: float


def setting(agent: Agent, objective: Reach, discrete: bool, num_goals: int = 12) -> Setting:
    """Beside the cliff, otherwise as places are usually learned."""
    usual = presets.reaching("navigation2d")
    environment = Cliff(discrete)
    return replace(
        usual, environment=environment, num_goals=num_goals, agent=agent, objective=objective
    )


def outcomes(ours: Setting, seeds: range, epochs: int, folder: Path) -> list[Outcome]:
    """Of each seed, after so many epochs of all goals in turn."""
    runs = train(ours, {"round-robin": at.RoundRobin()}, seeds, epochs, folder)
    found = sample_trajectories(runs, TRAJECTORIES)
    objective = runs.setting.objective
    fallen = (found.lengths < found.steps).mean(axis=(1, 2))
    return [
        Outcome(mean_success(objective, of_goals), float(fell))
        for of_goals, fell in zip(successes_of(objective, runs.skills, found), fallen, strict=True)
        if of_goals is not None
    ]


def main() -> None:
    """Print a line for each learner, and write all."""
    parser = argparse.ArgumentParser(description="SAC and others beside a cliff")
    parser.add_argument("--out", type=Path, help="a CSV file for the numbers")
    out = parser.parse_args().out
    lines = ["learner,seed,success,falls"]
    for name, learner in LEARNERS.items():
        with tempfile.TemporaryDirectory() as folder:
            found = outcomes(setting(*learner), range(SEEDS), EPOCHS, Path(folder) / "run")
        for seed, one in enumerate(found):
            lines.append(f"{name},{seed},{one.success:.3f},{one.falls:.3f}")
            print(lines[-1], flush=True)
    if out:
        out.write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
