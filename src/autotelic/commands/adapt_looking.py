"""`autotelic adapt best | zero-shot | imitate`: what skills do in a task as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tyro.conf import DisallowNone, Positional, arg

from autotelic._documents import read_bytes
from autotelic.commands.adapting import MEANS, WhoseFlags, learners_of, said, show, task_of
from autotelic.commands.reading import read_flags
from autotelic.downstream.best_skill import best_skill
from autotelic.downstream.imitation import imitate
from autotelic.downstream.zero_shot_goals import zero_shot_goals
from autotelic.evaluation.statistics import Interval, mean_interval
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.runs import atomic
from autotelic.runs.arrays import decode_array

OPTIONS = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE ...", help_behavior_hint="(default: the skills')")
]
OUT = Annotated[str, arg(metavar="FOLDER", help_behavior_hint="(default: nothing is written)")]


@dataclass(frozen=True)
class BestFlags:
    """The skill that a task pays most, chosen on half of the episodes and reported on the other.

    Beside it, from the same starts: skills drawn at random, and all in turn.
    """

    source: Annotated[Positional[str], arg(metavar="RUN|FILE")]
    """A run, all learners of one method; or a file that `autotelic export` wrote."""
    task: Annotated[str, arg(metavar="ID", help_behavior_hint="")] = ""
    """A Gymnasium id with a reward."""
    task_options: OPTIONS = ()
    """Options of the task, such as direction=north."""
    rollouts: Annotated[int, arg(metavar="N")] = 10
    """Episodes of every skill, an even number."""
    steps_per_skill: Annotated[int, arg(metavar="N")] = 25
    """How long the baselines hold a skill."""
    out: OUT = ""
    """Where best_skill.json is written, for each seed in a folder of its own."""
    whose: WhoseFlags = field(default_factory=WhoseFlags)


def best(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(BestFlags, "adapt best", words)
    task, options = task_of(flags.task, flags.task_options)
    command = ["autotelic", "adapt", "best", *words]
    learners = learners_of(flags.source, flags.whose, command, every=True)
    means: dict[str, list[float]] = {}
    for seed, skills in learners.items():
        found = best_skill(
            skills,
            task,
            options=options,
            rollouts=flags.rollouts,
            steps_per_skill=flags.steps_per_skill,
        )
        lines = []
        for arm, interval in found.intervals().items():
            share = found.successes[arm]
            success = "" if share is None else f", success {share:.2f}"
            lines.append((arm, said(interval, success)))
            means.setdefault(arm, []).append(interval.estimate)
        lines.append(("difference to random", said(found.advantage())))
        half = flags.rollouts // 2
        over = f"{MEANS} over {half} episodes"
        show(f"seed {seed}: skill {found.goal} in {task}, return ({over})", lines)
        if flags.out:
            print(f"  {found.save(atomic.inner(Path(flags.out) / f'seed_{seed}'))}")
    if len(learners) > 1:
        arms = [(arm, said(mean_interval(own))) for arm, own in means.items()]
        show(f"return ({MEANS} over {len(learners)} learners)", arms)


@dataclass(frozen=True)
class ZeroShotFlags:
    """Lead skills to places by phi, without learning; of objectives with a representation (METRA, CSF ...).

    Beside them: one skill drawn at random for each place, and the same learners before their first step.
    """

    folder: Annotated[Positional[str], arg(metavar="RUN")]
    """A run, finished or with a checkpoint, whose observations hold the position."""
    places: Annotated[int, arg(metavar="N")] = 50
    """How many places all learners are sent to."""
    steps: Annotated[
        DisallowNone[int | None],
        arg(metavar="N", help_behavior_hint="(default: 200, or an episode)"),
    ] = None
    """For each place."""
    out: OUT = ""
    """Where zero_shot.csv is written."""
    own: OwnFlags = field(default_factory=OwnFlags)


def zero_shot(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(ZeroShotFlags, "adapt zero-shot", words)
    runs = open_run(flags.folder, flags.own, ["autotelic", "adapt", "zero-shot", *words])
    table: Any = zero_shot_goals(runs, flags.places, steps=flags.steps)
    for (method, radius), rows in table.groupby(["method", "radius"], sort=False):
        lines = []
        for arm, own in rows.groupby("arm", sort=False):
            shares = [f"{kind} {_share(own[kind])}" for kind in ("hit", "end", "stay")]
            lines.append((str(arm), ", ".join(shares)))
        seeds = rows["seed"].nunique()
        over = f" ({MEANS} over {seeds} learners)" if seeds > 1 else ", one learner"
        show(f"{method}, within {radius:g}{over}", lines)
    if flags.out:
        path = Path(flags.out) / "zero_shot.csv"
        atomic.make_folder(path.parent)
        atomic.write_bytes(path, table.to_csv(index=False).encode())
        print(path)


def _share(values: Any) -> str:
    """A share of the places, its mean over learners; with an interval where there are several."""
    if len(values) == 1:
        return f"{values.iloc[0]:.2f}"
    estimate, low, high = mean_interval(values)
    return said(Interval(estimate, max(low, 0.0), min(high, 1.0)))  # no share lies beyond


@dataclass(frozen=True)
class ImitateFlags:
    """The skill under which a trajectory is most probable, and how near following it comes.

    Beside it: a random skill, and all in turn. Distances are in standard deviations of the trajectory.
    """

    source: Annotated[Positional[str], arg(metavar="RUN|FILE")]
    """A run, of which one learner is taken; or a file that `autotelic export` wrote."""
    trajectory: Annotated[str, arg(metavar="FILE", help_behavior_hint="")] = ""
    """A .npy file of observations, [steps + 1, observation], the start first."""
    task: Annotated[
        str, arg(metavar="ID", help_behavior_hint="(default: the skills' environment)")
    ] = ""
    """Where the skill is followed."""
    task_options: OPTIONS = ()
    """Options of it."""
    rollouts: Annotated[int, arg(metavar="N")] = 10
    """Episodes of each."""
    out: OUT = ""
    """Where imitation.json is written."""
    whose: WhoseFlags = field(default_factory=WhoseFlags)


def imitated(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(ImitateFlags, "adapt imitate", words)
    if not flags.trajectory:
        raise ValueError("--trajectory is missing: a .npy file of observations, the start first")
    given = _read(Path(flags.trajectory))
    command = ["autotelic", "adapt", "imitate", *words]
    (skills,) = learners_of(flags.source, flags.whose, command).values()
    task, options = (
        task_of(flags.task, flags.task_options) if flags.task else (None, dict[str, object]())
    )
    found = imitate(skills, given, task=task, options=options, rollouts=flags.rollouts)
    lines = [(arm, said(own)) for arm, own in found.intervals().items()]
    over = f"{MEANS} over {flags.rollouts} episodes"
    show(f"skill {found.goal} of {len(skills)}; distance from the trajectory ({over})", lines)
    if flags.out:
        print(found.save(flags.out))


def _read(path: Path) -> np.ndarray:
    """The array in a .npy file; nothing in it is executed."""
    if not path.is_file():
        raise ValueError(f"--trajectory {path} is not there")
    return decode_array(path, read_bytes(path))
