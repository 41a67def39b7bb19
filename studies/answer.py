"""Fills the tables of docs/results from the studies' files, and draws the figure of the first page.

    python -m studies.answer

A table's place says what belongs there, and where it comes from:

    <!-- table {"study": "attribution", "against": "round-robin"} -->
    <!-- end -->

study: its folder in docs/results. against: the baseline of the differences. Optional are condition (the
study's first unless given), arms (all), and measures (the two areas without the discriminator).

    <!-- across {"rows": {"2D": ["attribution", ""]}, "arms": {"DP": "DP"}, "against": "round-robin"} -->
    <!-- end -->

rows: each a study and its condition. arms: columns of differences, by heading. Optional is measure (the
area by single states).

    <!-- catching_up {"rows": ..., "arms": ..., "against": "uniform"} -->
    <!-- end -->

The same rows and columns, with the epochs until the baseline's last accuracy is reached; bold where the
difference to the baseline's own excludes zero. Optional is accuracy (the discriminator's).

    <!-- changes {"rows": {"longer": [["durations", "", "100 steps"], ["durations", "", "50 steps"]]}} -->
    <!-- end -->

rows: each from one arm of a study and condition to another with the same seeds. Optional is measures.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from autotelic._version import NUMBERS
from autotelic.evaluation.statistics import paired_difference
from autotelic.figures.learning_curves import Curve, draw_curve
from autotelic.figures.saving import footnote, save_bitmap
from autotelic.figures.style import PAGE, method_colours, style, tidy
from autotelic.runs import atomic
from studies.analysis import catching_up
from studies.markdown import as_table, cell, difference, excludes_zero, half_width, interval_of
from studies.selectors import FINAL_SETTINGS
from studies.tables import PRIMARY, TIMES, Table, read

RESULTS = Path("docs/results")
PAGE_NAMES = ("README.md", "details.md")
PLACE = re.compile(
    r"(<!-- (table|across|catching_up|changes) (\{.*?\}) -->\n).*?(<!-- end -->)", re.DOTALL
)
WORDS: Mapping[str, str] = {
    "area": "area, trajectories",
    "area_per_step": "area, one state",
    "area_refitted": "area, refitted",
    "area_discriminator": "area, own discriminator",
    "trajectory_accuracy": "final, trajectory",
    "held_out_accuracy": "final, one state",
    "refitted_accuracy": "final, refitted",
    "discriminator_accuracy": "final, own discriminator",
    "distinct_skills": "distinct skills",
    "coverage": "coverage",
    "covered_cells": "cells of 1 m",
    "covered_cells_untrained": "the same, untrained",
    "knn_f1": "KNN-F1",
    "mutual_information": "mutual information",
    "epochs_to_90": "epochs to 0.9, trajectories",
    "epochs_to_90_per_step": "epochs to 0.9, one state",
    "effective_number": "effective number",
    "effective_number_lowest": "its lowest",
    "effective_number_deviation": "its deviation over epochs",
    "signal_late": "mean signal, second half",
    "area_equal_time": "area at equal time",
    "area_success": "area, success",
    "success": "final success",
    "epochs_to_50_success": "epochs to 0.5",
    "epochs_to_80_success": "epochs to 0.8",
}
"""What columns are called."""
LARGE = {
    *TIMES,
    "distinct_skills",
    "covered_cells",
    "covered_cells_untrained",
    "effective_number",
    "effective_number_lowest",
    "effective_number_deviation",
}
"""Measures of which one digit after the point is enough."""


def filled(page: str, results: Path = RESULTS) -> str:
    """The page with every table made anew."""

    def fill(found: re.Match[str]) -> str:
        make, asked = TABLES[found[2]], json.loads(found[3])
        table = make(results, **asked) + _older_versions(results, _studies(asked))
        return f"{found[1]}\n{table}\n\n{found[4]}"

    return PLACE.sub(fill, page)


def _studies(asked: Mapping[str, Any]) -> list[str]:
    """The studies that a table is made from."""
    if "study" in asked:
        return [asked["study"]]
    rows = [[row] if isinstance(row[0], str) else row for row in asked["rows"].values()]
    return list(dict.fromkeys(study for row in rows for study, *_ in row))


def _older_versions(results: Path, studies: Sequence[str]) -> str:
    """Below a table: which studies the same command would give other numbers for by now, and why."""
    found = []
    for study in studies:
        path = results / study / "study.json"
        versions: dict[str, Any] = {"numbers": NUMBERS}
        if path.exists():
            versions = json.loads(path.read_text())["versions"]
        if versions.get("numbers", 1) != NUMBERS:
            found.append(f"{study} by version {versions['autotelic']}")
    return f"\n\n*Computed with other random streams: {', '.join(found)}.*" if found else ""


def made(
    results: Path,
    study: str,
    against: str,
    condition: str | None = None,
    arms: Sequence[str] | None = None,
    measures: Sequence[str] = PRIMARY,
) -> str:
    """One table in Markdown: a row for each arm, each measure with its difference to the baseline.

    A table of selectors ends with how far p(g) departed from uniform (its effective number), and with
    the half-width of the first measure's interval.
    """
    own, pairs = _levels_and_differences(results, study, condition, against)
    arms = list(own.index.get_level_values("arm").unique()) if arms is None else arms
    compares = {name: name in pairs.index.get_level_values("metric") for name in measures}
    of_selectors = against in ("round-robin", "uniform")
    header = ["selector" if of_selectors else "arm"]
    for name in measures:
        header += [WORDS.get(name, name)] + [f"less {against}"] * compares[name]
    header += ["effective number", "half-width"] * of_selectors
    lines = []
    for arm in arms:
        cells = [arm]
        for name in measures:
            cells.append(_level(own, (arm, name)))
            if compares[name]:
                cells.append(_difference(pairs, (arm, name)))
        if of_selectors:
            number = interval_of(own, (arm, "effective_number"))
            cells.append("" if number is None else f"{number.estimate:.1f}")
            cells.append(half_width(interval_of(pairs, (arm, measures[0]), "difference")))
        lines.append(cells)
    return as_table(header, lines)


def across(
    results: Path,
    rows: Mapping[str, tuple[str, str]],
    arms: Mapping[str, str],
    against: str,
    measure: str = PRIMARY[1],
) -> str:
    """One table in Markdown of many studies: a row for each of their conditions, arms as columns.

    The baseline's column has its level, the others their differences to it.
    """
    lines = []
    for label, (study, condition) in rows.items():
        own, pairs = _levels_and_differences(results, study, condition, against)
        cells = [label, _level(own, (against, measure))]
        cells += [_difference(pairs, (arm, measure)) for arm in arms.values()]
        lines.append(cells)
    return as_table(["", against, *(f"{heading}, difference" for heading in arms)], lines)


def catch_up(
    results: Path,
    rows: Mapping[str, tuple[str, str]],
    arms: Mapping[str, str],
    against: str,
    accuracy: str = "discriminator_accuracy",
) -> str:
    """One table in Markdown of many studies: epochs until the baseline's last accuracy is reached."""
    lines = []
    for label, (study, condition) in rows.items():
        times = catching_up(read(results / study / "curves.csv"), against, accuracy)
        own = times[times["condition"] == condition].set_index("arm")
        cells = [label, f"{own['accuracy'].iloc[0]:.3f}"]
        for arm in arms.values():
            differs = excludes_zero(interval_of(own, arm, "difference"))
            cells.append(cell(interval_of(own, arm), "{:.1f}", bold=differs))
        lines.append(cells)
    return as_table(["", f"{against}'s last accuracy", *arms], lines)


