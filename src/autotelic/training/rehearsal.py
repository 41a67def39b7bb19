"""What a run would be, without starting it: its size from shapes, its pace from a few visits."""

import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import jax
import numpy as np

from autotelic.environments import caution_of
from autotelic.learner.learner import LearnerFunctions
from autotelic.learner.plan import Plan, cautions
from autotelic.learner.setting import Setting
from autotelic.runs.lock import RunLocked, is_held
from autotelic.runs.skills import initial_skills
from autotelic.runs.store import CheckpointStore
from autotelic.selectors import GoalSelector
from autotelic.training import checkpoints, devices, footprint
from autotelic.training.crew import Crew, are_probed
from autotelic.training.footprint import Disk, Footprint
from autotelic.training.learners import Learners
from autotelic.training.program import Program
from autotelic.training.schedule import LONGEST_INTERVAL
from autotelic.training.train import Prepared, check_entry, describe_run, prepare
from autotelic.training.workers import crew_threads

SECONDS = 3.0
"""For which visits are measured, at least one of each crew."""
VISITS_KEPT = 20
"""That the replay of a measured learner holds: memory is not to be taken for a measurement."""


class Pace(NamedTuple):
    """What was measured.

    start: seconds until the first step, compiling included; rate: steps a second of all learners
    together; process: bytes of Python, JAX and programs beside the learners; evaluation: seconds of the
    first measurement of all skills and of each further one, if any is asked for.
    """

    start: float
    rate: float
    process: int
    evaluation: tuple[float, float] | None = None


class Rehearsal(NamedTuple):
    """A run that could begin.

    done: epochs that are in its folder; crew: learners in each of `crews`, `threads` of which run at a
    time, over so many devices; writing: bytes of memory while a checkpoint is written.
    """

    plan: Plan
    functions: LearnerFunctions
    cautions: list[str]
    done: int
    crew: int
    crews: int
    threads: int
    devices: int
    places: int
    one: Footprint
    disk: Disk
    pace: Pace
    writing: int
    evaluations: int

    @property
    def memory(self) -> int:
        """Bytes at the peak: all learners, the process, and the larger of saving and of loading."""
        members = len(self.plan.members)
        loading = members * self.one.replay if self.done else 0
        return self.places * self.one.total + self.pace.process + max(self.writing, loading)

    @property
    def steps(self) -> int:
        """That are left to do, of all learners together."""
        epochs = self.plan.epochs - self.done
        return epochs * self.plan.setting.steps_per_epoch * len(self.plan.members)

    @property
    def evaluating(self) -> float:
        """Seconds of all measurements of skills."""
        if self.pace.evaluation is None or self.evaluations == 0:
            return 0.0
        first, each = self.pace.evaluation
        return first + (self.evaluations - 1) * each

    @property
    def seconds(self) -> float:
        """From the start to the end."""
        return self.pace.start + self.steps / self.pace.rate + self.evaluating


def rehearse(
    setting: Setting,
    methods: Mapping[str, GoalSelector],
    seeds: Iterable[int],
    epochs: int,
    out: str | Path,
    *,
    resume: bool = False,
    checkpoint_every: int | None = None,
    evaluate_every: int | None = None,
) -> Rehearsal:
    """Refuse what `train` would, then measure; arguments as of `train`. Nothing is written to `out`."""
    folder = Path(out)
    prepared = prepare(setting, methods, seeds, epochs, folder, checkpoint_every, evaluate_every)
    plan, environment, sizes, functions, one = prepared
    description = check_entry(folder, describe_run(prepared, evaluate_every), None, resume)
    if is_held(folder):
        raise RunLocked(f"{folder} is being trained by another process; wait for it, or stop it")
    if description is None:
        description = describe_run(prepared, evaluate_every)
    done = max(CheckpointStore(folder).epochs, default=0)
    every = description.get("evaluate_every")
    members, mesh = len(plan.members), devices.devices_for(environment, len(plan.members))
    crew = description["crew"] if mesh is None else members
    program = Program(functions, environment, crew, mesh)
    pace = _pace(prepared, program, every)
    return Rehearsal(
        plan,
        functions,
        [*cautions(plan, setting, sizes), *filter(None, [caution_of(environment)])],
        done,
        crew,
        members // crew,
        min(crew_threads(environment), members // crew),
        devices.count(mesh),
        program.places * (members // crew),
        one,
        footprint.disk_of(one, functions, members, epochs),
        pace,
        footprint.writing(one, functions, members, _rows_between(plan, pace, checkpoint_every)),
        0 if every is None else epochs // every - done // every + (done == 0),
    )


def _rows_between(plan: Plan, pace: Pace, checkpoint_every: int | None) -> int:
    """Rows that a learner adds from one checkpoint to the next."""
    in_all = plan.epochs * plan.setting.steps_per_epoch
    if checkpoint_every is not None:
        return min(in_all, checkpoint_every * plan.setting.steps_per_epoch)
    return min(in_all, int(LONGEST_INTERVAL * pace.rate / len(plan.members)))


def _pace(prepared: Prepared, whole: Program, every: int | None) -> Pace:
    """Let as many crews practise as would at the same time, with short memories."""
    plan, environment, _, functions, _ = prepared
    kept = min(functions.capacity, VISITS_KEPT * functions.setting.steps_per_visit)
    begin = perf_counter()
    program = Program(replace(functions, capacity=kept), environment, whole.crew_size, whole.mesh)
    threads = crew_threads(environment)
    crews: list[Crew] = []
    try:
        for first in range(0, len(plan.members), program.crew_size)[:threads]:
            part = plan.members[first : first + program.crew_size]
            learners = Learners(program, [m.number for m in part], [m.seed for m in part])
            crews.append(Crew(learners, part, are_probed(plan.members)))
        checkpoints.check_savable(crews)
        program.compile(crews[0].learners.spread)
        start = perf_counter() - begin
        with ThreadPoolExecutor(threads) as executor:
            # The first visit of a crew may compile what selectors ask for.
            list(executor.map(lambda crew: crew.run_visit(0), crews))
            visits = sum(executor.map(_visits_a_second, crews))
        own = sum(footprint.bytes_of(crew.learners.spread) for crew in crews)
        process = footprint.resident_memory() - own
    finally:
        for crew in crews:
            crew.learners.close()
    rate = visits * program.crew_size * functions.setting.steps_per_visit
    evaluation = None if every is None else _evaluation(prepared, every)
    return Pace(start, rate, process, evaluation)


def _visits_a_second(crew: Crew) -> float:
    begin, visits = perf_counter(), 0
    while visits == 0 or perf_counter() - begin < SECONDS:
        visits += 1
        crew.run_visit(visits)
    return visits / (perf_counter() - begin)


def _evaluation(prepared: Prepared, every: int) -> tuple[float, float]:
    """Seconds of the first measurement of all skills, and of each further one."""
    from autotelic.training.learning_curve import LearningCurve

    plan, environment, _, functions, _ = prepared
    pairs = [(member.method, member.seed) for member in plan.members]
    with tempfile.TemporaryDirectory() as folder:
        curve = LearningCurve(Path(folder), plan.setting, environment, pairs, every, 0)
        curve.members = pairs[: curve.at_once]
        skills = initial_skills(functions, [seed for _, seed in curve.members])
        skills = jax.tree.map(np.asarray, skills)
        times = [perf_counter()]
        for _ in range(2):
            curve.measure(0, skills, {})
            times.append(perf_counter())
    first, again = times[1] - times[0], times[2] - times[1]
    parts = -(-len(pairs) // curve.at_once)
    return first + (parts - 1) * again, parts * again
