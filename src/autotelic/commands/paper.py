"""`autotelic paper`: trains, evaluates and draws one of the paper's figures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from matplotlib.figure import Figure as Picture
from tyro.conf import DisallowNone, Positional, arg

from autotelic import _validate, figures, paper
from autotelic.commands.interruption import interruptible
from autotelic.commands.reading import check_folder, read_flags
from autotelic.commands.train import exit_if_diverged
from autotelic.evaluation import Trajectories, sample_trajectories
from autotelic.evaluation.embedding import SkillSource, embed_skills
from autotelic.figures import EmbeddingPanel
from autotelic.figures.saving import footnote, save
from autotelic.flags.setting import MOST_SEEDS
from autotelic.observers.display import for_terminal
from autotelic.observers.health import HealthWatch
from autotelic.runs.run import Runs
from autotelic.training.train import train

FigureName = Literal["fig1a", "fig1b", "fig1c", "fig2", "fig3", "fig4"]

DRAWN_PER_SKILL = 10
"""Trajectories of each skill in Figure 4."""
DRAWN_STEPS = 15
EMBEDDED_PER_SKILL = 100
"""Trajectories of each skill in Figure 3."""


@dataclass(frozen=True)
class PaperFlags:
    """Train what a figure of the paper compares, with the paper's settings, and draw it.

    Stopped, it continues where it was; finished, it only draws again. A smaller figure says so on
    itself.
    """

    figure: Annotated[Positional[FigureName], arg(metavar="FIGURE")]
    """fig1a (2D navigation), fig1b (Half-Cheetah), fig1c (Ant): effective number of skills; fig2: goal
    selection; fig3: t-SNE of the skills; fig4: trajectories of the skills."""
    epochs: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: the figure's)")
    ] = None
    """Epochs to train, for a smaller or larger figure."""
    seeds: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: the figure's)")
    ] = None
    """Seeds of each method."""
    out: Annotated[str, arg(metavar="FOLDER", help_behavior_hint="(default: paper/FIGURE)")] = ""
    """Where the run and the figure are kept."""


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(PaperFlags, "paper", words)
    spec = paper.FIGURES[flags.figure]
    epochs = spec.epochs if flags.epochs is None else flags.epochs
    seeds = spec.num_seeds if flags.seeds is None else flags.seeds
    _validate.integer("--epochs", epochs, minimum=1)
    _validate.integer("--seeds", seeds, minimum=1, maximum=MOST_SEEDS)
    check_epochs(flags.figure, epochs)
    folder = Path(flags.out or f"paper/{flags.figure}")
    check_folder(folder)
    check_ours(folder, "run of this figure")
    command = ["autotelic", "paper", flags.figure, "--out", str(folder)]
    command += [] if flags.epochs is None else ["--epochs", str(epochs)]
    command += [] if flags.seeds is None else ["--seeds", str(seeds)]
    with interruptible(folder / "run", command):
        draw_figure(flags.figure, folder, epochs, seeds)


def check_epochs(figure: str, epochs: int) -> None:
    """Refuse a run that would end before the figure has anything to show."""
    goals = paper.FIGURES[figure].setting.num_goals
    if figure.startswith(("fig1", "fig2")) and epochs <= goals:
        raise ValueError(
            f"{figure} needs more than {goals} epochs, got {epochs}: the first {goals} only try each "
            "of the goals once"
        )


def check_ours(folder: Path, what: str) -> None:
    """Refuse a folder with other things in it; `what` is to be there if anything is."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "run" / "run.json").exists():
        raise ValueError(
            f"{folder} holds other files and no {what}; name another folder with --out"
        )


def draw_figure(name: str, folder: Path, epochs: int, num_seeds: int) -> list[Path]:
    """Train (or continue, or use again) the run in FOLDER/run, and draw the figure into FOLDER."""
    spec = paper.FIGURES[name]
    display = for_terminal()
    runs = train(
        spec.setting,
        spec.methods,
        range(num_seeds),
        epochs,
        folder / "run",
        resume=True,
        observers=[display, HealthWatch(display.note)],
    )
    print("drawing ...", flush=True)
    drawn = DRAW[name](runs)
    note = scaled_down(spec, epochs, num_seeds)
    if note:
        footnote(drawn, note)
    paths = save(drawn, folder, name)
    print(*paths, *([note] if note else []), sep="\n")
    exit_if_diverged(runs)
    return paths


def scaled_down(spec: paper.Figure, epochs: int, num_seeds: int) -> str:
    """What is less than the figure's own size, as a sentence; empty if nothing is."""
    parts = [f"{epochs} of {spec.epochs} epochs"] * (epochs < spec.epochs)
    parts += [f"{num_seeds} of {spec.num_seeds} seeds"] * (num_seeds < spec.num_seeds)
    return f"Scaled down: {', '.join(parts)}." if parts else ""


def _effective_skills(title: str) -> Callable[[Runs], Picture]:
    return lambda runs: figures.effective_skills(runs, title=title)


def _goal_dynamics(runs: Runs) -> Picture:
    return figures.goal_dynamics(runs, *runs.example(runs.methods[0]))


def _skill_trajectories(runs: Runs) -> Picture:
    method = runs.methods[0]
    both = before_and_after(runs, method, DRAWN_PER_SKILL, DRAWN_STEPS)
    return figures.skill_trajectories(
        *both, titles=("Untrained", f"{method}, {runs.epochs} epochs")
    )


def before_and_after(
    runs: Runs, method: str, per_goal: int, steps: int | None = None
) -> Iterator[Trajectories]:
    """Trajectories of a method's first sound learner, untrained and trained."""
    for untrained in (True, False):
        yield sample_trajectories(
            runs, per_goal, steps=steps, untrained=untrained, members=[runs.example(method)]
        )


def _skill_embedding(runs: Runs) -> Picture:
    titles = {method: f"{method}, {runs.epochs} epochs" for method in runs.methods}
    return embedding(runs, titles, EMBEDDED_PER_SKILL, lambda message: print(message, flush=True))


def embedding(
    runs: Runs, titles: Mapping[str, str], per_goal: int, progress: Callable[[str], None]
) -> Picture:
    """Untrained skills and those of the methods that have titles, a panel each with its numbers below."""
    sources = [SkillSource(runs.members[0], trained=False)]
    sources += [SkillSource(runs.example(method), trained=True) for method in titles]
    found = embed_skills(runs, sources, per_goal, progress=progress)
    panels = [
        EmbeddingPanel(
            title,
            own.places,
            f"KNN-F1 {own.knn_f1:.2f}, held-out accuracy {own.held_out_accuracy:.2f}",
        )
        for title, own in zip(["Untrained", *titles.values()], found, strict=True)
    ]
    return figures.skill_embedding(panels)


DRAW: Mapping[str, Callable[[Runs], Picture]] = {
    "fig1a": _effective_skills("2D navigation"),
    "fig1b": _effective_skills("Half-Cheetah"),
    "fig1c": _effective_skills("Ant"),
    "fig2": _goal_dynamics,
    "fig3": _skill_embedding,
    "fig4": _skill_trajectories,
}
