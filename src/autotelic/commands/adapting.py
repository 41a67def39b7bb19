"""What the ways of `autotelic adapt` share: whose skills, in which task, and numbers for people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import DisallowNone, arg

from autotelic.commands.export import chosen_learner
from autotelic.evaluation.statistics import Interval
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.flags.setting import options_of
from autotelic.runs.export import skills_of
from autotelic.skills import Skills

MEANS = "means and 95 % intervals"
METHOD = Annotated[
    str, arg(metavar="NAME", help_behavior_hint="(default: the run's, if it has one)")
]


@dataclass(frozen=True)
class WhoseFlags:
    """Whose skills, of a run."""

    method: METHOD = ""
    """The learners' method."""
    seed: Annotated[
        DisallowNone[int | None],
        arg(metavar="N", help_behavior_hint="(default: all, or the first)"),
    ] = None
    """One learner's seed."""
    own: OwnFlags = field(default_factory=OwnFlags)


def learners_of(
    source: str, whose: WhoseFlags, command: Sequence[str], *, every: bool = False
) -> dict[int, Skills]:
    """Skills by their learner's seed: of a file one, of a run that of the flags, or all of a method."""
    path = Path(source)
    if not path.exists():
        raise ValueError(f"{path} is not there; name a run, or a file of `autotelic export`")
    if not path.is_dir():
        return {0: Skills.load(path)}
    runs = open_run(source, whose.own, command)
    method, seed = chosen_learner(runs, whose.method, whose.seed)
    chosen = [(method, seed)]
    if every and whose.seed is None:
        chosen = [member for member in runs.sound_members if member[0] == method]
    return {seed: skills_of(runs, method, seed) for method, seed in chosen}


def task_of(task: str, words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A task and its options, as flags spell them."""
    if not task:
        raise ValueError(
            "--task is missing: a Gymnasium id with a reward, such as autotelic/AntMultiGoal-v0 or "
            "HalfCheetah-v5"
        )
    return task, options_of(words)


def said(interval: Interval, words: str = "") -> str:
    """An estimate and its interval.

    >>> said(Interval(1.0, 0.5, 1.5))
    '1.00 (0.50 to 1.50)'
    """
    estimate, low, high = interval
    around = "" if low == high else f" ({low:.2f} to {high:.2f})"
    return f"{estimate:.2f}{around}{words}"


def show(title: str, lines: Iterable[tuple[str, str]]) -> None:
    """Names and what is said of them, in two columns."""
    lines = list(lines)
    width = max(len(name) for name, _ in lines)
    print(title)
    for name, words in lines:
        print(f"  {name:<{width}}  {words}")
