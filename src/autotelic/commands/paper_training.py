"""`autotelic paper` where it trains: runs, the data of their seeds, and the figures of these."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from autotelic import _validate, paper
from autotelic.commands.interruption import interruptible
from autotelic.commands.paper import (
    PARTS,
    PaperFlags,
    draw_into,
    draw_together,
    folder_of,
)
from autotelic.commands.train import exit_if_diverged
from autotelic.evaluation import Trajectories, sample_trajectories
from autotelic.evaluation.embedding import SkillSource, embed_skills
from autotelic.figures.paper_data import (
    PATTERN,
    data_of,
    file_name,
    find_data,
    load_data,
    reading_of,
)
from autotelic.figures.paper_figures import PANELS
from autotelic.observers.display import for_terminal
from autotelic.observers.health import HealthWatch
from autotelic.progress import READINGS
from autotelic.runs import atomic
from autotelic.runs.run import Runs, load
from autotelic.training.train import train

DRAWN_PER_SKILL = 10
"""Trajectories of each skill in Figure 4."""
DRAWN_STEPS = 15
EMBEDDED_PER_SKILL = 100
"""Trajectories of each skill in Figure 3."""


def train_figures(flags: PaperFlags) -> None:
    """Train, keep and draw what the flags ask for; refuse what does not fit before anything is trained."""
    root = folder_of(flags)
    several = flags.figure in PARTS
    wanted = {}
    for name in PARTS.get(flags.figure, (flags.figure,)):
        figure = figure_of(name, flags.reading, several)
        epochs = figure.epochs if flags.epochs is None else flags.epochs
        check_epochs(name, epochs)
        folder = folder_in(root, name, flags, figure)
        check_ours(folder, name, figure)
        wanted[name] = (figure, epochs, folder)
    drawn, trained = {}, []
    for name, (figure, epochs, folder) in wanted.items():
        trained.append(train_figure(name, figure, epochs, folder, flags))
        drawn[name] = find_data([folder], name)
        draw_into(folder, drawn[name])
    if several:
        draw_together(root, [data for name, data in drawn.items() if name in PANELS])
    for runs in trained:
        exit_if_diverged(runs)


def figure_of(name: str, reading: str, several: bool) -> paper.Figure:
    """The figure in a reading of DP, by default ours."""
    figure = paper.FIGURES[name]
    if not reading:
        return figure
    _validate.choice("--reading", reading, READINGS)
    if figure.progress is None and not several:
        raise ValueError(f"--reading {reading}: {name} trains no DP to read; leave --reading out")
    return figure.read_as(reading)


def folder_in(root: Path, name: str, flags: PaperFlags, figure: paper.Figure) -> Path:
    """Of one figure: with its reading in its name where that is not ours and no name was given."""
    folder = root / name if flags.figure in PARTS else root
    of_its_own = figure.progress is not None and flags.reading not in ("", paper.READING)
    if of_its_own and (flags.figure in PARTS or not flags.out):
        folder = folder.with_name(f"{folder.name}-{flags.reading}")
    return atomic.inner(folder) if flags.figure in PARTS else folder


def check_epochs(figure: str, epochs: int) -> None:
    """Refuse a run that would end before the figure has anything to show."""
    goals = paper.FIGURES[figure].setting.num_goals
    if figure.startswith(("fig1", "fig2")) and epochs <= goals:
        raise ValueError(
            f"{figure} needs more than {goals} epochs, got {epochs}: the first {goals} only try each "
            "of the goals once"
        )


def check_ours(folder: Path, name: str, figure: paper.Figure) -> None:
    """Refuse a folder with other things in it, or with what another reading has trained."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    runs = sorted(folder.glob("run*/run.json"))
    if not runs and not any(folder.glob(PATTERN)):
        raise ValueError(
            f"{folder} holds other files and no run of this figure; name another folder with --out"
        )
    ours = None if figure.progress is None else figure.progress.normalization
    found = [reading_of(load(path.parent).description["methods"]) for path in runs]
    if any(folder.glob(PATTERN)):
        found += [data.head["reading"] for data in find_data([folder], name)]
    for reading in found:
        if reading != ours:
            raise ValueError(
                f"{folder} was trained with the reading {reading} of DP, not with {ours}; name another "
                f"folder with --out, or give --reading {reading}"
            )


def train_figure(
    name: str, figure: paper.Figure, epochs: int, folder: Path, flags: PaperFlags
) -> Runs:
    """Train (or continue, or use again) the run, and keep its seeds' data."""
    seeds = range(flags.seeds or figure.num_seeds) if flags.seed is None else [flags.seed]
    run = atomic.inner(folder / ("run" if flags.seed is None else f"run_seed{flags.seed}"))
    command = command_of(name, folder, flags)
    display = for_terminal()
    with interruptible(run, command):
        runs = train(
            figure.setting,
            figure.methods,
            seeds,
            epochs,
            run,
            resume=True,
            observers=[display, HealthWatch(display.note)],
        )
        whole = {"seeds": figure.num_seeds, "epochs": figure.epochs}
        for seed in seeds:
            if not is_kept(folder / file_name(name, seed), runs):
                shown = shown_of(name, runs, seed)
                made = data_of(runs, seed, name, whole, " ".join(command), shown)
                print(made.save(folder), flush=True)
    return runs


def is_kept(path: Path, runs: Runs) -> bool:
    """Whether the data of a seed is there already: the same settings and epochs give the same."""
    if not path.exists():
        return False
    head = load_data(path).head
    ours = ("setting", "methods", "epochs")
    return all(head[part] == runs.description[part] for part in ours)


def command_of(name: str, folder: Path, flags: PaperFlags) -> list[str]:
    """The words that train this figure again."""
    command = ["autotelic", "paper", name, "--out", str(folder)]
    command += ["--reading", flags.reading] if flags.reading else []
    for word in ("epochs", "seeds", "seed"):
        value = getattr(flags, word)
        command += [] if value is None else [f"--{word}", str(value)]
    return command


def shown_of(name: str, runs: Runs, seed: int) -> dict[str, np.ndarray]:
    """What Figures 3 and 4 show of a seed beside its history; nothing if a learner of it diverged."""
    members = [(method, seed) for method in runs.methods]
    if not set(members) <= set(runs.sound_members):
        return {}
    if name == "fig3":
        return embedded(runs, members)
    if name == "fig4":
        both = before_and_after(runs, members[0], DRAWN_PER_SKILL, DRAWN_STEPS)
        places = [part.positions[0] for part in both if part.positions is not None]
        return {"paths": np.stack(places).astype(np.float32)}
    return {}


def embedded(runs: Runs, members: Sequence[tuple[str, int]]) -> dict[str, np.ndarray]:
    """Of a seed's untrained skills and of each method's: places by t-SNE, and numbers that need none."""
    sources = [SkillSource(members[0], trained=False)]
    sources += [SkillSource(member, trained=True) for member in members]
    found = embed_skills(
        runs, sources, EMBEDDED_PER_SKILL, progress=lambda said: print(said, flush=True)
    )
    return {
        "places": np.stack([one.places for one in found]).astype(np.float16),
        "knn_f1": np.array([one.knn_f1 for one in found], np.float32),
        "held_out_accuracy": np.array([one.held_out_accuracy for one in found], np.float32),
    }


def before_and_after(
    runs: Runs, member: tuple[str, int], per_goal: int, steps: int | None = None
) -> Iterator[Trajectories]:
    """Trajectories of a learner, untrained and trained."""
    for untrained in (True, False):
        yield sample_trajectories(
            runs, per_goal, steps=steps, untrained=untrained, members=[member]
        )