def changes(
    results: Path,
    rows: Mapping[str, Sequence[tuple[str, str, str]]],
    measures: Sequence[str] = PRIMARY,
) -> str:
    """One table in Markdown: what a change of setting gives, in pairs of equal seeds."""
    lines = []
    for label, (before, after) in rows.items():
        pair = [_learners(results, *arm) for arm in (before, after)]
        if list(pair[0].index) != list(pair[1].index):
            raise ValueError(f"{label}: {before} and {after} have other seeds")
        cells = [label]
        for name in measures:
            scores, baseline = (own[name].to_numpy() for own in reversed(pair))
            cells.append(difference(paired_difference(scores, baseline)))
        lines.append(cells)
    return as_table(["change", *(f"{WORDS[name]}, difference" for name in measures)], lines)


TABLES = {"table": made, "across": across, "catching_up": catch_up, "changes": changes}


def _learners(results: Path, study: str, condition: str, arm: str) -> Table:
    """The rows of one arm's learners, by seed."""
    seeds = read(results / study / "seeds.csv")
    own = seeds[(seeds["condition"] == condition) & (seeds["arm"] == arm)].set_index("seed")
    if own.empty:
        raise ValueError(f"{study} has no arm {arm!r} in the condition {condition!r}")
    return own


def _levels_and_differences(
    results: Path, study: str, condition: str | None, against: str
) -> tuple[Table, Table]:
    """The study's summary and its comparisons with one baseline, by arm and metric."""
    summary, compared = (read(results / study / f"{n}.csv") for n in ("summary", "comparisons"))
    condition = summary["condition"].iloc[0] if condition is None else condition
    pairs = compared[(compared["condition"] == condition) & (compared["baseline"] == against)]
    keys = ["arm", "metric"]
    return summary[summary["condition"] == condition].set_index(keys), pairs.set_index(keys)


