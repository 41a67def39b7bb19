"""How far does `auto` come, against round-robin and against who knows the maze? Simulated learners, NumPy.

    python benchmarks/auto_selector.py --out docs/results/simulated_auto

Every family of `autotelic.simulation` with fresh seeds, from 1000 on; none of them was used to design `auto`.
`success alone` is `auto` where nothing is said of places, as in goals that have none.
Rows that the folder has are not computed again. The table is printed, and written beside them.
"""

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from autotelic.evaluation.statistics import paired_difference
from autotelic.selectors import AutoSelector, GoalSelector, RoundRobin, Uniform, draws
from autotelic.simulation import FAMILIES, ExchangedGoals, SimulatedMaze, success_curve
from autotelic.simulation.maze import MazeState
from autotelic.simulation.ranking import GOOD, VISITS

COLUMNS = ("family", "selector", "seed", "visits", "area", "visits_to_80")
FEW = (
    3  # seeds of 200 goals, and of all but `auto`: round-robin's areas hardly differ between seeds
)
MAIN = ("round-robin", "success alone", "auto")
BESIDE = ("success alone, own visits", "uniform")
THRESHOLDS = (0.6, 0.7, 0.8, 0.9)

Goals = SimulatedMaze | ExchangedGoals
Row = dict[str, Any]


class SuccessOnly(SimulatedMaze):
    """The same learner, which shows of a visit how it went, and no places."""

    def visit(
        self, state: MazeState, goal: int, generator: np.random.Generator
    ) -> tuple[MazeState, dict[str, Any]]:
        way, luck = self.path(goal), generator.random()
        reached = np.zeros(self.num_goals, dtype=np.bool_)
        reached[way[np.minimum.accumulate(state.ability[way]) > luck]] = True
        shown = {
            "posteriors": np.full((2, self.num_goals), 1.0 / self.num_goals),
            "success": float(luck < state.success[goal]),
            "reached": reached,
        }
        return self.practise(state, goal), shown


@dataclass(frozen=True)
class SuccessAlone(AutoSelector):
    """`auto` that is not told of places."""

    shell_name = ""

    def update(self, state: Any, outcome: Any) -> Any:
        return super().update(state, replace(outcome, achieved=None, places=None))


@dataclass(frozen=True)
class OwnVisitsAlone(SuccessAlone):
    """And not which goals were reached on the way."""

    def update(self, state: Any, outcome: Any) -> Any:
        return super().update(state, replace(outcome, reached=None))


SELECTORS: dict[str, GoalSelector] = {
    "round-robin": RoundRobin(),
    "success alone": SuccessAlone(),
    "auto": AutoSelector(),
    "success alone, own visits": OwnVisitsAlone(),
    "uniform": Uniform(),
}


def by_success(state: MazeState) -> np.ndarray:
    """Who knows how surely each goal is reached, and not why: goals in proportion to (1 - success)^3, and a
    tenth of practice for those that never are, alike.
    """
    never = state.success < 0.05
    if never.all():
        return never / never.sum()
    shares = np.where(never, 0.0, (1.0 - state.success) ** 3)
    shares /= shares.sum()
    return 0.9 * shares + 0.1 * never / never.sum() if never.any() else shares


def possible(maze: SimulatedMaze, state: MazeState) -> np.ndarray:
    """Who knows what is impossible: every other goal alike."""
    del state
    shares = np.zeros(maze.num_goals)
    shares[: maze.num_reachable] = 1.0 / maze.num_reachable
    return shares


def next_of_each_way(maze: SimulatedMaze, state: MazeState, threshold: float) -> np.ndarray:
    """Who knows the maze, and how surely each goal is reached: of each corridor the first goal below the
    threshold, alike; if there is none, goals in proportion to what is missing.
    """
    shares = np.zeros(maze.num_goals)
    width = maze.num_reachable if maze.corridors is None else maze.corridors
    for corridor in range(min(width, maze.num_reachable)):
        goals = np.arange(corridor, maze.num_reachable, width)
        below = goals[state.success[goals] < threshold]
        shares[below[:1]] = 1.0
    if not shares.any():
        shares[: maze.num_reachable] = 1.0 - state.success[: maze.num_reachable]
    return shares / shares.sum()


def oracle_curve(
    maze: SimulatedMaze, choose: Callable[[MazeState], np.ndarray], visits: int
) -> np.ndarray:
    """Success before each visit, [visits], when goals come by low-variance draws from what it chooses."""
    generator, state, deficits = np.random.default_rng(0), maze.init(), np.zeros(maze.num_goals)
    curve = np.empty(visits)
    for visit in range(visits):
        curve[visit] = maze.mean_success(state)
        shares = choose(state)
        goal = draws.most_owed(deficits, shares, generator)
        deficits = draws.settled(deficits, shares, goal)
        state = maze.practise(state, goal)
    return curve


