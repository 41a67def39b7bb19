"""The best skill of a task, chosen on half of the episodes and reported on the other.

The largest of many means is too high by what chance added to it. So the skill is chosen on half of the
starts, and what it is worth is measured on the others, where a random skill and all skills in turn are too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autotelic import _validate
from autotelic.downstream.episodes import Episode, at_random, episodes, held, in_turn, returns
from autotelic.downstream.tasks import TaskFor
from autotelic.evaluation.statistics import Interval, mean_interval, paired_difference
from autotelic.runs import atomic
from autotelic.skills import Skills

FILE = "best_skill.json"
BEST, RANDOM, ROUND_ROBIN = "best skill", "random skill", "round-robin"


@dataclass(frozen=True)
class BestSkill:
    """What each skill is worth in a task.

    Args:
        task: its id.
        goal: the skill that was chosen.
        returns: [goals, episodes] of every skill, from the same starts; the first half was chosen on.
        reported: by arm, the returns [episodes / 2] on the other half of the starts: of the best skill, of
            skills drawn at random and of all in turn.
        successes: by arm, the share of these episodes that ended in success; None where the task says none.
    """

    task: str
    goal: int
    returns: np.ndarray
    reported: Mapping[str, np.ndarray]
    successes: Mapping[str, float | None]

    def intervals(self) -> dict[str, Interval]:
        """The mean return of each arm, with its interval over episodes."""
        return {arm: mean_interval(own) for arm, own in self.reported.items()}

    def advantage(self, over: str = RANDOM) -> Interval:
        """How much more the best skill is paid than another arm, from the same starts."""
        return paired_difference(self.reported[BEST], self.reported[over])

    def describe(self) -> dict[str, Any]:
        """All of it as JSON values."""
        arms = {
            arm: {**one._asdict(), "success": self.successes[arm]}
            for arm, one in self.intervals().items()
        }
        return {
            "task": self.task,
            "goal": self.goal,
            "arms": arms,
            "advantage over a random skill": self.advantage()._asdict(),
            "returns": self.returns.tolist(),
        }

    def save(self, folder: str | Path) -> Path:
        """Write it to best_skill.json in a folder."""
        atomic.make_folder(Path(folder))
        path = Path(folder) / FILE
        atomic.write_json(path, self.describe())
        return path


def best_skill(
    skills: Skills,
    task: str,
    *,
    options: Mapping[str, Any] | None = None,
    rollouts: int = 10,
    steps_per_skill: int = 25,
    seed: int = 0,
    deterministic: bool = True,
) -> BestSkill:
    """The skill that a task pays most, and what it is paid on starts that it was not chosen on.

    Args:
        skills: of one learner.
        task: a Gymnasium id with a reward, see `TaskFor`.
        options: for the task, beside those of the skills' environment.
        rollouts: episodes of every skill, an even number from 4; all have the same starts.
        steps_per_skill: how long the baselines hold a skill.
        seed: of everything random.
        deterministic: skills take their most probable action, or draw one.
    """
    _validate.integer("rollouts", rollouts, minimum=4, maximum=100_000)
    _validate.integer("steps_per_skill", steps_per_skill, minimum=1)
    _validate.seed("seed", seed)
    if rollouts % 2:
        raise ValueError(
            f"rollouts must be even, half to choose and half to report; got {rollouts}"
        )
    made = TaskFor(task, skills, options or {})
    starts = [seed * rollouts + number for number in range(rollouts)]
    how = {"steps_per_skill": steps_per_skill, "deterministic": deterministic}
    by_goal = [episodes(made, held(goal), starts, **how) for goal in range(len(skills))]
    found = np.array([returns(own) for own in by_goal])
    half = rollouts // 2
    goal = chosen_goal(found[:, :half])
    arms: dict[str, list[Episode]] = {
        BEST: by_goal[goal][half:],
        RANDOM: episodes(made, at_random(len(skills)), starts[half:], **how),
        ROUND_ROBIN: episodes(made, in_turn(len(skills)), starts[half:], **how),
    }
    reported = {arm: returns(own) for arm, own in arms.items()}
    successes = {arm: success_share(own) for arm, own in arms.items()}
    return BestSkill(task, goal, found, reported, successes)


def chosen_goal(found: np.ndarray) -> int:
    """The goal with the largest mean, the first of equals: [goals, episodes] -> its number.

    >>> chosen_goal(np.array([[0.0, 2.0], [4.0, 0.0], [2.0, 2.0]]))
    1
    """
    return int(np.argmax(found.mean(axis=1)))


def success_share(found: list[Episode]) -> float | None:
    """The share of episodes whose last step was a success; None where the task says none."""
    said = [one.success for one in found if one.success is not None]
    return float(np.mean(said)) if said else None
