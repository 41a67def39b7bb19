"""Do more diverse skills help afterwards, and which measure of diversity tells?

    python -m studies.downstream --environment half_cheetah
    python -m studies.downstream --environment navigation2d

DIAYN, METRA and CSF; in 2D each under three selectors, on fresh seeds. In Half-Cheetah the learners are those
of `studies.objectives`; with `--runs studies/runs/objectives_half_cheetah` those that it trained are taken.
Every learner's skills are then used in tasks: the best skill as it is, the best skill fine-tuned, and a
meta-controller over all of them; beside them, the same learners' random skills, and from scratch.
A learner is a point of the last table: the rank correlation of each diversity metric with each return.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
from matplotlib.figure import Figure
from scipy.stats import rankdata

from autotelic.downstream.best_skill import BEST, RANDOM, best_skill
from autotelic.downstream.fine_tuning import fine_tune
from autotelic.downstream.learning import FROM_SCRATCH, returns_over_steps
from autotelic.downstream.meta_control import from_scratch_setting, meta_control
from autotelic.downstream.tasks import TaskFor
from autotelic.evaluation.statistics import Interval
from autotelic.figures.style import style
from autotelic.figures.task_curves import task_curves
from autotelic.objectives import OBJECTIVES
from autotelic.runs.export import skills_of
from autotelic.runs.run import load
from autotelic.selectors import AutoSelector, RoundRobin, Uniform
from autotelic.skills import Skills
from autotelic.training.train import train
from studies import objectives
from studies.command import main
from studies.markdown import excludes_zero
from studies.results import Further
from studies.study import Arm, Study, parts
from studies.tables import KEYS, Table, Tables

ASKED = ("diayn", "metra", "csf")
SELECTORS = {"uniform": Uniform(), "round-robin": RoundRobin(), "auto": AutoSelector()}
METRICS = {
    "trajectory_accuracy": "accuracy from trajectories",
    "held_out_accuracy": "accuracy from one state",
    "discriminator_accuracy": "own discriminator",
    "knn_f1": "nearest neighbours' F1",
    "mutual_information": "mutual information",
    "distinct_skills": "distinct skills",
    "coverage": "cells of the state space",
    "covered_cells": "cells of 1 m",
}
"""Measures of diversity whose worth is asked for."""


class Tasks(NamedTuple):
    """What skills are used for.

    looked_at: by a word, tasks in which the best skill is looked for, with their options.
    tuned, controlled: the words of those that are learned from the best skill, and over all skills.
    epochs: of a thousand steps.
    """

    looked_at: Mapping[str, tuple[str, Mapping[str, Any]]]
    tuned: str
    controlled: str
    epochs: int


TASKS = {
    "downstream_half_cheetah": Tasks(
        {
            "run": ("autotelic/HalfCheetahRun-v0", {}),
            "backward": ("autotelic/HalfCheetahRunBackward-v0", {}),
            "hurdles": ("autotelic/HalfCheetahHurdles-v0", {}),
        },
        tuned="run",
        controlled="hurdles",
        epochs=20,
    ),
    "downstream_navigation2d": Tasks(
        {
            f"to {x}, {y}": ("autotelic/Navigation2DGoal-v0", {"goal": (x, y)})
            for x, y in ((0.9, 0.9), (0.1, 0.7), (0.6, 0.1))
        },
        tuned="to 0.9, 0.9",
        controlled="to 0.1, 0.7",
        epochs=10,
    ),
}


def with_tasks(study: Study, folder: Path, tables: Tables) -> Further:
    """What every learner's skills are worth in the tasks, as columns of the table of learners."""
    tasks = TASKS[study.name]
    missing = [part.folder for part in parts(study) if not (folder / part.folder).exists()]
    if missing:
        raise ValueError(
            f"the skills of {', '.join(missing)} are not in {folder}, though their numbers are in the "
            "results; name another --out to train them again"
        )
    found = []
    each = [(part, arm) for part in parts(study) for arm in part.arms]
    for number, (part, arm) in enumerate(each, 1):
        print(f"{study.name}, tasks {number} of {len(each)}: {arm.label}", flush=True)
        found.append(_worth(study, folder / part.folder, arm, tasks))
    worth = {learner: row for own in found for learner, row in own.returns.items()}
    columns = list(next(iter(worth.values())))
    learners = tables.seeds[KEYS].itertuples(index=False, name=None)
    rows = [worth[learner] for learner in learners]
    seeds: Table = tables.seeds.assign(**{name: [row[name] for row in rows] for name in columns})
    wanted = {name: title for name, title in METRICS.items() if seeds[name].notna().all()}
    picture = correlation_picture(seeds, wanted, columns)
    titles = sorted({title for own in found for title in own.curves}, reverse=True)
    curves = {
        title: pandas.concat([own.curves[title] for own in found if title in own.curves])
        for title in titles
    }
    text = (
        "Rank correlation of measures of diversity with returns: over all learners (above), and the mean of "
        "those within each objective (below). Intervals of bold ones exclude 0."
    )
    return Further(
        tables._replace(seeds=seeds),
        {name: name for name in columns},
        {
            "correlations": (text, picture),
            "tasks": (
                "Return in tasks against steps: the best skill fine-tuned, and a meta-controller over all "
                "skills. The skills' own steps, learned without reward, are not counted.",
                task_curves(
                    {title: table.drop_duplicates(ONCE) for title, table in curves.items()}
                ),
            ),
        },
    )


