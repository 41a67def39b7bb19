"""`autotelic figures`: every figure that fits a run, into a folder of its own."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from matplotlib.figure import Figure
from tyro.conf import Positional, arg

from autotelic import figures
from autotelic.commands.exit_codes import REFUSED, exit_code
from autotelic.commands.paper_training import before_and_after
from autotelic.commands.reading import check_folder, read_flags
from autotelic.environments import bounds_of
from autotelic.evaluation import coverage_trajectories
from autotelic.evaluation.embedding import SkillSource, embed_skills
from autotelic.evaluation.evaluate import trained_epochs
from autotelic.evaluation.results import Evaluation, load_evaluation
from autotelic.figures import EmbeddingPanel
from autotelic.figures.saving import save
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.runs import atomic
from autotelic.runs.diverged import left_out
from autotelic.runs.run import Runs

DRAWN_PER_SKILL = 5
EMBEDDED_PER_SKILL = 20


@dataclass(frozen=True)
class FiguresFlags:
    """Draw every figure that fits a run, as PDF and PNG.

    Learning curves show what was measured while training (autotelic train --evaluate-every N); the
    comparison of methods needs `autotelic evaluate` first.
    """

    folder: Annotated[Positional[str], arg(metavar="FOLDER")]
    """A run, finished or with a checkpoint."""
    out: Annotated[str, arg(metavar="FOLDER", help_behavior_hint="(default: FOLDER/figures)")] = ""
    """Where the figures are written."""
    own: OwnFlags = field(default_factory=OwnFlags)


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(FiguresFlags, "figures", words)
    runs = open_run(flags.folder, flags.own, ["autotelic", "figures", *words])
    if trained_epochs(runs) == 0:
        raise ValueError(
            f"{flags.folder} has no checkpoint yet, so there is nothing to draw; train it further"
        )
    folder = Path(flags.out) if flags.out else atomic.inner(runs.folder / "figures")
    check_folder(folder)
    if runs.diverged:
        print(left_out(runs.diverged, len(runs.members)), flush=True)
    for name, draw in drawings(runs):
        try:
            drawn = draw()
        except ValueError as error:
            # What a run is too small for, or has not got, says so; the other figures are drawn.
            if exit_code(error) != REFUSED:
                raise
            print(f"{name} is left out: {error}", flush=True)
            continue
        print(*save(drawn, folder, name), flush=True)


def drawings(runs: Runs) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """The figures by the names of their files; those of one learner are of the first seed that did not
    diverge.
    """
    yield "effective_skills", lambda: figures.effective_skills(runs)
    yield "learning_curves", lambda: figures.learning_curves(runs)
    yield "comparison", lambda: figures.comparison(_evaluation(runs))
    yield "skill_embedding", lambda: _embedding(runs)
    if runs.setting.objective.has_places:
        yield "goal_map", lambda: figures.goal_map(runs)
    if bounds_of(runs.environment) is None:  # within bounds, skill_trajectories shows the whole box
        yield "ground_traces", lambda: _ground(runs)
    for number, method in enumerate(runs.methods):
        label = f"{number}_{file_name(method)}"
        yield f"goal_dynamics_{label}", lambda method=method: _dynamics(runs, runs.example(method))
        yield f"skill_trajectories_{label}", lambda method=method: _trajectories(runs, method)


def file_name(method: str) -> str:
    """A method's name as part of a file's.

    >>> file_name("DP, T = 0.1"), file_name("../../etc")
    ('DP_T_0.1', 'etc')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "_", method).strip("_.") or "method"


def _evaluation(runs: Runs) -> Evaluation:
    """The run's evaluation; refuses one of skills that have been trained further since."""
    found, done = load_evaluation(runs.folder), trained_epochs(runs)
    if found.setting.epochs != done:
        raise ValueError(
            f"{runs.folder} was evaluated after {found.setting.epochs} epochs, and is trained for "
            f"{done} now; use `autotelic evaluate` again"
        )
    return found


def _ground(runs: Runs) -> Figure:
    methods = dict.fromkeys(method for method, _ in runs.sound_members)
    members = [runs.example(method) for method in methods]
    return figures.ground_traces(coverage_trajectories(runs, members=members))


def _embedding(runs: Runs) -> Figure:
    """Untrained skills and those of each method, a panel each with its numbers below."""
    methods = list(dict.fromkeys(method for method, _ in runs.sound_members))
    sources = [SkillSource(runs.members[0], trained=False)]
    sources += [SkillSource(runs.example(method), trained=True) for method in methods]
    found = embed_skills(runs, sources, EMBEDDED_PER_SKILL)
    panels = [
        EmbeddingPanel(
            title,
            own.places,
            f"KNN-F1 {own.knn_f1:.2f}, held-out accuracy {own.held_out_accuracy:.2f}",
        )
        for title, own in zip(["Untrained", *methods], found, strict=True)
    ]
    return figures.skill_embedding(panels)


def _dynamics(runs: Runs, member: tuple[str, int]) -> Figure:
    title = f"{member[0]}, seed {member[1]}"
    return figures.goal_dynamics(runs, *member, signal="Selector's value", title=title)


def _trajectories(runs: Runs, method: str) -> Figure:
    both = before_and_after(runs, runs.example(method), DRAWN_PER_SKILL)
    return figures.skill_trajectories(*both, titles=("Untrained", method))
