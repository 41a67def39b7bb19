"""Our own rates: the whole loop through the engine that `autotelic train` uses, and updates alone."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.environments import EnvironmentStep
from autotelic.learner.learner import Learner, LearnerFunctions, learner_functions
from autotelic.learner.plan import Member, sizes_of
from autotelic.learner.setting import Setting
from autotelic.selectors import DiversityProgress
from autotelic.training.crew import Crew
from autotelic.training.learners import Learners
from autotelic.training.program import Program
from autotelic.training.workers import crew_size, crew_threads, usable_workers

Kind = TypeVar("Kind", bound=Learners)

REPLAY_ROWS = 100_000
"""Transitions in every learner's replay: those of the paper's 100 epochs, and too many for a cache."""


class Size(NamedTuple):
    """How much is measured.

    steps: of an epoch; jobs: epochs of a crew that make one repeat; repeats: rates that are taken.
    """

    steps: int
    jobs: int
    repeats: int


class LoopRates(NamedTuple):
    """Learner-steps a second, one rate per repeat, and the environments' share of the cores' time."""

    rates: list[float]
    environment_share: float


class Worker(Protocol):
    """One crew's work: an epoch in a thread, and what the main thread does after it."""

    def practise(self) -> None:
        """Run an epoch."""

    def take_in(self) -> Any:
        """Take in what it yielded."""


class TimedLearners(Learners):
    """Learners that note how long their environments take."""

    environment_seconds: float = 0.0

    def step_pool(self, actions: np.ndarray, time: int) -> EnvironmentStep:
        """See `Learners.step_pool`."""
        begin = perf_counter()
        step = super().step_pool(actions, time)
        self.environment_seconds += perf_counter() - begin
        return step


class UpdatesAlone:
    """A crew's updates from a replay that nothing is added to: no environment, no selector."""

    def __init__(self, run: Callable[..., Any], learner: Learner, log_priors: Any, keys: Any):
        self.run = run
        self.learner: Learner = learner
        self.log_priors = log_priors
        self.keys = keys

    def practise(self) -> None:
        """As many updates as an epoch has steps."""
        networks = jax.block_until_ready(self.run(self.learner, self.log_priors, self.keys))
        self.learner = self.learner._replace(**networks)

    def take_in(self) -> None:
        """Nothing is left to do."""


