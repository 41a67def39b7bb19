"""Many goals in flight: what it costs, how different they are, and what it gives.

    python benchmarks/curriculum.py time                 # milliseconds, all selectors, up to 100,000 goals
    python benchmarks/curriculum.py distinct             # goals in flight that are different ones
    python benchmarks/curriculum.py area --seeds 10      # 64 in flight against one, in simulation

Times are the least of several batches of 512: what else the machine does makes a batch slower, never faster.
`update` has all that is learned from a batch in it.
"""

import argparse
import json
import math
import time
import tracemalloc
from collections.abc import Iterable
from typing import Any

import numpy as np

from autotelic import Curriculum, _streams
from autotelic.selectors import AutoSelector, GoalSelector, Learnability, RoundRobin, Uniform
from autotelic.selectors.check_flight import by_success
from autotelic.selectors.spelling import NAMES
from autotelic.simulation import FAMILIES, SimulatedMaze

BATCH, BATCHES = 512, 12
SIZES = (1_000, 10_000, 100_000)


def selectors() -> dict[str, GoalSelector]:
    """All that can be told of success alone, and so of many goals at once."""
    made = {name: kind() for name, kind in NAMES.items()}
    made["remaining-error"] = NAMES["remaining-error"](fresh=False)  # pyright: ignore[reportCallIssue]
    return {name: selector for name, selector in made.items() if by_success(selector)}


def milliseconds(selector: GoalSelector, num_goals: int) -> dict[str, float]:
    curriculum, generator = Curriculum(selector, num_goals), np.random.default_rng(0)
    found: dict[str, list[float]] = {name: [] for name in ("select", "update")}
    tracemalloc.start()
    for number in range(BATCHES + 2):
        if number == 2:
            tracemalloc.stop()  # it makes what it watches slow
        begin = time.perf_counter()
        goals = curriculum.select(BATCH)
        drawn = time.perf_counter()
        curriculum.update(goals, success=generator.integers(0, 9, BATCH) / 8, counts=8)
        _ = curriculum.state  # learned from now, and not when goals are selected next
        found["select"].append(drawn - begin)
        found["update"].append(time.perf_counter() - drawn)
        if number == 1:
            peak = tracemalloc.get_traced_memory()[1]
    least = {name: 1e3 * min(values[2:]) for name, values in found.items()}
    begin = time.perf_counter()
    saved = curriculum.state_dict()
    least["state_dict"] = 1e3 * (time.perf_counter() - begin)
    return least | {"MB": peak / 1e6, "MB as JSON": len(json.dumps(saved)) / 1e6}  # pyright: ignore


def times() -> None:
    columns = ("select", "update", "state_dict", "MB", "MB as JSON")
    print(f"{'selector':24}{'goals':>8}" + "".join(f"{name:>12}" for name in columns))
    for name, selector in selectors().items():
        for size in SIZES:
            found = milliseconds(selector, size)
            print(f"{name:24}{size:8}" + "".join(f"{found[c]:12.1f}" for c in columns), flush=True)


def distinct(selector: GoalSelector, num_goals: int, environments: int, ahead: bool) -> float:
    """The share of goals in flight that are different ones, over 3000 episodes: environments end one at a
    time, in any order, or all together, with the goals of their next episodes chosen ahead, as
    Stable-Baselines3 needs them.
    """
    curriculum, generator = Curriculum(selector, num_goals), np.random.default_rng(0)
    success, shares = np.linspace(0.0, 1.0, num_goals), []
    flying = (1 + ahead) * environments
    goals = curriculum.select(flying, repeats=True).tolist()
    ended = environments if ahead else 1
    for _ in range(3000 // ended):
        if not ahead:
            goals.insert(0, goals.pop(generator.integers(flying)))
        over, goals = np.array(goals[:ended]), goals[ended:]
        curriculum.update(over, success=(generator.random(ended) < success[over]).astype(float))
        goals += curriculum.select(ended, repeats=True).tolist()
        shares.append(len(set(goals)) / flying)
    return float(np.mean(shares))


def distinct_table() -> None:
    cases = ((20, 4), (50, 8), (50, 16))
    print(f"{'selector':16}{'':20}" + "".join(f"{n:5} goals, {e:2} envs" for n, e in cases))
    learnable = Learnability(competence="success", draw="low_variance")
    for selector in (AutoSelector(), learnable, RoundRobin(), Uniform()):
        for ahead in (True, False):
            shares = [distinct(selector, *case, ahead) for case in cases]
            label = "one episode ahead" if ahead else "in any order"
            print(f"{type(selector).__name__:16}{label:20}" + "".join(f"{x:20.2f}" for x in shares))


def area(
    selector: GoalSelector, maze: SimulatedMaze, flying: int, seed: int, together: bool
) -> float:
    """The mean over visits of the success at goals that can be reached, with so many in flight: told of one
    at a time, in any order, or all together.
    """
    curriculum, learner = Curriculum(selector, maze.num_goals, seed), maze.init()
    generator, order = _streams.generator("simulated maze", seed), np.random.default_rng(seed)
    visits, curve = 30 * maze.num_goals, []
    goals = curriculum.select(flying, repeats=True).tolist()
    while len(curve) < visits:
        ended = goals if together else [goals.pop(order.integers(flying))]
        shown = []
        for goal in ended:
            curve.append(maze.mean_success(learner))
            learner, seen = maze.visit(learner, goal, generator)
            shown.append(seen["success"])
        curriculum.update(ended, success=shown)
        goals = [] if together else goals
        goals += curriculum.select(len(ended), repeats=True).tolist()
    return float(np.mean(curve[:visits]))


def areas(seeds: int) -> None:
    print(f"{'family':26}{'selector':14}{'in flight':>22}{'area':>8}{'less one':>10}{'+- 2 se':>9}")
    for family in ("maze, 50% impossible", "maze, 0% impossible", "10 goals", "200 goals"):
        maze: Any = FAMILIES[family]
        for selector in (AutoSelector(), RoundRobin()):
            alone = [area(selector, maze, 1, s, False) for s in fresh(seeds)]
            for flying, together in ((1, False), (64, False), (64, True)):
                found = [area(selector, maze, flying, s, together) for s in fresh(seeds)]
                apart = np.subtract(found, alone)
                error = 2 * apart.std(ddof=1) / math.sqrt(seeds) if seeds > 1 else math.nan
                label = f"{flying}{', told of together' if together else ''}"
                print(
                    f"{family:26}{type(selector).__name__:14}{label:>22}{np.mean(found):8.3f}"
                    f"{apart.mean():+10.3f}{error:9.3f}",
                    flush=True,
                )


def fresh(seeds: int) -> Iterable[int]:
    return range(1000, 1000 + seeds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("what", choices=("time", "distinct", "area"))
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.what == "time":
        times()
    elif arguments.what == "distinct":
        distinct_table()
    else:
        areas(arguments.seeds)


if __name__ == "__main__":
    main()
