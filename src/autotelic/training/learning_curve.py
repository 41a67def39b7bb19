"""Learning curves: the skills are measured while a run trains, with randomness of their own.

Loaded only by runs that ask for it: training alone does not need scikit-learn.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from autotelic import _validate
from autotelic.environments import bounds_of
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation._threads import one_thread
from autotelic.evaluation.catalogue import Metric, curve_metrics, measured
from autotelic.evaluation.coverage import covered_ground
from autotelic.evaluation.evidence import SkillEvidence, TaskEvidence
from autotelic.evaluation.returns import returns_of
from autotelic.evaluation.rollouts import judgements_of, members_at_once, roll_out
from autotelic.evaluation.success import successes_of
from autotelic.learner.setting import Setting
from autotelic.runs.atomic import Written
from autotelic.runs.history import (
    CURVE_FILE,
    SUCCESS_OF_GOAL,
    HistoryWriter,
    columns_of,
    vector_columns,
)
from autotelic.runs.skills import SkillArrays
from autotelic.selectors import effective_number_of_skills

EFFECTIVE = "effective_skills_of_prior"
"""exp(entropy) of p(g) in the latest visit, for comparison; empty before the first epoch."""

PER_GOAL = 10
"""Trajectories of each skill: enough for a curve, and quick beside an epoch."""


def check(setting: Setting, every: int) -> None:
    """Refuse what could not be measured, before anything is trained."""
    _validate.integer("evaluate_every", every, minimum=1)
    if setting.objective.needs_reward:
        return
    if setting.num_goals < 2:
        raise ValueError("evaluate_every tells skills apart, and num_goals is 1; leave it out")
    scikit_learn("neighbors")


class LearningCurve:
    """Measures every member's skills after 0, `every`, 2 `every`, ... epochs into learning_curve.csv.

    A row says how many epochs the member had trained. All measurements share their starts and
    acting noise, so that a curve moves because skills do.

    Args:
        folder: of the run.
        setting: of the run.
        environment: of the run.
        members: (method, seed) of the population.
        every: epochs between measurements.
        done: epochs in the checkpoint that the run continues from.
        written: of learning_curve.csv at that checkpoint; later rows are cut off.

    `due` is the epoch of the next measurement.
    """

    def __init__(
        self,
        folder: Path,
        setting: Setting,
        environment: Any,
        members: Sequence[tuple[str, int]],
        every: int,
        done: int,
        written: Written | None = None,
    ):
        self.setting = setting
        self.environment = environment
        self.bounds: tuple[float, float] | None = bounds_of(environment)
        self.at_once: int = members_at_once(
            setting,
            PER_GOAL,
            environment.episode_length or setting.steps_per_epoch,
            environment.observation_size,
        )
        self.members: list[tuple[str, int]] = list(members)
        self.every = every
        self.due: int = (done // every + 1) * every if done else 0
        success = setting.objective.gives_success
        self.task: bool = setting.objective.needs_reward
        self.metrics: dict[str, Metric] = curve_metrics(success, self.task)
        if written:  # a run goes on with the columns that it began with
            begun = columns_of(folder / CURVE_FILE)
            self.metrics = {name: one for name, one in self.metrics.items() if name in begun}
        self.per_goal: int = setting.num_goals if success else 0
        of_goals = vector_columns(SUCCESS_OF_GOAL, self.per_goal)
        columns = ["member", "method", "seed", "epoch", *self.metrics, EFFECTIVE, *of_goals]
        self.writer: HistoryWriter = HistoryWriter(folder / CURVE_FILE, columns, written)

    @one_thread()
    def measure(
        self,
        epoch: int,
        skills: SkillArrays,
        priors: Mapping[int, np.ndarray],
        lost: Collection[int] = (),
    ) -> None:
        """Measure the skills after so many epochs and write their rows.

        priors: each member's p(g) when it chose its latest goal; none at the start.
        lost: members that diverged, whose rows stay empty.
        """
        going_on = [number for number in range(len(self.members)) if number not in lost]
        found: dict[int, dict[str, Any]] = {}
        for first in range(0, len(going_on), self.at_once):
            part = going_on[first : first + self.at_once]
            chosen = jax.tree.map(lambda leaf, part=part: leaf[part], skills)
            found.update(zip(part, self._measured(part, chosen), strict=True))
        rows = []
        for number, (method, seed) in enumerate(self.members):
            row: dict[str, Any] = {"member": number, "method": method, "seed": seed, "epoch": epoch}
            row.update({name: found.get(number, {}).get(name) for name in self.metrics})
            if self.per_goal:
                nothing = np.full(self.per_goal, np.nan)
                row[SUCCESS_OF_GOAL] = found.get(number, {}).get(SUCCESS_OF_GOAL, nothing)
            prior = None if number in lost else priors.get(number)
            row[EFFECTIVE] = None if prior is None else float(effective_number_of_skills(prior))
            rows.append(row)
        self.writer.append(rows)
        self.due = epoch + self.every

    def _measured(self, numbers: Sequence[int], skills: SkillArrays) -> list[dict[str, Any]]:
        """What is found of some members, by their skills."""
        members = [self.members[number] for number in numbers]
        if self.task:
            found = returns_of(
                self.setting, skills, members, PER_GOAL, environment=self.environment
            )
            return [measured(TaskEvidence(own), self.metrics) for own in found]
        trajectories = roll_out(
            self.setting, skills, members, PER_GOAL, environment=self.environment
        )
        covered = covered_ground(self.setting, skills, trajectories, environment=self.environment)
        judgements = judgements_of(self.setting.objective, skills, trajectories)
        successes = successes_of(self.setting.objective, skills, trajectories)
        rows: list[dict[str, Any]] = []
        for index, (judged, succeeded) in enumerate(zip(judgements, successes, strict=True)):
            evidence = SkillEvidence(
                self.setting,
                trajectories.of(index),
                judged,
                self.bounds,
                covered=covered[index],
                successes=succeeded,
            )
            of_goals = {} if succeeded is None else {SUCCESS_OF_GOAL: succeeded.mean(axis=1)}
            rows.append({**measured(evidence, self.metrics), **of_goals})
        return rows