def row(family: str, selector: str, seed: int, curve: np.ndarray) -> Row:
    good = curve >= GOOD
    first = int(good.argmax()) if good.any() else ""
    numbers = (len(curve), round(float(curve.mean()), 5), first)
    return dict(zip(COLUMNS, (family, selector, seed, *numbers), strict=True))


def oracle_rows(family: str, maze: SimulatedMaze, visits: int) -> Iterator[Row]:
    curve = oracle_curve(maze, lambda state: possible(maze, state), visits)
    yield row(family, "knows what is impossible", 0, curve)
    curve = oracle_curve(maze, by_success, visits)
    yield row(family, "knows every success", 0, curve)
    curves = [
        oracle_curve(maze, lambda state, t=t: next_of_each_way(maze, state, t), visits)
        for t in THRESHOLDS
    ]
    yield row(family, "knows the maze", 0, max(curves, key=lambda curve: curve.mean()))


def wanted(families: dict[str, Goals], seeds: range) -> Iterator[tuple[str, str, int]]:
    """Family, selector and seed; what matters most comes first, so that a run may be cut short."""
    for labels, block in ((MAIN, seeds[:10]), (MAIN, seeds[10:]), (BESIDE, seeds)):
        for family, goals in families.items():
            for label in labels:
                few = label not in ("auto", "success alone") or goals.num_goals > 100
                for seed in block:
                    if not few or seed in seeds[:FEW]:
                        yield family, label, seed


def light(goals: Goals) -> Goals:
    """The same without places, which takes less time."""
    if isinstance(goals, ExchangedGoals):
        return replace(goals, maze=replace(goals.maze, steps=2))
    return SuccessOnly(**{field.name: getattr(goals, field.name) for field in fields(goals)})


def table(rows: list[Row]) -> list[Row]:
    """A line for each family and selector: areas, and how far from round-robin's mean, with Student's
    interval; visits to 80 %, where one that never came so far counts with all its visits.
    """
    lines = []
    for family in dict.fromkeys(r["family"] for r in rows):
        own = [r for r in rows if r["family"] == family]
        base = [r for r in own if r["selector"] == "round-robin"]
        for label in dict.fromkeys(r["selector"] for r in own):
            found = [r for r in own if r["selector"] == label]
            line: Row = {"family": family, "selector": label, "seeds": len(found)}
            line["area"] = f"{np.mean([r['area'] for r in found]):.3f}"
            if label != "round-robin" and len(found) > 1:
                even = float(np.mean([r["area"] for r in base]))
                apart = paired_difference([r["area"] for r in found], [even] * len(found))
                line["difference"] = f"{apart.estimate:+.3f}"
                line["low"], line["high"] = f"{apart.low:+.3f}", f"{apart.high:+.3f}"
            times = np.mean([r["visits_to_80"] or r["visits"] for r in found])
            others = np.mean([r["visits_to_80"] or r["visits"] for r in base])
            line["reached_80"] = sum(r["visits_to_80"] != "" for r in found)
            line["visits_to_80"] = f"{times:.0f}"
            if any(r["visits_to_80"] != "" for r in base):
                line["of_round_robin"] = f"{times / others:.2f}"
            lines.append(line)
    return lines


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    kinds = (str, str, int, int, float, lambda text: int(text) if text else "")
    with path.open(newline="") as file:
        return [
            {name: kind(r[name]) for name, kind in zip(COLUMNS, kinds, strict=True)}
            for r in csv.DictReader(file)
        ]


def write(path: Path, rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for r in rows for name in r))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="`auto` against round-robin and who knows the maze."
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--visits-per-goal", type=int, default=VISITS)
    parser.add_argument("--families", nargs="+", default=list(FAMILIES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "runs.csv"
    rows = read(path)
    done = {(r["family"], r["selector"], r["seed"]) for r in rows}
    families = {name: FAMILIES[name] for name in arguments.families}
    for family, goals in families.items():
        if isinstance(goals, SimulatedMaze) and (family, "knows every success", 0) not in done:
            visits = arguments.visits_per_goal * goals.num_goals
            rows += oracle_rows(family, goals, visits)
            write(path, rows)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    for family, label, seed in wanted(families, seeds):
        if (family, label, seed) not in done:
            goals = families[family] if label == "auto" else light(families[family])
            visits = arguments.visits_per_goal * goals.num_goals
            curve = success_curve(SELECTORS[label], goals, visits=visits, seed=seed)
            rows.append(row(family, label, seed, curve))
            write(path, rows)
    order = {name: number for number, name in enumerate((*FAMILIES, *SELECTORS))}
    rows.sort(key=lambda r: (order[r["family"]], order.get(r["selector"], 99), r["seed"]))
    write(path, rows)
    lines = table(rows)
    write(arguments.out / "table.csv", lines)
    for line in lines:
        print("  ".join(f"{name} {value}" for name, value in line.items()))


if __name__ == "__main__":
    main()