Key = tuple[str, str, int]
ONCE = ["arm", "seed", "steps"]


class Worth(NamedTuple):
    """Of an arm's skills: returns of each learner by the names of columns, and those of learning a task
    against steps, by words for the task.
    """

    returns: dict[Key, dict[str, float]]
    curves: dict[str, Table]


def _worth(study: Study, run: Path, arm: Arm, tasks: Tasks) -> Worth:
    """Use the skills of an arm in the tasks."""
    runs = load(run)
    own = {seed: skills_of(runs, arm.label, seed) for seed in study.seeds}
    place = run.parent / "tasks" / run.name / arm.name.replace(" ", "-")
    returns: dict[int, dict[str, float]] = {seed: {} for seed in study.seeds}
    for word, (task, options) in tasks.looked_at.items():
        for seed, skills in own.items():
            found = best_skill(skills, task, options=options, rollouts=6, seed=seed)
            returns[seed][f"best, {word}"] = float(found.reported[BEST].mean())
            returns[seed][f"random, {word}"] = float(found.reported[RANDOM].mean())
    learned = {
        ("tuned", tasks.tuned): _tuned(study, own, tasks, BEST, place / "tuned"),
        ("meta", tasks.controlled): _controlled(own, tasks, place),
    }
    # From scratch is the same for all arms, which share agent and networks: the second finds the first's.
    scratch = {
        "tuned": _tuned(study, own, tasks, FROM_SCRATCH, run.parent / "tasks/from-scratch-tuned"),
        "meta": _from_scratch(study, own, tasks, run.parent / "tasks/from-scratch-meta"),
    }
    curves = {}
    for (way, word), table in learned.items():
        for column, found in ((way, table), ("from scratch", scratch[way])):
            for seed, value in _last(found):
                returns[seed][f"{column}, {word}"] = value
        title = f"{way}, {word}" + (f": {arm.condition}" if arm.condition else "")
        curves[title] = pandas.concat([scratch[way], table.assign(arm=arm.name)])
    return Worth(
        {(arm.condition, arm.name, seed): row for seed, row in returns.items()},
        curves,
    )


