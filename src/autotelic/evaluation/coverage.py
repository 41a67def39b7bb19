"""How much ground the skills cover, by the protocol of METRA (Park et al. 2024) and CSF.

48 deterministic trajectories of 200 steps, spread evenly over the goals; their distinct cells of 1 m.
The same trajectories are the picture that such methods are known by (`figures.ground_traces`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from autotelic.environments import bounds_of
from autotelic.evaluation.diversity import cells_visited
from autotelic.evaluation.trajectories import Trajectories

if TYPE_CHECKING:  # counting cells does without JAX
    from autotelic.learner.setting import Setting
    from autotelic.runs.run import Runs
    from autotelic.runs.skills import SkillArrays

TRAJECTORIES, STEPS = 48, 200
CELL = 1.0
"""Metres."""


@dataclass(frozen=True)
class GroundTraces:
    """Where learners went, trajectory by trajectory.

    Args:
        members: (method, seed) of each.
        goals: [trajectories], the goal of each, the same for all members.
        skills: [goals, skill], what policies see of the goals.
        positions: [members, trajectories, steps + 1, 2] x and y in metres, NaN from an early end on;
            y is NaN throughout where there is only x.
    """

    members: tuple[tuple[str, int], ...]
    goals: np.ndarray
    skills: np.ndarray
    positions: np.ndarray

    def __post_init__(self) -> None:
        shape = (len(self.members), len(self.goals))
        if self.positions.shape[:2] != shape or self.positions.shape[3:] != (2,):
            raise ValueError(
                f"positions must have the shape [members, trajectories, steps + 1, 2] with "
                f"{shape[0]} members and {shape[1]} trajectories, got {list(self.positions.shape)}"
            )


def cells_covered(positions: npt.ArrayLike) -> int:
    """The number of distinct cells (floor(x), floor(y)), of 1 m if positions are in metres.

    Grows with the number of states. Range [1, states]; 1 for a body that stays where it is.

    Args:
        positions: [..., coordinates], x and y, or x alone. A row with NaN lies beyond the end of its
            trajectory; a coordinate that is NaN throughout is left out.

    >>> cells_covered([[0.2, 0.9], [0.8, 0.1], [0.8, -0.1], [-0.2, -0.1]])
    3
    """
    positions = np.asarray(positions, np.float64)
    return int(cells_visited(positions.reshape(1, -1, positions.shape[-1]), CELL).pooled)


def round_of_goals(num_goals: int, trajectories: int = TRAJECTORIES) -> npt.NDArray[np.int64]:
    """The goals of trajectories: all in turn, again and again.

    >>> round_of_goals(3, trajectories=5)
    array([0, 1, 2, 0, 1])
    """
    return np.arange(trajectories) % num_goals


def coverage_trajectories(
    runs: "Runs",
    *,
    seed: int = 0,
    untrained: bool = False,
    members: Sequence[tuple[str, int]] | None = None,
) -> GroundTraces:
    """The protocol's trajectories of the skills of a run, the same starts for all members.

    Args:
        runs: a run, finished or with a checkpoint.
        seed: of starts and environments.
        untrained: the same learners before their first step.
        members: (method, seed) of the learners to sample; by default all that did not diverge.
    """
    from autotelic.evaluation import rollouts

    chosen = rollouts.chosen_members(runs, members, untrained=untrained)
    skills = rollouts.skills_of_members(runs, chosen, untrained)
    return cover_ground(runs.setting, skills, chosen, seed, environment=runs.environment)


def cover_ground(
    setting: "Setting",
    skills: "SkillArrays",
    members: Sequence[tuple[str, int]],
    seed: int = 0,
    *,
    environment: Any = None,
) -> GroundTraces:
    """The same of skills with a leading axis of members.

    environment: the setting's, where it was made before.
    """
    from jax.numpy import arange

    from autotelic.evaluation import acting

    environment = setting.make_environment() if environment is None else environment
    goals = round_of_goals(setting.num_goals)
    pursuit = acting.GoalPursuit(setting.objective, setting.num_goals)
    actor = acting.Actor(setting.agent, pursuit, environment.action_size, STEPS, deterministic=True)
    rows = acting.Rows(
        goals,
        acting.sources("coverage", seed, len(goals)),
        acting.waves(len(goals), TRAJECTORIES),
        [f"trajectory {index} (goal {goal})" for index, goal in enumerate(goals)],
    )
    found = acting.act_out(environment, actor, skills._replace(discriminator=()), members, rows)
    if found.positions is None:
        raise ValueError(
            "the environment gives no positions, so there is no ground to cover: let its information "
            "hold x_position (and y_position), or a JAX environment have `positions`"
        )
    codes = setting.objective.embed(arange(setting.num_goals), setting.num_goals)
    return GroundTraces(tuple(members), goals, np.asarray(codes), found.positions)


def covered_ground(
    setting: "Setting",
    skills: "SkillArrays",
    trajectories: Trajectories,
    seed: int = 0,
    *,
    environment: Any,
) -> Sequence[np.ndarray | None]:
    """Of every member the protocol's positions [trajectories, steps + 1, 2], for metrics.

    None where there are none, or where the environment has bounds: there `grid_coverage` says it.

    trajectories: others of the same members, which show whether there are positions.
    """
    if trajectories.positions is None or bounds_of(environment) is not None:
        return [None] * len(trajectories.members)
    found = cover_ground(setting, skills, trajectories.members, seed, environment=environment)
    return list(found.positions)
