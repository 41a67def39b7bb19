"""Where choosing goals pays: selectors by families of goals, each against round-robin, as one picture.

    python -m studies.where

It reads the comparisons of the studies in docs/results; a family that is not computed yet is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from autotelic.evaluation.statistics import Interval
from autotelic.figures.saving import footnote, save_bitmap
from autotelic.figures.style import PAGE, style
from studies.markdown import excludes_zero, interval_of
from studies.tables import read

RESULTS = Path("docs/results")
NAME = "where_it_pays"
BASELINE = "round-robin"
SHARES = "places_maze_shares"
AGAIN, AGAIN_SHARES = "places_auto_maze", "places_auto_maze_shares"


class Family(NamedTuple):
    """A column: what its goals are, and where its differences are found."""

    words: str
    study: str
    condition: str = ""
    measure: str = "area_success"
    again: str = ""  # another study of the same goals, whose arms are shown too


FAMILIES: Sequence[Family] = (
    Family("skills that\ndo not differ", "places_skills", measure="area_per_step"),
    Family("small maze\n(ball)", "places_point_maze", again="places_auto_point_maze"),
    Family("velocities,\nat a moment", "places_velocities", again="places_auto_velocities"),
    Family("velocities,\nfor a second", "places_held_velocities"),
    Family("maze, none\nimpossible", "places_maze", "none impossible", again=AGAIN),
    Family("maze, 1 of 4\nimpossible", SHARES, "a quarter impossible", again=AGAIN_SHARES),
    Family("maze, half\nimpossible", "places_maze", "half impossible", again=AGAIN),
    Family("maze, 3 of 4\nimpossible", SHARES, "three quarters impossible", again=AGAIN_SHARES),
)

COLOURS = LinearSegmentedColormap.from_list("orange to blue", ["#D55E00", "#FFFFFF", "#0072B2"])
"""Behind round-robin, level with it, ahead of it; the palette's two that everybody can tell apart."""
UNDECIDED = (0.94, 0.94, 0.94)
"""Where the interval has both signs."""
FULL = 0.15
"""The difference at which a colour is full."""
CELL = 0.33
"""Inches: the height of a row."""


def found(results: Path, family: Family) -> Mapping[str, Interval]:
    """Each selector's difference to round-robin on the same seeds; empty if no study is computed."""
    own: dict[str, Interval] = {}
    for study in (family.study, family.again):
        path = results / study / "comparisons.csv"
        if not study or not path.exists():
            continue
        rows = read(path)
        rows = rows[
            (rows["condition"] == family.condition)
            & (rows["baseline"] == BASELINE)
            & (rows["metric"] == family.measure)
        ].set_index("arm")
        differences = {arm: interval_of(rows, arm, "difference") for arm in rows.index}
        own |= {arm: interval for arm, interval in differences.items() if interval is not None}
    return own


def figure(results: Path = RESULTS) -> Figure | None:
    """A row for each selector, the best in the fullest family first; None if no study is computed."""
    columns = {family: found(results, family) for family in FAMILIES}
    columns = {family: own for family, own in columns.items() if own}
    if not columns:
        return None
    fullest = max(columns.values(), key=len)
    rows = sorted(fullest, key=lambda arm: -fullest[arm].estimate)
    rows += [arm for own in columns.values() for arm in own if arm not in rows]
    rows = list(dict.fromkeys(rows))
    with style():
        drawn = Figure(figsize=(PAGE, 0.9 + CELL * len(rows)), layout="constrained")
        axes: Any = drawn.subplots()
        for column, own in enumerate(columns.values()):
            for row, arm in enumerate(rows):
                _cell(axes, column, row, own.get(arm))
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(columns)), [family.words for family in columns])
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params(length=0, labelsize=7.5)
        axes.spines[:].set_visible(False)
        footnote(
            drawn,
            "area under the learning curve less round-robin's, mean of pairs of seeds, 95 % interval; "
            "bold: without zero; empty: not tried; auto has seeds of its own",
        )
    return drawn


def _cell(axes: Axes, column: int, row: int, interval: Interval | None) -> None:
    """A selector in a family: its difference on its colour, or nothing."""
    if interval is None:
        return
    clear = excludes_zero(interval)
    shade = float(np.clip(Normalize(-FULL, FULL)(interval.estimate), 0.0, 1.0))
    colour = COLOURS(shade) if clear else UNDECIDED
    axes.fill_between([column - 0.48, column + 0.48], row - 0.45, row + 0.45, color=colour, lw=0)
    dark = np.dot(colour[:3], (0.3, 0.6, 0.1)) < 0.5
    ink = "white" if dark else "black" if clear else "0.4"
    weight = "bold" if clear else "normal"
    middle, low, high = (_signed(value) for value in interval)
    words: dict[str, Any] = {"ha": "center", "color": ink}
    axes.text(column, row - 0.02, middle, va="bottom", fontsize=8.5, fontweight=weight, **words)
    axes.text(column, row + 0.06, f"{low} to {high}", va="top", fontsize=6, **words)


def _signed(value: float) -> str:
    """Two digits; zero has no sign.

    >>> _signed(-0.004), _signed(0.126)
    ('0.00', '+0.13')
    """
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text


def main() -> None:
    """Draw the picture where the results are."""
    drawn = figure()
    if drawn is not None:
        save_bitmap(drawn, RESULTS, NAME)


if __name__ == "__main__":
    main()
