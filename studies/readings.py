"""Which reading of Appendix C.4 gives the effective numbers that the paper's text describes?

    python -m studies.readings train navigation2d      # likewise half_cheetah, ant and five_goals
    python -m studies.readings verdict                 # the table, and the picture, of what is there

"To achieve stability in the level of greediness of the goal-selection policy, we normalised the mean
LP before computing the mean progress over goals" does not say how. `progress.READINGS` are eight ways.
Diversity Progress is trained with each of them, at both temperatures of Figure 1, with Table 1's
settings: in 2D navigation at Figure 1(a)'s full size, and the readings that are left in Half-Cheetah
and Ant with fewer epochs and one seed; `five_goals` has the five goals and the windows of Figure 2.

Written down before any of these runs. A reading is chosen if it meets all of the following:

1. *It reads the sentence.* It changes the progress of Eq. 3 goal by goal, before the mean of Eq. 6.
2. *Sign.* DP is positive where the pursued goal got better, and negative where it got worse, in at
   least 95 % of simulated visits: App. D.2 speaks of goals that provide more or less DP.
3. *No collapse.* In the last quarter of training the mean effective number of every seed is at least
   5 of 20. VIC's are between 1 and 4.
4. *Control.* At T = 0.1 the effective number is lower than at T = 0.3 by at least 1 of 20 on average
   after the first round, which a reader of the figure can see, and its standard deviation over epochs
   is larger. In all three panels.
5. *Not completely greedy.* With the five goals of Figure 2, at T = 0.1, the goal with the lowest DP at
   that time has at least 2 % of the visits after the first round ("red is still updated occasionally").
6. *Stable greediness.* At T = 0.1 the mean effective number of the last third of the epochs after the
   first round is within 4 of 20 of that of the first third.

Of those that meet all, the one with the largest control in its weakest panel is the preset's. If none
does, the one that fails the fewest criteria is, ties by the same measure, and docs/paper.md says so.
"""

import argparse
import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autotelic import paper
from autotelic.learner.setting import Setting
from autotelic.observers.display import for_terminal
from autotelic.progress import READINGS
from autotelic.runs.history import History
from autotelic.selectors import DiversityProgress
from autotelic.training.train import train

OUT = Path("docs/results/readings")
RUNS = Path("studies/runs/readings")
TEMPERATURES = (0.1, 0.3)


@dataclass(frozen=True)
class Panel:
    """What is trained in one environment: every reading at every temperature, with the same seeds."""

    title: str
    setting: Setting
    offset: int
    temperatures: tuple[float, ...]
    seeds: tuple[int, ...]
    epochs: int


PANELS: Mapping[str, Panel] = {
    "navigation2d": Panel(
        "2D navigation", paper.NAVIGATION_2D, 250, TEMPERATURES, tuple(range(5)), 200
    ),
    "half_cheetah": Panel("Half-Cheetah", paper.HALF_CHEETAH, 250, TEMPERATURES, (0,), 60),
    "ant": Panel("Ant", paper.ANT, 750, TEMPERATURES, (0,), 60),
    "five_goals": Panel(
        "Half-Cheetah, five goals",
        replace(paper.HALF_CHEETAH, num_goals=5),
        750,
        (0.1,),
        (0, 1),
        60,
    ),
}


def selectors(panel: Panel, readings: Sequence[str]) -> dict[str, DiversityProgress]:
    """By method names `READING, T = TEMPERATURE`."""
    return {
        f"{reading}, T = {temperature}": DiversityProgress(
            panel.offset, 250, temperature, normalization=reading
        )
        for temperature in panel.temperatures
        for reading in readings
    }


def train_panel(name: str, readings: Sequence[str], runs: Path, out: Path) -> None:
    """Train the panel, or go on where it was, one reading's learners at a time, and keep their table."""
    panel = PANELS[name]
    out.mkdir(parents=True, exist_ok=True)
    for reading in readings:
        file = out / f"{name}_{reading}.csv.gz"
        if file.exists():
            continue
        trained = train(
            panel.setting,
            selectors(panel, [reading]),
            panel.seeds,
            panel.epochs,
            runs / name / reading,
            resume=True,
            observers=[for_terminal()],
        )
        table_of(History(trained), reading).to_csv(file, index=False)


def table_of(history: History, reading: str) -> Any:
    """A row for each visit: who, the goal, the effective number, and the rank of the goal's DP.

    rank: of the goal pursued among all goals' DP before the visit, 0 for the lowest; NaN in the first
    round.
    """
    table = history.table
    rows = table[["method", "seed", "epoch", "goal"]].assign(
        reading=reading,
        temperature=table["method"].str.split("T = ").str[1].astype(float),
        effective=history.effective_numbers.round(4),
        rank=_ranks(table, history.vector("signal")),
    )
    return rows.drop(columns="method")


def _ranks(table: Any, signal: np.ndarray) -> np.ndarray:
    ranks = np.full(len(table), np.nan)
    for _, rows in table.reset_index(drop=True).groupby(["method", "seed"]):
        places = rows.sort_values("epoch").index.to_numpy()
        for before, now in itertools.pairwise(places):
            known = signal[before]
            if not np.isnan(known).any():
                goal = int(table["goal"].iloc[now])
                ranks[now] = (known < known[goal]).sum()
    return ranks


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m studies.readings")
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a panel, or go on with it")
    training.add_argument("panel", choices=PANELS)
    training.add_argument("--readings", nargs="+", choices=READINGS, default=READINGS)
    training.add_argument("--runs", type=Path, default=RUNS)
    training.add_argument("--out", type=Path, default=OUT)
    flags = parser.parse_args(words)
    train_panel(flags.panel, flags.readings, flags.runs, flags.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
