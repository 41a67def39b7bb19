"""`autotelic paper`: trains, evaluates and draws the paper's figures, or draws them from kept data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import DisallowNone, Positional, arg

from autotelic import _validate
from autotelic.commands.reading import check_folder, read_flags
from autotelic.figures.paper_data import SeedData, chosen_data, find_data, read_data
from autotelic.figures.paper_figures import PANELS, draw, draw_panels
from autotelic.figures.saving import save
from autotelic.flags.words import MOST_SEEDS
from autotelic.runs import atomic

FigureName = Literal["fig1", "fig1a", "fig1b", "fig1c", "fig2", "fig3", "fig4", "all"]
PARTS: Mapping[str, tuple[str, ...]] = {
    "fig1": tuple(PANELS),
    "all": (*PANELS, "fig2", "fig3", "fig4"),
}
"""What else than a figure can be asked for."""
ROOT = Path("paper")


@dataclass(frozen=True)
class PaperFlags:
    """Train what a figure of the paper compares, with the paper's settings, and draw it.

    Stopped, it continues where it was; finished, it only draws again. Beside the picture lies a small file
    for each seed, FIGURE_seedN.npz, from which --from draws again without training. A smaller figure says so
    on itself.
    """

    figure: Annotated[Positional[FigureName], arg(metavar="FIGURE")]
    """fig1a (2D navigation), fig1b (Half-Cheetah), fig1c (Ant): effective number of skills, fig1: these three
    side by side; fig2: goal selection; fig3: t-SNE of the skills; fig4: trajectories; all: all of them."""
    epochs: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: the figure's)")
    ] = None
    """Epochs, for a smaller or larger figure."""
    seeds: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: the figure's)")
    ] = None
    """How many seeds each method has, from 0."""
    seed: Annotated[
        DisallowNone[int | None], arg(metavar="N", help_behavior_hint="(default: all)")
    ] = None
    """Train this seed alone; what is drawn are all seeds of the folder."""
    reading: Annotated[str, arg(metavar="NAME", help_behavior_hint="(default: relative)")] = ""
    """Normalisation of DP, which the paper leaves open: docs/paper.md has them."""
    come_from: Annotated[
        tuple[str, ...], arg(name="from", metavar="FOLDER ...", help_behavior_hint="(default: no)")
    ] = ()
    """Train nothing: draw from the data in these folders or files, of as many seeds as are there."""
    out: Annotated[
        str,
        arg(metavar="FOLDER", help_behavior_hint="(default: paper/FIGURE, or paper for several)"),
    ] = ""
    """Where runs, data and figures are kept."""


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(PaperFlags, "paper", words)
    if flags.epochs is not None:
        _validate.integer("--epochs", flags.epochs, minimum=1)
    if flags.seeds is not None:
        _validate.integer("--seeds", flags.seeds, minimum=1, maximum=MOST_SEEDS)
    if flags.seed is not None:
        _validate.seed("--seed", flags.seed)
        if flags.seeds is not None:
            raise ValueError(
                "--seed trains one seed and --seeds so many of them; give one of the two"
            )
    check_folder(folder_of(flags))
    if flags.come_from:
        draw_again(flags)
        return
    # Loads JAX, which drawing does without.
    from autotelic.commands.paper_training import train_figures

    train_figures(flags)


def folder_of(flags: PaperFlags) -> Path:
    """Where a figure is kept, or the figures that are asked for together."""
    if flags.out:
        return Path(flags.out)
    return ROOT if flags.figure in PARTS else ROOT / flags.figure


def draw_again(flags: PaperFlags) -> None:
    """`--from`: draw from the data in folders and files."""
    wanted = PARTS.get(flags.figure, (flags.figure,))
    if flags.figure in PARTS:  # of several those that are there
        there = {data.figure for data in read_data(flags.come_from)}
        wanted = tuple(name for name in wanted if name in there)
    if not wanted:
        raise ValueError(
            f"--from {' '.join(flags.come_from)}: here is no data of a figure of the paper; name a folder "
            "that `autotelic paper FIGURE` has written to"
        )
    found = {
        name: chosen(flags, find_data(flags.come_from, name, reading=flags.reading))
        for name in wanted
    }
    folder = folder_of(flags)
    if flags.figure != "fig1":
        for name, data in found.items():
            kept = atomic.inner(folder / name) if flags.figure in PARTS else folder
            draw_into(kept, data)
    if flags.figure in PARTS:
        draw_together(folder, [data for name, data in found.items() if name in PANELS])


def chosen(flags: PaperFlags, data: list[SeedData]) -> list[SeedData]:
    """The seeds and epochs that the flags ask for."""
    seeds = None if flags.seeds is None else range(flags.seeds)
    return chosen_data(data, seeds if flags.seed is None else [flags.seed], flags.epochs)


def draw_into(folder: Path, data: Sequence[SeedData]) -> None:
    """One figure as PDF and PNG, named in the shell."""
    print(*save(draw(data), folder, data[0].figure), sep="\n", flush=True)


def draw_together(folder: Path, panels: Sequence[Sequence[SeedData]]) -> None:
    """Figure 1 as a whole, of the panels that are there."""
    if panels:
        place = atomic.inner(folder / "fig1")
        print(*save(draw_panels(panels), place, "fig1"), sep="\n", flush=True)
