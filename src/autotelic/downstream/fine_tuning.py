"""Fine-tuning: a skill learns a task on, with fresh critics; beside it a random skill, and from scratch.

The protocol of DIAYN: the policy's weights are kept with its goal fixed, critics and replay begin anew. The
arms differ in the policy that they begin with and in nothing else: the same agent, steps and seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autotelic import _streams, _validate
from autotelic.agents import Agent
from autotelic.downstream.best_skill import best_skill
from autotelic.downstream.learning import FROM_SCRATCH, agent_of, task_setting
from autotelic.downstream.tasks import TaskFor
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.learner.setting import Setting
from autotelic.observers.base import Observer, RunStart
from autotelic.runs import atomic
from autotelic.runs.run import Runs
from autotelic.selectors import RoundRobin
from autotelic.skills import Skills
from autotelic.training.train import train

FILE = "fine_tuning.json"
BEST, RANDOM = "best skill", "random skill"
ARMS = (BEST, RANDOM, FROM_SCRATCH)


def fine_tune(
    skills: Skills | Sequence[Skills],
    task: str,
    out: str | Path,
    *,
    options: Mapping[str, Any] | None = None,
    seeds: Sequence[int] | None = None,
    epochs: int = 50,
    goal: int | Sequence[int] | None = None,
    arms: Sequence[str] = ARMS,
    rollouts: int = 10,
    steps_per_epoch: int = 1000,
    learning_rate: float = 3e-4,
    agent: Agent | None = None,
    evaluate_every: int = 1,
    resume: bool = False,
    observers: Sequence[Observer] = (),
) -> Runs:
    """Learn a task from skills, as one population of arms x seeds in a run folder.

    Args:
        skills: of one learner, for all seeds; or of one learner for each seed.
        task: a Gymnasium id with a reward whose observations are those of the skills, see `TaskFor`.
        out: the run's folder. `fine_tuning.json` in it says which goals were chosen, and how.
        options: for the task, beside those of the skills' environment.
        seeds: of the learners; by default one for each of the skills given, or 5.
        epochs: of `steps_per_epoch` steps.
        goal: the skill to begin with, or one for each seed; by default `best_skill` chooses it.
        arms: which of `ARMS` are trained.
        rollouts: by which the best skill is chosen.
        steps_per_epoch: as in `Setting`.
        learning_rate: of all networks (DIAYN: 3e-4).
        agent: by default that of the skills, with its hyper-parameters.
        evaluate_every: epochs between measurements of the return, see `returns_over_steps`.
        resume: continue the run in the folder; `autotelic train --resume --out FOLDER` does so too.
        observers: who is told what happens.
    """
    each, seeds = _paired(skills, seeds)
    _validate.integer("evaluate_every", evaluate_every, minimum=1)
    for arm in arms:
        _validate.choice("arm", arm, ARMS)
    goals = _goals_given(goal, each)
    made = [TaskFor(task, own, options or {}) for own in each]
    check_alike(each)
    setting = fine_tuning_setting(made[0], steps_per_epoch, learning_rate, agent)
    _check_observations(made[0])
    resumed = resume and (Path(out) / "run.json").exists()
    policies, told = None, list(observers)
    if not resumed:
        record = _choose(made, seeds, goals, arms, rollouts)
        told.append(_Note(Path(out) / FILE, record))
        policies = {
            (arm, seed): own.policy_of(record["goals"][arm][index])
            for arm in arms
            if arm != FROM_SCRATCH
            for index, (seed, own) in enumerate(zip(seeds, each, strict=True))
        }
    return train(
        setting,
        {arm: RoundRobin() for arm in arms},
        seeds,
        epochs,
        out,
        resume=resume,
        evaluate_every=evaluate_every,
        policies=policies,
        observers=told,
    )


class _Note(Observer):
    """Writes which goals were chosen as soon as the folder is the run's."""

    def __init__(self, path: Path, record: dict[str, Any]):
        self.path, self.record = path, record

    def started(self, start: RunStart) -> None:
        """See `Observer`."""
        del start
        atomic.write_json(self.path, self.record)


