"""`autotelic adapt fine-tune | meta`: learn a task from skills."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import DisallowNone, FlagCreatePairsOff, Positional, arg

from autotelic.commands.adapt_looking import OPTIONS
from autotelic.commands.adapting import MEANS, WhoseFlags, learners_of, said, show, task_of
from autotelic.commands.interruption import interruptible
from autotelic.commands.reading import check_folder, read_flags
from autotelic.commands.train import exit_if_diverged
from autotelic.downstream.fine_tuning import fine_tune
from autotelic.downstream.learning import Arm, compare_arms, returns_over_steps
from autotelic.downstream.meta_control import FOLDERS, META, meta_control
from autotelic.evaluation.statistics import caution
from autotelic.flags.setting import seeds_of
from autotelic.observers import display

OUT = Annotated[str, arg(metavar="FOLDER", help_behavior_hint="")]
EVERY = Annotated[int, arg(metavar="N")]


@dataclass(frozen=True)
class FineTuneFlags:
    """Learn a task from a skill with fresh critics; beside it from a random skill, and from scratch.

    A run like any other: history.csv, learning_curve.csv, and `autotelic train --resume --out FOLDER`.
    """

    source: Annotated[Positional[str], arg(metavar="RUN|FILE")]
    """A run, each learner of one method with its own seed; or a file that `autotelic export` wrote."""
    task: Annotated[str, arg(metavar="ID", help_behavior_hint="")] = ""
    """A Gymnasium id with a reward, whose observations are those of the skills."""
    out: OUT = ""
    """The run's folder."""
    task_options: OPTIONS = ()
    """Options of the task, such as direction=north."""
    goal: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: the best)")
    ] = None
    """The skill to begin with."""
    seeds: Annotated[
        str, arg(metavar="N|A,B,...", help_behavior_hint="(default: 5; of a run its own)")
    ] = ""
    """How many seeds, or which, for the skills of a file."""
    epochs: EVERY = 50
    """Epochs to train."""
    steps_per_epoch: EVERY = 1000
    """Steps of an epoch."""
    learning_rate: Annotated[float, arg(metavar="X")] = 3e-4
    """Of Adam, for all networks."""
    rollouts: EVERY = 10
    """Episodes of every skill by which the best is chosen."""
    evaluate_every: EVERY = 1
    """Epochs between measurements of the return."""
    resume: FlagCreatePairsOff[bool] = False
    """Continue the run in the folder."""
    whose: WhoseFlags = field(default_factory=WhoseFlags)


def fine_tuned(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(FineTuneFlags, "adapt fine-tune", words)
    task, options = task_of(flags.task, flags.task_options)
    folder = _folder(flags.out)
    command = ["autotelic", "adapt", "fine-tune", *words]
    learners = learners_of(flags.source, flags.whose, command, every=not flags.seeds)
    each, seeds = list(learners.values()), list(learners)
    if flags.seeds or not Path(flags.source).is_dir():
        seeds = seeds_of(flags.seeds or "5")
    shown = display.for_terminal()
    with interruptible(folder, ["autotelic", "train", "--resume", "--out", flags.out]):
        runs = fine_tune(
            each if len(each) > 1 else each[0],
            task,
            folder,
            options=options,
            seeds=seeds,
            epochs=flags.epochs,
            goal=flags.goal,
            rollouts=flags.rollouts,
            steps_per_epoch=flags.steps_per_epoch,
            learning_rate=flags.learning_rate,
            evaluate_every=flags.evaluate_every,
            resume=flags.resume,
            observers=[shown],
        )
    _show(compare_arms(returns_over_steps(runs)), task, len(seeds))
    print(f"{folder} holds the run: learning_curve.csv has the return of every arm and seed")
    exit_if_diverged(runs)


@dataclass(frozen=True)
class MetaFlags:
    """Learn which skill to use when; beside it primitive actions from scratch, and skills at random.

    FOLDER/meta and FOLDER/from_scratch are runs like any other.
    """

    source: Annotated[Positional[str], arg(metavar="RUN|FILE")]
    """A run, of which one learner is taken; or a file that `autotelic export` wrote."""
    task: Annotated[str, arg(metavar="ID", help_behavior_hint="")] = ""
    """A Gymnasium id with a reward."""
    out: OUT = ""
    """The folder for both runs."""
    task_options: OPTIONS = ()
    """Options of the task."""
    seeds: Annotated[str, arg(metavar="N|A,B,...")] = "5"
    """How many seeds, or which."""
    epochs: EVERY = 50
    """Epochs to train."""
    steps_per_skill: EVERY = 25
    """For how long a skill acts."""
    choices_per_epoch: EVERY = 40
    """Skills that are chosen in an epoch."""
    discrete: FlagCreatePairsOff[bool] = False
    """Choose among the goals where skills are directions too."""
    only_meta: FlagCreatePairsOff[bool] = False
    """Leave out the run from scratch."""
    hidden_units: EVERY = 64
    """Of the meta-controller."""
    batch_size: EVERY = 64
    """Transitions in a batch."""
    learning_rate: Annotated[float, arg(metavar="X")] = 3e-4
    """Of Adam."""
    evaluate_every: EVERY = 1
    """Epochs between measurements of the return."""
    resume: FlagCreatePairsOff[bool] = False
    """Continue the runs in the folder."""
    whose: WhoseFlags = field(default_factory=WhoseFlags)


def meta(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(MetaFlags, "adapt meta", words)
    task, options = task_of(flags.task, flags.task_options)
    folder, seeds = _folder(flags.out), seeds_of(flags.seeds)
    command = ["autotelic", "adapt", "meta", *words]
    (skills,) = learners_of(flags.source, flags.whose, command).values()
    shown = display.for_terminal()
    again = command if flags.resume else [*command, "--resume"]
    with interruptible(folder / FOLDERS[META], again):
        found = meta_control(
            skills,
            task,
            folder,
            options=options,
            seeds=seeds,
            epochs=flags.epochs,
            steps_per_skill=flags.steps_per_skill,
            choices_per_epoch=flags.choices_per_epoch,
            discrete=True if flags.discrete else None,
            from_scratch=not flags.only_meta,
            hidden_units=flags.hidden_units,
            batch_size=flags.batch_size,
            learning_rate=flags.learning_rate,
            evaluate_every=flags.evaluate_every,
            resume=flags.resume,
            observers=[shown],
        )
    _show(compare_arms(found.returns_over_steps()), task, len(seeds))
    episodes = len(next(iter(found.baselines.values())))
    rest = [(name, said(own)) for name, own in found.intervals().items()]
    show(f"without learning ({MEANS} over {episodes} episodes)", rest)
    exit_if_diverged(found.meta)


def _folder(out: str) -> Path:
    if not out:
        raise ValueError("--out is missing: say in which folder the run is to be kept")
    check_folder(Path(out))
    return Path(out)


def _show(arms: Sequence[Arm], task: str, seeds: int) -> None:
    """What came of arms, for people."""
    lines = []
    for arm in arms:
        difference = arm.final_difference
        beside = "" if difference is None else f", {said(difference)} more than from scratch"
        lines.append((arm.name, f"{said(arm.final)} at the end{beside}"))
    note = f"interquartile means and 95 % intervals over {seeds} seeds{caution(seeds)}"
    show(f"return in {task} ({note})", lines)
