"""`autotelic evaluate`: what the skills of a run are worth, with intervals and beside untrained ones."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from rich import box
from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task
from rich.table import Table
from rich.text import Text
from tyro.conf import DisallowNone, Positional, arg

from autotelic import _validate
from autotelic._cores import usable_cores
from autotelic.commands.reading import read_flags
from autotelic.evaluation._threads import answer_at_once
from autotelic.evaluation.budget import (
    FIRST_LOOK,
    MOST,
    Size,
    affordable,
    episode_of,
    expected_seconds,
)
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.evaluate import evaluate
from autotelic.evaluation.results import Estimate, Evaluation
from autotelic.evaluation.statistics import FEWEST_RUNS
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.observers.health import sentences
from autotelic.runs.diverged import left_out
from autotelic.runs.run import Runs

UNTRAINED = "untrained"
DASH = "\N{EN DASH}"
STARTING = 10.0
"""Seconds, about, that compiling and loading take."""
LABEL_WIDTH, COLUMN_WIDTH = 19, 14
"""Columns of a terminal that a metric's label and a method's numbers take."""


@dataclass(frozen=True)
class EvaluateFlags:
    """Sample fresh trajectories of every skill and say how diverse the skills are.

    Every metric is measured for the same learners before training too: what they reach by chance.
    Writes evaluation.json and evaluation.csv into the run's folder. By default it takes about a minute:
    where that is too little for everything, there are fewer or shorter trajectories, then fewer seeds.
    """

    folder: Annotated[Positional[str], arg(metavar="FOLDER")]
    """A run, finished or with a checkpoint."""
    thorough: Annotated[bool, arg(help_behavior_hint="")] = False
    """Take the time that 20 trajectories of a whole episode take, of all skills and seeds."""
    per_goal: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: by the time)")
    ] = None
    """Trajectories of each skill, of all seeds."""
    steps: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: by the time)")
    ] = None
    """A trajectory's length, of all seeds."""
    seed: Annotated[int, arg(metavar="N")] = 0
    """Of the evaluation; training's seeds have no part in it."""
    all: Annotated[bool, arg(help_behavior_hint="")] = False
    """Show all metrics, not only the most telling."""
    own: OwnFlags = field(default_factory=OwnFlags)


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(EvaluateFlags, "evaluate", words)
    for name, given, least in (("--per-goal", flags.per_goal, 2), ("--steps", flags.steps, 1)):
        if given is not None:
            _validate.integer(name, given, minimum=least)
    _validate.seed("--seed", flags.seed)
    answer_at_once()
    console = Console()
    runs = open_run(flags.folder, flags.own, ["autotelic", "evaluate", *words])
    if not os.access(runs.folder, os.W_OK):
        raise ValueError(
            f"{runs.folder} is not writable, so the evaluation could not be kept there"
        )
    quick = not flags.thorough and flags.per_goal is None and flags.steps is None
    size = Size(flags.per_goal or MOST, flags.steps or episode_of(runs))
    if quick:
        size = affordable(runs, FIRST_LOOK, usable_cores())
    found = evaluate_with_progress(runs, size, flags.seed, FIRST_LOOK if quick else None, console)
    found.save(runs.folder)
    show(found, runs, console, every_metric=flags.all)
    names = " and ".join(str(Path(flags.folder) / f"evaluation.{kind}") for kind in ("json", "csv"))
    print(f"All metrics are in {names}")


def evaluate_with_progress(
    runs: Runs, size: Size, seed: int, seconds: float | None, console: Console
) -> Evaluation:
    """Evaluate, with a bar and the time that is left while it takes."""
    processes = usable_cores()
    learners = len(runs.sound_members) + len(runs.seeds)
    expected = STARTING + expected_seconds(runs, size, learners) / processes
    if seconds is not None:
        expected = min(expected, STARTING + seconds)
    columns = (*Progress.get_default_columns()[:-1], TimeLeft(expected))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("sampling and judging learners", total=None)

        def done(number: int, total: int) -> None:
            bar.update(task, completed=number, total=total, since=bar.tasks[0].elapsed)

        return evaluate(
            runs,
            size.per_goal,
            seed,
            steps=size.steps,
            seconds=seconds,
            processes=processes,
            progress=done,
        )