def _level(rows: Table, key: tuple[str, str]) -> str:
    return cell(interval_of(rows, key), _form(key[1]))


def _difference(rows: Table, key: tuple[str, str]) -> str:
    return difference(interval_of(rows, key, "difference"), _form(key[1], sign="+"))


def _form(measure: str, sign: str = "") -> str:
    """How a measure is written; a study's own columns, such as returns, may be of any size."""
    if measure not in WORDS:
        return f"{{:{sign},.4g}}"
    return f"{{:{sign}.1f}}" if measure in LARGE else f"{{:{sign}.3f}}"


class Line(NamedTuple):
    """A curve of the figure: an arm of a study, by what it is called there."""

    label: str
    study: str
    arm: str
    condition: str = ""


SHORT_NAMES = (
    "SAC, 100 steps, rate 1e-3",
    "SAC, goals held 100 steps",
    "GMM-SAC, goals held 100 steps",
    "GMM-SAC, 1000 steps (the paper)",
)
"""Of the settings of the finalists, the last first: in the order of their curves."""

PANELS: Mapping[str, Sequence[Line]] = {
    "goal selection, the paper's setting": (
        Line("round-robin", "attribution", "round-robin"),
        Line("DP", "attribution", "DP"),
        Line("DP, feedback shuffled", "attribution", "DP, shuffled"),
        Line("independent uniform", "attribution", "uniform"),
    ),
    "what else decides, round-robin": (
        *(
            Line(label, "selectors_finalists", "round-robin", condition)
            for label, condition in zip(SHORT_NAMES, reversed(list(FINAL_SETTINGS)), strict=True)
        ),
    ),
}
"""The figure that README.md shows: held-out accuracy from single states over epochs."""


def figure(results: Path = RESULTS) -> Figure:
    """The panels side by side: interquartile means over seeds with 95 % intervals."""
    with style():
        drawn = Figure(figsize=(PAGE, 2.5), layout="constrained")
        grid: Any = drawn.subplots(1, len(PANELS), sharey=True, squeeze=False)[0]
        for axes, (title, lines) in zip(grid, PANELS.items(), strict=True):
            colours = method_colours([line.label for line in lines])
            for line, colour in zip(lines, colours, strict=True):
                curve = _curve(read(results / line.study / "curves.csv"), line)
                draw_curve(axes, curve, colour, line.label)
            axes.set_title(title, loc="left")
            axes.set_xlabel("epochs of 1000 steps")
            axes.legend(loc="lower right", frameon=False)
            tidy(axes)
        grid[0].set_ylabel("accuracy from one state")
        footnote(
            drawn,
            "2D navigation, 20 skills, held out; interquartile mean over seeds, band: 95 % interval",
        )
    return drawn


def _curve(curves: Table, line: Line) -> Curve:
    own = curves[(curves["condition"] == line.condition) & (curves["arm"] == line.arm)]
    wide = own.pivot(index="seed", columns="epoch", values="held_out_accuracy")
    return Curve(wide.columns.to_numpy(), wide.to_numpy())


def main() -> None:
    """Fill the pages and draw the figure."""
    for name in PAGE_NAMES:
        path = RESULTS / name
        atomic.write_bytes(path, filled(path.read_text()).encode())
    save_bitmap(figure(), RESULTS, "answer")


if __name__ == "__main__":
    main()
