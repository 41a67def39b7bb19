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
from typing import Any, NamedTuple

import numpy as np
import pandas
from matplotlib.figure import Figure

from autotelic import paper, signals, simulation
from autotelic.figures.saving import save
from autotelic.figures.style import PAGE, style, tidy
from autotelic.learner.setting import Setting
from autotelic.observers.display import for_terminal
from autotelic.progress import READINGS, prediction_errors, window_means
from autotelic.runs.history import History
from autotelic.selectors import DiversityProgress, VisitOutcome
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


class Verdict(NamedTuple):
    """What the criteria ask of a reading; NaN where nothing was trained.

    sign: the share of simulated visits in which DP has the sign of the pursued goal's own progress.
    late: the lowest mean effective number of a seed in the last quarter, as a share of the goals.
    control: by panel, the mean effective number at T = 0.3 minus that at T = 0.1.
    steadier: by panel, the standard deviation over epochs at T = 0.1 minus that at T = 0.3.
    least: the share of visits to the goal with the lowest DP, with five goals.
    drift: the largest change of the effective number from the first to the last third, T = 0.1, of 20.
    """

    sign: float
    late: float
    control: dict[str, float]
    steadier: dict[str, float]
    least: float
    drift: float

    def met(self) -> list[bool]:
        """Criteria 2 to 6; the first one holds for all readings."""
        panels = [name for name, panel in PANELS.items() if len(panel.temperatures) > 1]
        return [
            self.sign >= 0.95,
            self.late >= 0.25,
            all(self.control.get(p, np.nan) >= 1.0 for p in panels)
            and all(self.steadier.get(p, np.nan) > 0.0 for p in panels),
            self.least >= 0.02,
            self.drift <= 4.0,
        ]


def verdict(reading: str, tables: Mapping[str, Any]) -> Verdict:
    """From the tables of the panels in which the reading was trained."""
    control, steadier, late, drift, least = {}, {}, [], [], np.nan
    for name, table in tables.items():
        panel = PANELS[name]
        goals = panel.setting.num_goals
        rows = table[table["epoch"] >= goals]
        if name == "five_goals":
            least = float((rows["rank"] == 0).mean())
            continue
        numbers = {
            temperature: of.pivot(index="seed", columns="epoch", values="effective").to_numpy()
            for temperature, of in rows.groupby("temperature")
        }
        cold, warm = (numbers[temperature] for temperature in TEMPERATURES)
        control[name] = float(warm.mean() - cold.mean())
        steadier[name] = float(cold.std(axis=1).mean() - warm.std(axis=1).mean())
        quarter, third = panel.epochs // 4, cold.shape[1] // 3
        late += [of[:, -quarter:].mean(axis=1).min() / goals for of in (cold, warm)]
        drift.append(abs(cold[:, -third:].mean() - cold[:, :third].mean()) * 20 / goals)
    worst = max(drift, default=np.nan)
    return Verdict(agreement(reading), min(late, default=np.nan), control, steadier, least, worst)


def agreement(reading: str, seeds: int = 3, epochs: int = 200) -> float:
    """The share of visits of simulated learners in which DP and the own progress have the same sign."""
    learner = simulation.SimulatedLearner()
    signal = signals.Progress(250, 250, normalization=reading)
    same = []
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        state, memory = learner.init(), signal.init(learner.num_goals)
        for _ in range(epochs):
            goal = int(generator.integers(learner.num_goals))
            state, posteriors = learner.run_epoch(state, goal, generator)
            memory, value = signal.update(memory, VisitOutcome(goal, posteriors))
            errors = prediction_errors(posteriors, goal)
            earlier, recent = window_means(errors, 250, 250)
            same.append(np.sign(value) == np.sign(earlier[goal] - recent[goal]))
    return float(np.mean(same))


def kept_tables(out: Path) -> dict[str, dict[str, Any]]:
    """By reading and panel, what was trained."""
    found: dict[str, dict[str, Any]] = {}
    for reading in READINGS:
        files = {name: out / f"{name}_{reading}.csv.gz" for name in PANELS}
        tables = {name: pandas.read_csv(file) for name, file in files.items() if file.exists()}
        if tables:
            found[reading] = tables
    if not found:
        raise SystemExit(f"{out} holds no tables; train a panel first")
    return found


def verdict_table(verdicts: Mapping[str, Verdict]) -> str:
    """Markdown: a row for each reading; a cross behind a number that fails its criterion."""
    lines = [
        "| reading | sign | late | control: 2D, Half-Cheetah, Ant | visits to the lowest | drift |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for reading, found in verdicts.items():
        control = ", ".join(
            f"{found.control[name]:.1f}" if name in found.control else "not run"
            for name in ("navigation2d", "half_cheetah", "ant")
        )
        cells = (
            *(f"{found.sign:.2f}", f"{found.late:.2f}", control),
            *("not run" if np.isnan(x) else f"{x:.2f}" for x in (found.least, found.drift)),
        )
        marked = [
            f"{cell}{'' if met else ' ✗'}" for cell, met in zip(cells, found.met(), strict=True)
        ]
        lines.append(f"| `{reading}` | {' | '.join(marked)} |")
    return "\n".join(lines)


def picture(found: Mapping[str, Mapping[str, Any]]) -> Figure:
    """The effective number under every reading in 2D navigation, a panel each, a line a seed."""
    with style():
        figure = Figure(figsize=(PAGE, 3.6), layout="constrained")
        grid: Any = figure.subplots(2, 4, sharex=True, sharey=True)
        for axes, (reading, tables) in zip(grid.flat, found.items(), strict=False):
            for temperature, colour in zip(TEMPERATURES, ("#D55E00", "#0072B2"), strict=True):
                table = tables["navigation2d"]
                rows = table[table["temperature"] == temperature]
                numbers = rows.pivot(index="epoch", columns="seed", values="effective")
                lines = axes.plot(
                    numbers.index + 1, numbers, color=colour, linewidth=0.6, alpha=0.8
                )
                lines[0].set_label(f"T = {temperature}")
            axes.set_title(reading, loc="left")
            axes.set_ylim(0, 21)
            axes.set_yticks([0, 5, 10, 15, 20])
            tidy(axes)
        figure.supxlabel("Epoch", fontsize=8)
        figure.supylabel("Effective number of skills", fontsize=8)
        legend = grid.flat[0].legend(loc="lower right", frameon=False)
        for line in legend.get_lines():
            line.set(linewidth=2.5, alpha=1.0)
    return figure


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m studies.readings")
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a panel, or go on with it")
    training.add_argument("panel", choices=PANELS)
    training.add_argument("--readings", nargs="+", choices=READINGS, default=READINGS)
    training.add_argument("--runs", type=Path, default=RUNS)
    training.add_argument("--out", type=Path, default=OUT)
    judging = commands.add_parser("verdict", help="judge and draw what was trained")
    judging.add_argument("--out", type=Path, default=OUT)
    flags = parser.parse_args(words)
    if flags.command == "verdict":
        found = kept_tables(flags.out)
        print(verdict_table({name: verdict(name, tables) for name, tables in found.items()}))
        print(*save(picture(found), flags.out, "readings"), sep="\n")
        return 0
    train_panel(flags.panel, flags.readings, flags.runs, flags.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