def fine_tuning_setting(
    made: TaskFor, steps_per_epoch: int, learning_rate: float, agent: Agent | None
) -> Setting:
    """The setting that all arms share: networks as large as the skills'."""
    skills = made.skills
    normalized = skills.info["observation"]["normalization"] != "none"
    setting = task_setting(
        made.task,
        made.options,
        agent=agent_of(skills) if agent is None else agent,
        hidden_units=skills.info["hidden_units"],
        steps_per_epoch=steps_per_epoch,
        learning_rate=learning_rate,
    )
    return replace(setting, normalize_observations="fixed") if normalized else setting


def check_alike(each: Sequence[Skills]) -> None:
    """Refuse skills of learners that cannot be one population: with other agents or networks."""
    names = ("environment", "observation", "action", "hidden_units", "agent")
    for name in names:
        first, *others = (own.info[name] for own in each)
        for index, other in enumerate(others, 1):
            if other != first:
                raise ValueError(
                    f"the skills of all seeds must have the same {name}; the first have {first}, number "
                    f"{index} has {other}"
                )


def _check_observations(made: TaskFor) -> None:
    seen = GymnasiumEnvironment(made.task, made.options).observation_size
    added = seen - made.skills.observation_size
    if added:
        raise ValueError(
            f"{made.task} adds {added} entr{'y' if added == 1 else 'ies'} to the observation, which a "
            "policy of the skills has no weights for; make the task without them (such as "
            "see_hurdles=false), or use a meta-controller"
        )


def _paired(
    skills: Skills | Sequence[Skills], seeds: Sequence[int] | None
) -> tuple[list[Skills], list[int]]:
    """Skills and a seed for each."""
    if isinstance(skills, Skills):
        seeds = list(range(5) if seeds is None else seeds)
        return [skills] * len(seeds), seeds
    each = list(skills)
    seeds = list(range(len(each)) if seeds is None else seeds)
    if len(each) != len(seeds) or not each:
        raise ValueError(
            f"there are skills of {len(each)} learners and {len(seeds)} seeds; give one learner for each "
            "seed, or one for all"
        )
    return each, seeds


def _goals_given(goal: int | Sequence[int] | None, each: Sequence[Skills]) -> list[int] | None:
    """A goal for each seed, checked; None if they are to be chosen."""
    if goal is None:
        return None
    goals: list[Any] = list(goal) if isinstance(goal, Sequence) else [goal] * len(each)
    if len(goals) != len(each):
        raise ValueError(
            f"goal must be one, or one for each of {len(each)} seeds, got {len(goals)}"
        )
    for own, one in zip(each, goals, strict=True):
        _validate.integer("goal", one, minimum=0)
        if one >= len(own):
            raise ValueError(f"goal must be from 0 to {len(own) - 1}, got {one}")
    return [int(one) for one in goals]


def _choose(
    made: Sequence[TaskFor],
    seeds: Sequence[int],
    goals: list[int] | None,
    arms: Sequence[str],
    rollouts: int,
) -> dict[str, Any]:
    """The goals that arms begin with, and how they were found, as JSON values."""
    record: dict[str, Any] = {"task": made[0].task, "seeds": list(seeds), "goals": {}}
    if BEST in arms and goals is None:
        kept: dict[int, Any] = {}  # the same skills are looked at once
        for own in made:
            if id(own.skills) not in kept:
                kept[id(own.skills)] = best_skill(
                    own.skills, own.task, options=own.options, rollouts=rollouts
                )
        found = [kept[id(own.skills)] for own in made]
        goals = [one.goal for one in found]
        record["best_skill"] = [one.describe() for one in found]
    if BEST in arms and goals is not None:
        record["goals"][BEST] = goals
    if RANDOM in arms:
        record["goals"][RANDOM] = [
            int(_streams.generator("random skill", seed).integers(len(own.skills)))
            for own, seed in zip(made, seeds, strict=True)
        ]
    return record
