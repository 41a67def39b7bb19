"""What is measured, one thing after the other: loops, updates alone, and environments by themselves."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace

from autotelic import paper, presets
from autotelic._words import count
from autotelic.benchmark import engine, environments
from autotelic.benchmark.engine import Size
from autotelic.benchmark.results import Result
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES
from autotelic.training.workers import usable_workers


@dataclass(frozen=True)
class Task:
    """An environment at the paper's setting, and what is measured in it.

    steps: of an epoch; environment_steps: of the environment by itself in a repeat; loops, updates: the
    populations whose whole loop, and whose updates alone, are measured; jobs: epochs in a repeat.
    """

    setting: Setting
    steps: int
    environment_steps: int
    loops: tuple[int, ...] = (1, 5, 20)
    updates: tuple[int, ...] = (1, 5, 20)
    jobs: int = 10

    @property
    def name(self) -> str:
        """As tables call it."""
        return f"{self.setting.environment}, {self.setting.hidden_units} units"


HALF_CHEETAH = Task(paper.HALF_CHEETAH, steps=200, environment_steps=5000)
NAVIGATION = Task(paper.NAVIGATION_2D, steps=1000, environment_steps=100_000)
ANT = Task(paper.ANT, steps=200, environment_steps=2000, loops=(5,), updates=())
TASKS = (HALF_CHEETAH, NAVIGATION, ANT)

METRA: Setting = replace(presets.metra_paper("Ant-v5"), hidden_units=256)
"""A loop that mostly acts: eight environments a learner, an update every 32 steps."""
METRA_LEARNERS = 4


def quick(task: Task) -> Task:
    """The same with short repeats, and the updates alone of one population."""
    return replace(
        task,
        updates=task.updates[1:2],
        steps=task.steps // 2,
        jobs=2,
        environment_steps=task.environment_steps // 5,
    )


class Suite:
    """A run of the benchmark. `results` has a row for everything that was measured."""

    def __init__(self, repeats: int, say: Callable[[str], None]):
        self.repeats = repeats
        self.say = say
        self.results: list[Result] = []

    def measure(self, task: Task) -> None:
        """The rates of our populations in the task, and the environment's own."""
        for members in task.loops:
            self.measure_loop(task, members)
        size = Size(task.steps, task.jobs, self.repeats)
        for members in task.updates:
            rates = engine.measure_updates(task.setting, members, size)
            self.keep(Result(task.name, "update alone", ours(members), rates))
        environment, steps = task.setting.environment, task.environment_steps
        if environment == "navigation2d":
            rates = environments.navigation_rates(steps, self.repeats)
        else:
            rates = environments.gymnasium_rates(environment, steps, self.repeats)
        self.keep(Result(task.name, "environment alone", "one instance", rates))

    def measure_loop(self, task: Task, members: int) -> None:
        """The whole loop of a population."""
        size = Size(task.steps, task.jobs, self.repeats)
        rates, share = engine.measure_loop(task.setting, members, size)
        self.keep(Result(task.name, "whole loop", ours(members), rates, share or None))

    def measure_acting(self, quick: bool = False) -> None:
        """METRA's loop on Ant, and what the cores give on the bare environment."""
        name = f"{METRA.environment}, METRA's loop, {METRA.hidden_units} units"
        steps, cores = METRA.steps_per_visit, usable_workers()
        bare = environments.bare_rates(
            str(METRA.environment), METRA.environment_options, steps, self.repeats, cores
        )
        self.keep(Result(name, "environment alone", f"{cores} processes", bare))
        size = Size(steps, METRA_LEARNERS if quick else 2 * METRA_LEARNERS, self.repeats)
        rates, share = engine.measure_loop(METRA, METRA_LEARNERS, size)
        every = round(1 / METRA.updates_per_step)
        part = statistics.median(rates) / statistics.median(bare)
        note = (
            f"an update every {every} steps, {METRA.environments} environments a learner; the loop "
            f"makes {part:.0%} of the bare environments' steps"
        )
        self.keep(Result(name, "whole loop", ours(METRA_LEARNERS), rates, share, note))

    def measure_objectives(self, quick: bool = False) -> None:
        """Updates a second of every objective, in Ant's sizes and METRA's."""
        name = f"{METRA.environment}, objectives, {METRA.hidden_units} units"
        size = Size(10 if quick else 50, 2, self.repeats)
        for word, kind in OBJECTIVES.items():
            if not kind.learns:  # it has nothing to update
                continue
            setting = replace(METRA, objective=kind(), updates_per_step=1, environments=1)
            setting = replace(setting, steps_per_goal=None, steps_per_epoch=size.steps)
            rates = engine.measure_updates(setting, usable_workers(), size)
            self.keep(Result(name, "update alone", f"{word}, {usable_workers()} learners", rates))

    def keep(self, result: Result) -> None:
        """Add a row, and tell it."""
        self.results.append(result)
        self.say(f"{result.task}, {result.what}, {result.name}: {result.rate:,.0f} steps/s")


def ours(members: int) -> str:
    """How tables call a population of ours."""
    return f"autotelic, {count(members, 'learner')}"
