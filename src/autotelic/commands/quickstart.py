"""`autotelic quickstart`: the library's main job in two minutes, and pictures of what came of it."""

import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from tyro.conf import arg

from autotelic import figures, paper
from autotelic.commands.interruption import interruptible
from autotelic.commands.paper_training import before_and_after
from autotelic.commands.reading import read_flags
from autotelic.commands.train import exit_if_diverged
from autotelic.evaluation import (
    discriminator_judgements,
    held_out_accuracy,
    mean_certainty,
    sample_trajectories,
)
from autotelic.figures.saving import save_bitmap
from autotelic.learner.setting import Setting
from autotelic.observers.display import for_terminal
from autotelic.runs import atomic
from autotelic.runs.history import History
from autotelic.runs.run import Runs
from autotelic.selectors import GoalSelector, LearnedPrior, effective_number_of_skills
from autotelic.training.train import train

METHODS: Mapping[str, GoalSelector] = {
    **{name: paper.FIGURES["fig1a"].methods[name] for name in ("DIAYN", "VIC", "DP, T = 0.1")},
    "Learned prior": LearnedPrior(),
}
SHOWN = "DP, T = 0.1"
"""The method whose goals and skills are drawn."""
PER_GOAL = 20
"""Fresh trajectories of every skill that the numbers are from."""
DRAWN_PER_GOAL = 5


@dataclass(frozen=True)
class QuickstartFlags:
    """Train 20 skills on 2D navigation with four goal selectors, three seeds each; draw the results.

    Run it again and the finished run is used again; an interrupted one is continued.
    """

    out: Annotated[str, arg(metavar="FOLDER")] = "quickstart"
    """Where the run, the pictures and the numbers are kept."""
    fresh: Annotated[bool, arg(help_behavior_hint="")] = False
    """Start anew, in a folder of a new name beside the one that is there."""


class MethodResult(NamedTuple):
    """A method's numbers at the end, as means over its seeds.

    effective_skills: of the last p(g).
    certainty: mean q(g | s) on fresh trajectories of all skills.
    accuracy: of naming the goal from one state, by a classifier fitted to other trajectories; and
      the same for the learners before training.
    """

    effective_skills: float
    certainty: float
    accuracy: float
    accuracy_untrained: float


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(QuickstartFlags, "quickstart", words)
    folder = choose_folder(Path(flags.out), flags.fresh)
    command = ["autotelic", "quickstart", "--out", str(folder)]
    with interruptible(folder / "run", command):
        quickstart(folder, paper.NAVIGATION_2D, METHODS, seeds=range(3), epochs=50)


