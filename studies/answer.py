"""Fills the tables of docs/results/README.md from the studies' files, and draws its figure.

    python -m studies.answer

A table's place says what belongs there, and where it comes from:

    <!-- table {"study": "attribution", "against": "round-robin"} -->
    <!-- end -->

study: its folder in docs/results. against: the baseline of the differences. Optional are condition (the
study's first unless given), arms (all), and measures (the two areas).
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from autotelic.figures.learning_curves import Curve, draw_curve
from autotelic.figures.saving import footnote, save
from autotelic.figures.style import PAGE, method_colour, style, tidy
from autotelic.training import atomic
from studies.tables import PRIMARY, SECONDARY, TIMES, Table, read

RESULTS = Path("docs/results")
PAGE_NAME = "README.md"
PLACE = re.compile(r"(<!-- table (\{.*?\}) -->\n).*?(<!-- end -->)", re.DOTALL)
WORDS: Mapping[str, str] = {
    PRIMARY: "area, trajectories",
    SECONDARY: "area, discriminator",
    "area_per_step": "area, one state",
    "trajectory_accuracy": "final, trajectory",
    "held_out_accuracy": "final, one state",
    "discriminator_accuracy": "final, discriminator",
    "distinct_skills": "distinct skills",
    "coverage": "coverage",
    "knn_f1": "KNN-F1",
    "mutual_information": "mutual information",
    "epochs_to_90": "epochs to 0.9, trajectories",
    "epochs_to_90_per_step": "epochs to 0.9, one state",
    "effective_number": "effective number",
    "effective_number_lowest": "its lowest",
}
"""What columns are called."""
LARGE = {*TIMES, "distinct_skills", "effective_number", "effective_number_lowest"}
"""Measures of which one digit after the point is enough."""


def filled(page: str, results: Path = RESULTS) -> str:
    """The page with every table made anew."""

    def fill(found: re.Match[str]) -> str:
        table = made(results, **json.loads(found[2]))
        return f"{found[1]}\n{table}\n\n{found[3]}"

    return PLACE.sub(fill, page)


def made(
    results: Path,
    study: str,
    against: str,
    condition: str | None = None,
    arms: Sequence[str] | None = None,
    measures: Sequence[str] = (PRIMARY, SECONDARY),
) -> str:
    """One table in Markdown: a row for each arm, each measure with its difference to the baseline."""
    summary, compared = (read(results / study / f"{n}.csv") for n in ("summary", "comparisons"))
    condition = summary["condition"].iloc[0] if condition is None else condition
    own = summary[summary["condition"] == condition].set_index(["arm", "metric"])
    pairs = compared[(compared["condition"] == condition) & (compared["baseline"] == against)]
    pairs = pairs.set_index(["arm", "metric"])
    arms = list(own.index.get_level_values("arm").unique()) if arms is None else arms
    compares = {name: name in pairs.index.get_level_values("metric") for name in measures}
    header = ["selector" if against in ("round-robin", "uniform") else "arm"]
    for name in measures:
        header += [WORDS[name]] + [f"less {against}"] * compares[name]
    lines = [header, ["---"] * len(header)]
    for arm in arms:
        cells = [arm]
        for name in measures:
            form = "{:.1f}" if name in LARGE else "{:.3f}"
            cells.append(_cell(own, (arm, name), ("estimate", "low", "high"), form))
            if compares[name]:
                columns = ("difference", "difference_low", "difference_high")
                cells.append(_cell(pairs, (arm, name), columns, "{:+.3f}"))
        lines.append(cells)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(table: Table, key: tuple[str, str], columns: Sequence[str], form: str) -> str:
    """`0.62 [0.57, 0.66]`; a difference whose interval excludes zero is bold."""
    if key not in table.index:
        return ""
    middle, low, high = (float(table.loc[key, column]) for column in columns)
    text = f"{form.format(middle)} [{form.format(low)}, {form.format(high)}]"
    return f"**{text}**" if "+" in form and (low > 0 or high < 0) else text


class Line(NamedTuple):
    """A curve of the figure: an arm of a study, by what it is called there."""

    label: str
    study: str
    arm: str
    condition: str = ""


PANELS: Mapping[str, Sequence[Line]] = {
    "goal selection, the paper's setting": (
        Line("round-robin", "attribution", "round-robin"),
        Line("DP", "attribution", "DP"),
        Line("DP, feedback shuffled", "attribution", "DP, shuffled"),
        Line("independent uniform", "attribution", "uniform"),
    ),
    "what else decides, round-robin": (
        Line("SAC, 100 steps, rate 1e-3", "candidates_fast", "round-robin"),
        Line("SAC, goals held 100 steps", "candidates_modern", "round-robin"),
        Line("GMM-SAC, goals held 100 steps", "candidates", "round-robin"),
        Line("GMM-SAC, 1000 steps (the paper)", "attribution", "round-robin"),
    ),
}
"""The figure that README.md shows: accuracy of the discriminator on fresh rollouts over epochs."""


def figure(results: Path = RESULTS) -> Figure:
    """The panels side by side: interquartile means over seeds with 95 % intervals."""
    with style():
        drawn = Figure(figsize=(PAGE, 2.5), layout="constrained")
        grid: Any = drawn.subplots(1, len(PANELS), sharey=True, squeeze=False)[0]
        for axes, (title, lines) in zip(grid, PANELS.items(), strict=True):
            for index, line in enumerate(lines):
                curve = _curve(read(results / line.study / "curves.csv"), line)
                draw_curve(axes, curve, method_colour(index), line.label)
            axes.set_title(title, loc="left")
            axes.set_xlabel("epochs of 1000 steps")
            axes.legend(loc="lower right", frameon=False)
            tidy(axes)
        grid[0].set_ylabel("discriminator's accuracy")
        footnote(
            drawn,
            "2D navigation, 20 skills, fresh rollouts; interquartile mean over seeds, band: 95 % interval",
        )
    return drawn


def _curve(curves: Table, line: Line) -> Curve:
    own = curves[(curves["condition"] == line.condition) & (curves["arm"] == line.arm)]
    wide = own.pivot(index="seed", columns="epoch", values="discriminator_accuracy")
    return Curve(wide.columns.to_numpy(), wide.to_numpy())


def main() -> None:
    """Fill the page and draw the figure."""
    path = RESULTS / PAGE_NAME
    atomic.write_bytes(path, filled(path.read_text()).encode())
    save(figure(), RESULTS, "answer")


if __name__ == "__main__":
    main()
