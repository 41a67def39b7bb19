"""Does the simulated maze rank selectors as training does? Spearman's rank correlation of their areas.

    python -m studies.predicted

It reads the results of `studies.places --family maze`. The simulation takes minutes and NumPy alone.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas

from autotelic.runs import atomic
from autotelic.selectors import GoalSelector
from autotelic.simulation import Score, SimulatedMaze, rank_agreement, rank_selectors
from studies.markdown import as_table
from studies.places import MAZES, SELECTORS
from studies.tables import read

RESULTS = Path("docs/results")
NAME = "places_predicted"
TRAINED = "places_maze"
SEEDS = range(1000, 1003)
"""Fresh ones: the simulated maze was made with others."""
COLUMNS = ("condition", "selector", "simulated", "trained")


def trained_areas(results: Path, condition: str) -> Mapping[str, float]:
    """The mean area under success of each selector, over the learners of the study."""
    seeds = read(results / TRAINED / "seeds.csv")
    own = seeds[seeds["condition"] == condition]
    return own.groupby("arm")["area_success"].mean().to_dict()


def simulated(share_impossible: float, selectors: Mapping[str, GoalSelector]) -> dict[str, Score]:
    """The same selectors in the simulated maze with as many impossible goals."""
    return rank_selectors(selectors, SimulatedMaze(impossible=share_impossible), seeds=SEEDS)


def agreement(results: Path, condition: str) -> float:
    """The rank correlation of the committed simulation with what was trained."""
    own = read(results / NAME / "table.csv")
    own = own[own["condition"] == condition].set_index("selector")["simulated"]
    scores = {str(name): Score(np.array([area]), np.array([np.inf])) for name, area in own.items()}
    return rank_agreement(scores, trained_areas(results, condition))


def page(rows: list[dict[str, str]], agreement: Mapping[str, float]) -> str:
    """README.md: the correlations, and what they are of."""
    lines = [
        f"# {NAME}",
        "",
        "Does the simulated maze (`autotelic.simulation`) rank selectors as training in `maze2d` does?",
        "",
        f"`python -m studies.predicted`: areas under success, simulated (seeds {SEEDS[0]} to {SEEDS[-1]}) "
        f"and [trained](../{TRAINED}/README.md); Spearman's rank correlation over selectors.",
    ]
    for condition, correlation in agreement.items():
        own = [row for row in rows if row["condition"] == condition]
        table = as_table(COLUMNS[1:], [[row[name] for name in COLUMNS[1:]] for row in own])
        words = f"{len(own)} selectors, rank correlation {correlation:.2f}:"
        lines += ["", f"## {condition}", "", words, "", table]
    return "\n".join([*lines, ""])


def main() -> None:
    """Simulate, compare, and write the table and its page."""
    rows, agreement = [], {}
    for condition, (share, _) in MAZES.items():
        measured = trained_areas(RESULTS, condition)
        scores = simulated(share, {name: SELECTORS[name] for name in measured})
        agreement[condition] = rank_agreement(scores, measured)
        for name, score in scores.items():
            areas = (f"{score.area.mean():.3f}", f"{measured[name]:.3f}")
            rows.append(dict(zip(COLUMNS, (condition, name, *areas), strict=True)))
    text = pandas.DataFrame(rows).to_csv(index=False, lineterminator="\n")
    folder = RESULTS / NAME
    folder.mkdir(exist_ok=True)
    atomic.write_bytes(folder / "table.csv", text.encode())
    atomic.write_bytes(folder / "README.md", page(rows, agreement).encode())
    for condition, correlation in agreement.items():
        print(f"{condition}: rank correlation {correlation:.2f}")


if __name__ == "__main__":
    main()
