"""Runs that learn a task: the setting that arms share, and what came of the arms."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autotelic.agents import AGENTS, Agent
from autotelic.downstream.skill_task import SKILL_TASK
from autotelic.evaluation.statistics import (
    Interval,
    interquartile_mean_interval,
    normalised_area,
    paired_difference,
)
from autotelic.learner.setting import Setting
from autotelic.objectives import Task
from autotelic.runs.run import Runs
from autotelic.skills import Skills

if TYPE_CHECKING:
    import pandas

FROM_SCRATCH = "from scratch"


def task_setting(environment: str, options: Mapping[str, Any], **given: Any) -> Setting:
    """A setting whose learners are paid by a task; `given` are further fields of `Setting`."""
    common: dict[str, Any] = {"num_goals": 1, "steps_per_goal": None, "objective": Task()}
    return Setting(
        environment=environment, environment_options=dict(options), **{**common, **given}
    )


def agent_of(skills: Skills) -> Agent:
    """The agent that skills were learned by, with its hyper-parameters."""
    described = dict(skills.info["agent"])
    name = described.pop("name")
    try:
        return AGENTS[name](**described)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"the agent of the skills, {name} with {described}, cannot be made again ({error}); name one: "
            "agent=autotelic.agents.Sac()"
        ) from error


def steps_per_action(runs: Runs) -> int:
    """Steps of the environment for each step of a learner: more than one where an action is a skill."""
    setting = runs.setting
    return int(setting.environment_options["steps"]) if setting.environment == SKILL_TASK else 1


def returns_over_steps(runs: Runs) -> "pandas.DataFrame":
    """Return against steps: one row for each arm, seed and measurement of a run of a task.

    Columns arm, seed, steps (of the environment, those of skills included) and return, of fresh episodes.
    """
    curve = runs.learning_curve
    if curve is None or "return" not in curve.columns:
        raise ValueError(
            f"{runs.folder} has no learning curve of returns; train a task with evaluate_every "
            "(--evaluate-every)"
        )
    per_epoch = runs.setting.steps_per_epoch * steps_per_action(runs)
    found: Any = curve.assign(arm=curve["method"], steps=curve["epoch"] * per_epoch)
    return found[["arm", "seed", "steps", "return"]]


class Arm(NamedTuple):
    """What came of an arm over its seeds: the interquartile mean return at the end, and of the whole curve
    (its mean height); and how much better than the baseline both are, in pairs of seeds (None for the
    baseline itself). One seed gives no intervals.
    """

    name: str
    final: Interval
    area: Interval
    final_difference: Interval | None
    area_difference: Interval | None


def compare_arms(
    table: "pandas.DataFrame", baseline: str = FROM_SCRATCH, seed: int = 0
) -> list[Arm]:
    """The arms of a table like `returns_over_steps`'s, each beside the baseline.

    Several tables of runs with the same steps may be put together (`pandas.concat`). A learner that
    diverged has gaps, and is left out.
    """
    curves = {}
    for name, rows in table.groupby("arm", sort=False):
        wide = rows.pivot(index="seed", columns="steps", values="return").dropna()
        curves[str(name)] = wide
    found = []
    for name, wide in curves.items():
        ends, areas = wide.to_numpy()[:, -1], _areas(wide)
        other = curves.get(baseline)
        differences: list[Interval | None] = [None, None]
        if other is not None and name != baseline:
            shared = wide.index.intersection(other.index)
            mine, theirs = wide.loc[shared], other.loc[shared]
            if len(shared) > 1:
                differences = [
                    paired_difference(mine.to_numpy()[:, -1], theirs.to_numpy()[:, -1]),
                    paired_difference(_areas(mine), _areas(theirs)),
                ]
        found.append(Arm(name, _interval(ends, seed), _interval(areas, seed), *differences))
    return found


def _areas(wide: Any) -> np.ndarray:
    """The mean height of curves, [seeds]."""
    steps = np.asarray(wide.columns, np.float64)
    return np.atleast_1d(np.asarray(normalised_area(steps, wide.to_numpy())))


def _interval(values: np.ndarray, seed: int) -> Interval:
    if len(values) < 2:
        return Interval(*([float(values.mean()) if len(values) else float("nan")] * 3))
    return interquartile_mean_interval(values, np.random.default_rng(seed))
