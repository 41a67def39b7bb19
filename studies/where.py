"""Where choosing goals pays, as one picture: `auto` in families of goals, and other selectors in a maze.

    python -m studies.where

It reads the comparisons of the studies in docs/results; what is not computed yet is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autotelic.evaluation.statistics import Interval
from autotelic.figures.saving import footnote, save_bitmap
from autotelic.figures.style import PAGE, style, tidy
from studies.markdown import excludes_zero, interval_of
from studies.tables import FILES, read

RESULTS = Path("docs/results")
NAME = "where_it_pays"
BASELINE = "round-robin"


class Family(NamedTuple):
    """Goals of a kind: where differences to round-robin are found."""

    study: str
    condition: str = ""
    measure: str = "area_success"


FAMILIES: Mapping[str, Family] = {
    "maze, half impossible": Family("places_auto_maze", "half impossible"),
    "the same, other seeds": Family("places_afterwards", "explore"),
    "the same, learners stay": Family("places_afterwards", "stay"),
    "maze, 3 of 4 impossible": Family("places_auto_maze_shares", "three quarters impossible"),
    "maze, 1 of 4 impossible": Family("places_auto_maze_shares", "a quarter impossible"),
    "maze, none impossible": Family("places_auto_maze", "none impossible"),
    "velocities for a second": Family("places_held_velocities"),
    "small maze, all near": Family("places_auto_point_maze"),
    "skills that do not differ": Family("places_skills", measure="area_per_step"),
}
"""By what stands in the picture."""
MAZE = Family("places_maze", "half impossible")

AHEAD, BEHIND, UNDECIDED = "#0072B2", "#D55E00", "0.55"
"""The palette's two that everybody can tell apart, and grey where the interval has both signs."""
LINE = 0.21
"""Inches: the height of a row."""


def found(results: Path, family: Family) -> Mapping[str, Interval]:
    """Each selector's difference to round-robin on the same seeds; empty if the study is not computed."""
    path = results / family.study / FILES["comparisons"]
    if not path.exists():
        return {}
    rows = read(path)
    rows = rows[
        (rows["condition"] == family.condition)
        & (rows["baseline"] == BASELINE)
        & (rows["metric"] == family.measure)
    ].set_index("arm")
    differences = {str(arm): interval_of(rows, arm, "difference") for arm in rows.index}
    return {arm: interval for arm, interval in differences.items() if interval is not None}


def panels(results: Path) -> Mapping[str, Mapping[str, Interval]]:
    """What is drawn, by titles: `auto` in the families that are computed, and the maze's selectors, the best
    first.
    """
    families = {words: found(results, family) for words, family in FAMILIES.items()}
    auto = {words: own["auto"] for words, own in families.items() if "auto" in own}
    maze = dict(sorted(found(results, MAZE).items(), key=lambda item: -item[1].estimate))
    titles = {"auto, by kinds of goals": auto, "others, maze, half impossible": maze}
    return {title: rows for title, rows in titles.items() if rows}


def figure(results: Path = RESULTS) -> Figure | None:
    """A panel for `auto` and one for the others; None if no study is computed."""
    drawn = panels(results)
    if not drawn:
        return None
    with style():
        height = 0.8 + LINE * max(len(rows) for rows in drawn.values())
        page = Figure(figsize=(PAGE, height), layout="constrained")
        grid: Sequence[Any] = page.subplots(1, len(drawn), sharex=True, squeeze=False)[0]
        for axes, (title, rows) in zip(grid, drawn.items(), strict=True):
            _panel(axes, rows)
            axes.set_title(title, loc="left")
            axes.set_xlabel("difference to round-robin")
        footnote(
            page,
            "area under the curve of success, means over pairs of seeds, 95 % intervals; "
            "grey: includes zero; skills: of accuracy",
        )
    return page


def _panel(axes: Axes, rows: Mapping[str, Interval]) -> None:
    """A line for each row, the first above."""
    axes.axvline(0.0, color="0.7", linewidth=0.8)
    for place, interval in enumerate(rows.values()):
        ahead = AHEAD if interval.estimate > 0 else BEHIND
        colour = ahead if excludes_zero(interval) else UNDECIDED
        axes.plot([interval.low, interval.high], [place, place], color=colour, linewidth=1.6)
        axes.plot([interval.estimate], [place], "o", color=colour, markersize=4)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    tidy(axes)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color="0.93", linewidth=0.6)


def main() -> None:
    """Draw the picture where the results are."""
    drawn = figure()
    if drawn is not None:
        save_bitmap(drawn, RESULTS, NAME)


if __name__ == "__main__":
    main()
