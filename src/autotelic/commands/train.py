"""`autotelic train`: train goal selectors in an environment, or continue a run."""

import dataclasses
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autotelic import _names
from autotelic._machine import free_memory
from autotelic._spelling import is_own
from autotelic.commands.dry_run import AtHand, told
from autotelic.commands.interruption import interruptible
from autotelic.commands.reading import check_folder
from autotelic.flags.own_parts import OwnFlags, method_word, open_run
from autotelic.flags.parts import check_part_flags
from autotelic.flags.setting import (
    DEFAULT_METHODS,
    TrainFlags,
    base_setting,
    flags_of,
    options_of,
    parse,
    seeds_of,
    setting_of,
)
from autotelic.learner.setting import Setting
from autotelic.observers import display as progress_display
from autotelic.observers import sinks
from autotelic.observers.base import Observer
from autotelic.observers.health import HealthWatch
from autotelic.presets import method_options
from autotelic.runs.diverged import left_out
from autotelic.runs.run import Runs
from autotelic.selectors import GoalSelector
from autotelic.selectors.spelling import describe, from_description, parse_method
from autotelic.training.rehearsal import rehearse
from autotelic.training.train import train


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags, base, saved = read(words)
    methods = methods_of(flags, saved)
    setting = setting_of(flags, base)
    if flags.dry_run:
        tell_size(flags, setting, methods)
        return
    display = progress_display.for_terminal()
    observers = [display, HealthWatch(display.note), *sinks_of(flags)]
    with interruptible(Path(flags.out), resume_command(flags, methods)):
        runs = train(
            setting,
            methods,
            seeds_of(flags.seeds),
            flags.epochs,
            flags.out,
            resume=flags.resume,
            checkpoint_every=flags.checkpoint_every,
            evaluate_every=flags.evaluate_every,
            observers=observers,
        )
    print(f"{runs.folder} holds the run: history.csv has every epoch, skills.npz what was learned")
    exit_if_diverged(runs)


def tell_size(flags: TrainFlags, setting: Setting, methods: Mapping[str, GoalSelector]) -> None:
    """`--dry-run`: what the run would take."""
    sinks_of(flags)  # refuses what is not installed
    rehearsal = rehearse(
        setting,
        methods,
        seeds_of(flags.seeds),
        flags.epochs,
        flags.out,
        resume=flags.resume,
        checkpoint_every=flags.checkpoint_every,
        evaluate_every=flags.evaluate_every,
    )
    folder = Path(flags.out).absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    at_hand = AtHand(free_memory(), shutil.disk_usage(existing).free)
    print("\n".join(told(rehearsal, at_hand)))


def exit_if_diverged(runs: Runs) -> None:
    """End the command as failed if not all learners were trained to the end, and say which and why."""
    if runs.diverged:
        sentences = [one.sentence for one in runs.diverged]
        sys.exit("\n".join([left_out(runs.diverged, len(runs.members)), *sentences]))


def read(words: Sequence[str]) -> tuple[TrainFlags, Setting, Runs | None]:
    """The flags, the setting their defaults come from, and the run to be continued.

    The words are read twice: first to learn which defaults they ask for (the environment's, the
    paper's, or those of the run to be continued), then with these defaults.
    """
    first = parse(words, TrainFlags())
    if not first.out:
        raise ValueError("--out is missing: say in which folder the run is to be kept")
    check_folder(Path(first.out))
    saved = None
    if first.resume and (Path(first.out) / "run.json").exists():
        saved = open_run(first.out, own_flags(first), ["autotelic", "train", *words])
    base = base_setting(first, saved, words)
    default = TrainFlags(**flags_of(base))
    if saved is not None:
        seeds = ",".join(str(seed) for seed in saved.seeds) + ","
        default = dataclasses.replace(default, seeds=seeds, epochs=saved.epochs)
    flags = parse(words, default)
    check_part_flags(words, flags.agent, flags.objective)
    return flags, base, saved


def own_flags(flags: TrainFlags) -> OwnFlags:
    """What the flags name that is the user's own."""
    agent, objective = flags.agent.agent, flags.objective.objective
    environment, options = flags.environment, options_of(flags.setting.environment_options)
    if not _names.IMPORT_PATH.fullmatch(environment):
        environment = "".join(_names.imports_of(environment, options)[:1])
    return OwnFlags(
        environment=environment,
        agent=agent if is_own(agent) else "",
        objective=objective if is_own(objective) else "",
    )


def methods_of(flags: TrainFlags, saved: Runs | None) -> Mapping[str, GoalSelector]:
    """The selectors by their labels: those given, those of the continued run, or the defaults."""
    if saved is not None and not flags.methods:
        try:
            return {
                label: from_description(description)
                for label, description in saved.description["methods"].items()
            }
        except ValueError as error:
            raise ValueError(
                f"{flags.out} has a method that a file cannot bring back ({error}); name its methods "
                f"again: --methods {shlex.join(map(method_word, saved.methods))}"
            ) from error
    methods: dict[str, GoalSelector] = {}
    known = saved.description["methods"] if saved is not None else {}
    environment = flags.environment or (saved.setting.environment if saved is not None else "")
    options = method_options(flags.preset, environment)
    for spelling in flags.methods or DEFAULT_METHODS:
        label, selector = parse_method(spelling, options)
        if label in methods:
            raise ValueError(f"the method {label!r} is given twice")
        if known.get(label, {}).get("name"):  # begun with a preset's options, for example
            selector = from_description(known[label])
        methods[label] = selector
    return methods


def sinks_of(flags: TrainFlags) -> list[Observer]:
    """The further places that the flags want the numbers in."""
    chosen: list[Observer] = []
    if flags.tensorboard:
        chosen.append(sinks.TensorBoard())
    if flags.wandb:
        chosen.append(sinks.WeightsAndBiases(flags.wandb))
    return chosen


def resume_command(flags: TrainFlags, methods: Mapping[str, GoalSelector]) -> list[str]:
    """The words that continue the run; what is the user's own must be named again."""
    words = ["autotelic", "train", "--resume", "--out", flags.out]
    if any(describe(selector)["name"] is None for selector in methods.values()):
        words += ["--methods", *methods]
    for part, word in vars(own_flags(flags)).items():
        words += [f"--{part}", word] if word else []
    words += ["--tensorboard"] * flags.tensorboard
    words += ["--wandb", flags.wandb] if flags.wandb else []
    return words
