"""How much is due to the agent? The paper's GMM-SAC and a modern SAC, at equal steps and equal time.

    python -m studies.agents --environment navigation2d
    python -m studies.agents --environment half_cheetah

The paper's agent has one Q, a score-function gradient and a mixture of K Gaussians; the modern one twin
Q and a reparameterised Gaussian. The reward is on the state acted in (the paper) or on the next.
"""

import json
import statistics
import sys
from dataclasses import replace
from pathlib import Path

import pandas

from autotelic import paper
from autotelic.agents import GmmSac, Sac
from autotelic.benchmark.engine import Size, measure_loop
from autotelic.evaluation.statistics import normalised_area
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.runs import atomic
from autotelic.selectors import GoalSelector, RoundRobin, Uniform
from studies.command import main
from studies.results import Further
from studies.study import Arm, Study
from studies.tables import DIGITS, KEYS, Table, Tables

AGENTS = {
    "GMM-SAC, K = 4": GmmSac(components=4),
    "GMM-SAC, K = 1": GmmSac(components=1),
    "SAC": Sac(tune_entropy=False),
}
REWARDS = {"reward on state": "obs", "reward on next state": "next_obs"}
SIZE = Size(steps=200, jobs=4, repeats=5)
"""How much is measured to learn an agent's speed."""
ROUNDS = 3
"""How often every agent's turn comes."""
LEARNERS = 4
"""Of the population whose speed is measured."""


def study(
    name: str,
    setting: Setting,
    selectors: dict[str, GoalSelector],
    seeds: int,
    evaluate_every: int,
) -> Study:
    """All agents with all rewards in one environment; a condition for each selector."""
    return Study(
        name=f"agents_{name}",
        question=f"How much of what is learned in {setting.environment} is due to the agent and the "
        "state that is rewarded?",
        arms=tuple(
            Arm(
                f"{agent_name}, {reward}",
                replace(
                    setting,
                    agent=agent,
                    objective=Diayn(reward_state=state, reward_prior="current"),
                ),
                selector,
                condition,
            )
            for condition, selector in selectors.items()
            for agent_name, agent in AGENTS.items()
            for reward, state in REWARDS.items()
        ),
        seeds=tuple(range(seeds)),
        epochs=100,
        baselines=("GMM-SAC, K = 4, reward on state",),
        evaluate_every=evaluate_every,
    )


STUDIES = {
    "navigation2d": study(
        "navigation2d",
        paper.NAVIGATION_2D,
        {"uniform selection": Uniform(), "round-robin selection": RoundRobin()},
        seeds=5,
        evaluate_every=5,
    ),
    "half_cheetah": study(
        "half_cheetah",
        paper.HALF_CHEETAH,
        {"uniform selection": Uniform()},
        seeds=2,
        evaluate_every=25,
    ),
}


def rates(study: Study, folder: Path, size: Size = SIZE) -> dict[str, float]:
    """Steps a second of every arm; its agent's, since the reward's state costs nothing.

    Measured once, agents taking turns so that a machine's slow moments meet all of them, then kept
    beside the runs.
    """
    names = {
        arm.name: next(name for name, agent in AGENTS.items() if agent == arm.setting.agent)
        for arm in study.arms
    }
    settings = {names[arm.name]: arm.setting for arm in study.arms}
    path = folder / "rates.json"
    known: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
    if not settings.keys() <= known.keys():
        found: dict[str, list[float]] = {name: [] for name in settings}
        for _ in range(ROUNDS):
            for name, setting in settings.items():
                found[name] += measure_loop(setting, LEARNERS, size).rates
        known = {name: round(statistics.median(values), 1) for name, values in found.items()}
        atomic.write_json(path, known)
    return {arm: known[name] for arm, name in names.items()}


def at_equal_time(study: Study, tables: Tables, rates: dict[str, float]) -> Tables:
    """The table of learners with the speed of each, and the area up to the same time for all.

    That time is what the fastest agent takes for the whole study.
    """
    steps = {arm.name: arm.setting.steps_per_epoch for arm in study.arms}
    limit = study.epochs * min(steps[name] / rates[name] for name in steps)
    rows = []
    for (condition, arm, seed), own in tables.curves.groupby(KEYS, sort=False):
        times = own["epoch"].to_numpy() * steps[arm] / rates[arm]
        area = normalised_area(times, own["trajectory_accuracy"].to_numpy(), limit=limit)
        rows.append((condition, arm, seed, rates[arm], area))
    columns = pandas.Index([*KEYS, "steps_per_second", "area_equal_time"])
    more: Table = pandas.DataFrame(rows, columns=columns).round(DIGITS)
    return tables._replace(seeds=tables.seeds.merge(more, on=KEYS))


def extend(study: Study, folder: Path, tables: Tables) -> Further:
    """With what the same time buys."""
    words = {"area_equal_time": "area at equal time", "steps_per_second": "steps/s"}
    return Further(at_equal_time(study, tables, rates(study, folder)), words)


if __name__ == "__main__":
    sys.exit(main("agents", STUDIES, flag="environment", extend=extend))