def measure_loop(setting: Setting, members: int, size: Size) -> LoopRates:
    """The whole loop of a population: select, act, step, judge, remember, learn."""
    setting, program = _program(setting, members, size)
    # The windows only have to fit the shorter epoch: they cost the same at any length.
    selector = DiversityProgress(offset=size.steps // 2, smoothing=size.steps // 4)
    groups = _groups(program, members, TimedLearners)
    try:
        crews = [
            Crew(own, [Member(n, "DP", selector, n) for n in own.members], probing=False)
            for own in groups
        ]
        for crew in crews:
            # The replay counts as full from the start.
            crew.epoch = program.functions.capacity // size.steps
        program.compile(groups[0].state)
        begin = perf_counter()
        rates = _rates(crews, size, program.crew_size, crew_threads(program.environment))
        cores = min(usable_workers(), len(crews))
        total = cores * (perf_counter() - begin)
        return LoopRates(rates, sum(own.environment_seconds for own in groups) / total)
    finally:
        for own in groups:
            own.close()


def measure_updates(setting: Setting, members: int, size: Size) -> list[float]:
    """Updates a second of a population, from full replays, without environment or selection."""
    setting, program = _program(setting, members, size)
    groups = _groups(program, members, Learners)
    for own in groups:
        own.close()
    log_priors = jnp.full((program.crew_size, setting.num_goals), -np.log(setting.num_goals))
    many = jax.jit(jax.vmap(_many_updates(program.functions, size.steps)))
    first = groups[0]
    run = many.lower(first.state, log_priors, first.keys).compile(program.options)
    workers = [UpdatesAlone(run, own.state, log_priors, own.keys) for own in groups]
    return _rates(workers, size, program.crew_size, usable_workers())


def completion_times(workers: Sequence[Worker], count: int, threads: int) -> list[float]:
    """The times at which `count` epochs were over, each crew queueing again as soon as it is done.

    That is the order of `autotelic train`: first in, first out, and nobody waits for all others.
    """
    times: list[float] = []
    with ThreadPoolExecutor(threads) as executor:
        pending = {executor.submit(worker.practise): worker for worker in workers}
        while len(times) < count:
            finished, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in [future for future in pending if future in finished]:
                worker = pending.pop(future)
                future.result()
                worker.take_in()
                times.append(perf_counter())
                pending[executor.submit(worker.practise)] = worker
        for future in pending:
            future.cancel()
    return times[:count]


def rates_between(times: Sequence[float], jobs: int, work: int) -> list[float]:
    """Work a second in each stretch of `jobs` completions, each being worth `work`.

    >>> rates_between([10.0, 11.0, 12.0, 14.0, 16.0], jobs=2, work=100)
    [100.0, 50.0]
    """
    marks = np.asarray(times)[::jobs]
    return [float(rate) for rate in jobs * work / np.diff(marks)]


def _rates(workers: Sequence[Worker], size: Size, learners: int, threads: int) -> list[float]:
    """Learner-steps a second of each repeat, after every thread has warmed up."""
    warm_up = min(2 * threads, len(workers))
    times = completion_times(workers, warm_up + size.jobs * size.repeats, threads)
    return rates_between(times[warm_up - 1 :], size.jobs, size.steps * learners)


def _program(setting: Setting, members: int, size: Size) -> tuple[Setting, Program]:
    rows = setting.replay_capacity or REPLAY_ROWS
    setting = replace(setting, steps_per_epoch=size.steps, replay_capacity=rows)
    environment = setting.make_environment()
    functions = learner_functions(setting, sizes_of(environment), epochs=1)
    size_of_crew = crew_size(members, usable_workers(), setting.hidden_units)
    return setting, Program(functions, environment, size_of_crew)


def _groups(program: Program, members: int, kind: type[Kind]) -> list[Kind]:
    """The learners of every crew, with full replays."""
    groups = []
    for first in range(0, members, program.crew_size):
        numbers = range(first, first + program.crew_size)
        own = kind(program, numbers, numbers)
        rows = [random_rows(program.functions, seed) for seed in numbers]
        own.state = own.state._replace(replay=jnp.asarray(np.stack(rows)))
        groups.append(own)
    return groups


def random_rows(functions: LearnerFunctions, seed: int) -> np.ndarray:
    """A full replay of made-up transitions: [capacity, width]."""
    generator = np.random.default_rng(seed)
    layout, rows = functions.layout, functions.capacity
    values: dict[str, np.ndarray] = {
        name: generator.standard_normal((rows, size), np.float32) for name, size in layout.fields
    }
    values["action"] = np.tanh(values["action"])
    values["terminated"] = np.zeros(rows, np.float32)
    values["goal"] = generator.integers(functions.setting.num_goals, size=rows)
    return np.asarray(layout.pack({k: jnp.asarray(v) for k, v in values.items()}))


def _many_updates(functions: LearnerFunctions, updates: int) -> Callable[..., dict[str, Any]]:
    """So many updates of one learner; returns what they changed."""
    changing = ("agent", "discriminator", "discriminator_optimizer")

    def many(learner: Learner, log_prior: jax.Array, key: jax.Array) -> dict[str, Any]:
        def one(networks: dict[str, Any], noise: Any) -> tuple[dict[str, Any], Any]:
            inserted = jnp.int32(functions.capacity)
            before = learner._replace(**networks)
            after, losses = functions.learn(before, inserted, log_prior, noise)
            return {name: getattr(after, name) for name in changing}, losses

        networks = {name: getattr(learner, name) for name in changing}
        return jax.lax.scan(one, networks, functions.update_noise(key, updates))[0]

    return many