class TimeLeft(ProgressColumn):
    """About how long it still takes: as was expected before, and by what is done as soon as something is.

    Learners are few and take long, so there is nothing to judge by for a good part of the time.
    """

    def __init__(self, expected: float):
        super().__init__()
        self.expected = expected

    def render(self, task: Task) -> Text:
        """See `ProgressColumn.render`."""
        whole = self.expected
        if task.completed and task.total:
            whole = task.fields["since"] * task.total / task.completed
        left = max(0, round(whole - (task.elapsed or 0.0)))
        return Text(f"about {left // 60}:{left % 60:02} left", "progress.remaining")


def show(found: Evaluation, runs: Runs, console: Console, *, every_metric: bool) -> None:
    """The table, what it lacks, and the alarms."""
    title = (
        f"{runs.folder} after {found.setting.epochs} epochs: {found.setting.per_goal} trajectories "
        f"of up to {found.setting.steps} steps of each skill"
    )
    summary = found.summary()
    room = max(1, (console.width - LABEL_WIDTH) // COLUMN_WIDTH - 1)
    for first in range(0, len(runs.methods), room):
        part = runs.methods[first : first + room]
        console.print(as_table(summary, part, title, every_metric=every_metric))
    seeds = len(set(found.table["seed"]))
    of_seeds = "One seed" if seeds == 1 else f"Interquartile means over {seeds} seeds"
    if seeds >= FEWEST_RUNS:
        console.print(f"{of_seeds}, below them their 95 % intervals.")
    else:
        few = len(runs.seeds) < FEWEST_RUNS
        remedy = "train more seeds" if few else "evaluate with --thorough"
        console.print(
            f"{of_seeds}: intervals need at least {FEWEST_RUNS}; {remedy} to get them. Each seed's "
            "values are in evaluation.csv."
        )
    whole = Size(MOST, episode_of(runs))
    if seeds < len(runs.seeds) or found.setting[1:3] < whole:
        of_seeds = f", of all {len(runs.seeds)} seeds" if len(runs.seeds) > 1 else ""
        console.print(
            f"A first look. --thorough samples {MOST} trajectories of {whole.steps} steps of each "
            f"skill{of_seeds}."
        )
    if found.diverged:
        console.print(Text(f"{left_out(found.diverged, len(runs.members))}.", "yellow"))
    for one in found.diverged:
        console.print(Text(one.sentence, "yellow"), soft_wrap=True)
    for line in sentences(found.alarms).values():
        console.print(Text(line, "yellow"), soft_wrap=True)


def as_table(
    summary: Sequence[Estimate], methods: Sequence[str], title: str, *, every_metric: bool
) -> Table:
    """A row for each metric and a column for each method, the untrained skills first."""
    found = {(row.method, row.trained, row.metric): row for row in summary}
    # Names are texts, or brackets in them would be taken for rich's markup.
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    # Folded, and no column at the cost of another's digits: a number must not lose its last ones.
    table.add_column("metric", overflow="fold")
    # Untrained skills of a seed are the same for all methods.
    columns = [(methods[0], False), *((method, True) for method in methods)]
    for method, trained in columns:
        table.add_column(Text(method if trained else UNTRAINED), justify="right", overflow="fold")
    for name, metric in METRICS.items():
        cells = [found.get((method, trained, name)) for method, trained in columns]
        if any(cells) and (every_metric or metric.headline):
            table.add_row(metric.label, *(_cell(estimate) for estimate in cells))
    return table


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return _number(estimate.estimate)
    interval = f"{_number(estimate.low)}{DASH}{_number(estimate.high)}"
    return f"{_number(estimate.estimate)}\n{interval}"


def _number(value: float) -> str:
    """Two decimals, three under 0.1, fewer from 100 on: five letters hold most.

    >>> _number(12.345), _number(0.5), _number(0.0456), _number(287.79), _number(1287.79)
    ('12.35', '0.50', '0.046', '287.8', '1288')
    """
    size = abs(value)
    decimals = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 0.1 or size == 0 else 3
    return f"{value:.{decimals}f}"