def choose_folder(folder: Path, fresh: bool) -> Path:
    """The folder to use: one that is ours or free; with `fresh` the first free name."""
    if fresh:
        names = (folder.with_name(f"{folder.name}-{number}") for number in range(2, 10_000))
        return next(path for path in (folder, *names) if not path.exists())
    if folder.is_file():
        raise ValueError(f"{folder} is a file; name another folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "run" / "run.json").exists():
        raise ValueError(
            f"{folder} holds other files and no quickstart; name another folder with --out"
        )
    return folder


def quickstart(
    folder: Path,
    setting: Setting,
    methods: Mapping[str, GoalSelector],
    seeds: Sequence[int],
    epochs: int,
) -> dict[str, MethodResult]:
    """Train (or continue, or use again) the run in FOLDER/run; draw and print what came of it."""
    runs = train(
        setting,
        methods,
        seeds,
        epochs,
        atomic.inner(folder / "run"),
        resume=True,
        observers=[for_terminal()],
    )
    print("drawing and evaluating ...", flush=True)
    draw(folder, runs)
    results = evaluate(runs)
    write_csv(folder / "numbers.csv", results)
    Console().print(as_table(results, setting.num_goals))
    print(f"\nPictures and numbers are in {folder}:")
    for name in sorted(path.name for path in folder.iterdir() if path.is_file()):
        print(f"  {folder / name}")
    print("\nWhat to do next:")
    for line in next_steps(folder / "run", Path(sysconfig.get_path("scripts")), os.environ):
        print(f"  {line}")
    exit_if_diverged(runs)
    return results


def next_steps(run: Path, scripts: Path, environment: Mapping[str, str]) -> list[str]:
    """The commands to go on with, as the user's shell can run them.

    Args:
        run: the run that was trained.
        scripts: the folder of this Python's programs, `autotelic` among them.
        environment: the shell's variables.
    """
    first, program = [], "autotelic"
    found = shutil.which("autotelic", path=environment.get("PATH", ""))
    if found is None or Path(found).parent.resolve() != scripts.resolve():
        suffix = {"fish": ".fish", "csh": ".csh", "tcsh": ".csh"}
        shell = Path(environment.get("SHELL", "")).name
        activate = scripts / f"activate{suffix.get(shell, '')}"
        if activate.exists():
            word = "" if os.name == "nt" else "source "
            first = [f"{word}{_short(activate)}"]
        else:
            program = f"{_short(Path(sys.executable))} -m autotelic"
    steps = [
        (f"{program} report {_short(run)}", "this run on a page to open in a browser"),
        (f"{program} train navigation2d --out runs/first", "a run of your own"),
        (f"{program} train --help", "environments, methods and options"),
    ]
    width = max(len(command) for command, _ in steps)
    return first + [f"{command:<{width}}  # {what}" for command, what in steps]


def _short(path: Path) -> str:
    """A path as a word of the shell, from the current folder where it lies in it."""
    with suppress(ValueError):
        path = path.absolute().relative_to(Path.cwd())
    return shlex.quote(str(path))


def draw(folder: Path, runs: Runs) -> None:
    """The forms of the paper's Figures 1(a), 2 and 4."""
    both = before_and_after(runs, runs.example(SHOWN), DRAWN_PER_GOAL)
    pictures = {
        "effective_skills": figures.effective_skills(runs),
        "goal_dynamics": figures.goal_dynamics(runs, *runs.example(SHOWN)),
        "skill_trajectories": figures.skill_trajectories(*both),
    }
    for name, figure in pictures.items():
        save_bitmap(figure, folder, name)


def evaluate(runs: Runs) -> dict[str, MethodResult]:
    """The numbers of every method."""
    before = sample_trajectories(runs, PER_GOAL, untrained=True)
    after = sample_trajectories(runs, PER_GOAL)
    last = {history.member: history.prior[-1] for history in History(runs).learners()}
    certainty = [mean_certainty(judged) for judged in discriminator_judgements(runs, after)]
    members = np.stack(
        [
            effective_number_of_skills([last[member] for member in after.members]),
            certainty,
            held_out_accuracy(after).per_step,
            held_out_accuracy(before).per_step,
        ],
        axis=1,
    )
    # A method all of whose learners diverged has none of these.
    methods = np.array([method for method, _ in after.members])
    return {
        method: MethodResult(*map(float, members[methods == method].mean(axis=0)))
        for method in runs.methods
        if method in methods
    }


def write_csv(path: Path, results: Mapping[str, MethodResult]) -> None:
    """The numbers as a file that pandas and spreadsheets open."""
    import pandas

    frame = pandas.DataFrame(list(results.values()), index=list(results))
    atomic.write_bytes(path, frame.to_csv(index_label="method").encode())


def as_table(results: Mapping[str, MethodResult], num_goals: int) -> Table:
    """The numbers for people."""
    table = Table(title="After training (means over seeds)", title_justify="left")
    table.add_column("method")
    for name, chance in (
        ("effective\nskills", f"of {num_goals}"),
        ("certainty\nof all skills", f"chance {1 / num_goals:.2f}"),
        ("accuracy from\none state", f"chance {1 / num_goals:.2f}"),
        ("the same,\nuntrained", f"chance {1 / num_goals:.2f}"),
    ):
        table.add_column(f"{name}\n({chance})", justify="right")
    for method, result in results.items():
        skills, *shares = result
        table.add_row(method, f"{skills:.1f}", *(f"{share:.2f}" for share in shares))
    return table