def _tuned(study: Study, own: Mapping[int, Skills], tasks: Tasks, arm: str, where: Path) -> Table:
    """Return against steps, of a task learned from the best skill or from scratch."""
    task, options = tasks.looked_at[tasks.tuned]
    tuned = fine_tune(
        list(own.values()),
        task,
        where,
        options=options,
        seeds=study.seeds,
        epochs=tasks.epochs,
        arms=(arm,),
        rollouts=6,
        evaluate_every=max(1, tasks.epochs // 5),
        resume=True,
    )
    return returns_over_steps(tuned)


def _controlled(own: Mapping[int, Skills], tasks: Tasks, place: Path) -> Table:
    """Return against steps, of meta-controllers over each learner's skills."""
    task, options = tasks.looked_at[tasks.controlled]
    found = [
        meta_control(
            skills,
            task,
            place / f"meta-{seed}",
            options=options,
            seeds=[seed],
            epochs=tasks.epochs,
            from_scratch=False,
            evaluate_every=max(1, tasks.epochs // 5),
            resume=True,
        ).returns_over_steps()
        for seed, skills in own.items()
    ]
    return pandas.concat(found, ignore_index=True)


def _from_scratch(study: Study, own: Mapping[int, Skills], tasks: Tasks, where: Path) -> Table:
    """Return against steps, of the meta-controllers' task by the environment's own actions."""
    task, options = tasks.looked_at[tasks.controlled]
    made = TaskFor(task, next(iter(own.values())), options)
    runs = train(
        from_scratch_setting(made, 1000),
        {FROM_SCRATCH: RoundRobin()},
        study.seeds,
        epochs=tasks.epochs,
        out=where,
        evaluate_every=max(1, tasks.epochs // 5),
        resume=True,
    )
    return returns_over_steps(runs)


def _last(table: Table) -> Iterator[tuple[int, float]]:
    """Seed and return at the last measurement."""
    last = table[table["steps"] == table["steps"].max()]
    yield from zip(last["seed"], last["return"], strict=True)


def rank_correlation(
    seeds: Table, metric: str, column: str, *, within: bool, resamples: int = 2000
) -> Interval:
    """Spearman's, of a metric and a return over learners, or the mean of those within each objective; its
    bootstrap interval is over learners.
    """
    objective = "condition" if seeds["condition"].any() else "arm"
    groups = [rows for _, rows in seeds.groupby(objective)] if within else [seeds]
    pairs = [rows[[metric, column]].to_numpy(float) for rows in groups]
    generator = np.random.default_rng(0)
    value = _mean_correlation(pairs)
    if np.isnan(value):
        return Interval(value, value, value)
    drawn = [
        _mean_correlation([own[generator.integers(len(own), size=len(own))] for own in pairs])
        for _ in range(resamples)
    ]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return Interval(value, float(low), float(high))


def _mean_correlation(pairs: list[np.ndarray]) -> float:
    """NaN where a metric or a return does not vary in any group."""
    varied = [own for own in pairs if np.ptp(own, axis=0).all()]
    found = [np.corrcoef(rankdata(own, axis=0), rowvar=False)[0, 1] for own in varied]
    return float(np.mean(found)) if found else float("nan")


def correlation_picture(seeds: Table, metrics: Mapping[str, str], columns: list[str]) -> Figure:
    """A table of colours: metrics by returns, over all learners and within objectives."""
    columns = [name for name in columns if not name.startswith(("random", "from scratch"))]
    with style():
        figure = Figure(figsize=(7.0, 0.5 + 0.62 * len(metrics)), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for axes, within in ((above, False), (below, True)):
            found = [
                [rank_correlation(seeds, m, c, within=within) for c in columns] for m in metrics
            ]
            values = np.array([[one.estimate for one in row] for row in found])
            axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
            for row, line in enumerate(found):
                for column, one in enumerate(line):
                    clear = excludes_zero(one)
                    axes.text(
                        column,
                        row,
                        f"{one.estimate:+.2f}",
                        ha="center",
                        va="center",
                        fontsize=7,
                        fontweight="bold" if clear else "normal",
                        color="white" if abs(one.estimate) > 0.6 else "black",
                    )
            axes.set_yticks(range(len(metrics)), list(metrics.values()))
            axes.set_title("within objectives" if within else "all learners", loc="left")
        below.set_xticks(range(len(columns)), columns, rotation=20, ha="right")
    return figure


QUESTION = "Do more diverse skills help in tasks afterwards?"
STUDIES = {
    "half_cheetah": replace(
        objectives.STUDIES["half_cheetah"], name="downstream_half_cheetah", question=QUESTION
    ),
    "navigation2d": Study(
        name="downstream_navigation2d",
        question=QUESTION,
        arms=tuple(
            Arm(name, replace(objectives.IN_2D, objective=OBJECTIVES[word]()), selector, word)
            for word in ASKED
            for name, selector in SELECTORS.items()
        ),
        seeds=tuple(range(600, 610)),
        epochs=20,
        baselines=("round-robin",),
        evaluate_every=20,
    ),
}

if __name__ == "__main__":
    sys.exit(main("downstream", STUDIES, flag="environment", extend=with_tasks))
