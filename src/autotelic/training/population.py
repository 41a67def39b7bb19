"""The one place that knows there are many learners: they are divided into crews, and crews run in threads.

A crew is a few learners behind one `vmap`. On the CPU several crews, each computing on one core,
beat one large program whose small matrix products are split over cores (docs/performance.md); on an
accelerator all learners are one crew.
"""

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams
from autotelic.environments import EnvironmentFailure, EnvironmentStep, HostEnvironment
from autotelic.environments.callback import CallbackEnvironment
from autotelic.objectives import Context
from autotelic.training import visit as visits
from autotelic.training.learner import Learner, LearnerFunctions, StepRecord

LARGEST_CREW, LARGEST_SHARED = 4, 64
"""Learners in a crew, and hidden units up to which more than one share it: larger matrices fill a
core by themselves, and two learners' would only push each other out of its caches."""
# Matrix products run on the thread that needs them; independent ones still run side by side.
ONE_CORE: Any = {"xla_cpu_multi_thread_eigen": False}


def usable_workers() -> int:
    """How many crews can compute at the same time on this machine."""
    if jax.default_backend() != "cpu":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crew_threads(environment: Any) -> int:
    """How many crews are under way at the same time.

    Crews of a host environment are twice as many as can compute: while one waits for its
    environment, another learns.
    """
    return usable_workers() * (2 if isinstance(environment, HostEnvironment) else 1)


def crew_size(members: int, workers: int, hidden_units: int) -> int:
    """Learners per crew: crews of one size, so that one program serves all, and no worker idle.

    >>> crew_size(20, workers=2, hidden_units=32), crew_size(20, workers=2, hidden_units=300)
    (2, 1)
    """
    if workers == 1:
        return members
    if hidden_units > LARGEST_SHARED:
        return 1
    sizes = [n for n in range(1, LARGEST_CREW + 1) if members % (n * workers) == 0]
    return max(sizes, default=1)


def environment_seeds(seeds: Sequence[int], epoch: int = 0) -> list[int]:
    """What host environments of these learners are seeded with, begun in this epoch.

    Not the learners' seeds themselves: a Gymnasium environment makes of a seed the stream that
    `numpy.random.default_rng(seed)` is, and anything else drawn from that would be known to it.
    """
    return [_streams.integer("environment", seed, epoch) for seed in seeds]


class Stopped(Exception):
    """A crew was told to give up."""


class Crew:
    """A few learners that step together: their state, and the members of the population they are."""

    def __init__(self, program: "Program", members: Sequence[int], seeds: Sequence[int]):
        self.program = program
        self.members = list(members)
        self.seeds = list(seeds)
        self.keys = jax.vmap(jax.random.key)(np.asarray(seeds, np.uint32))
        self.pool = None
        self.time = 0  # the step within the epoch, and what stopped it: known to host environments
        self.failure: BaseException | None = None
        self.speechless: dict[int, int] = {}  # the step at which a member's actions were no numbers
        self.resting: set[int] = set()  # members whose environments are left alone
        self.stopped = False
        if isinstance(program.environment, HostEnvironment):
            observation = self._new_pool(environment_seeds(self.seeds))
            self.learner = program.init_host(self.keys, observation, program.enlist(self))
        else:
            self.learner = program.init(self.keys)

    def run_visit(self, visit: int, goals: Sequence[int], log_priors: np.ndarray) -> StepRecord:
        """All learners pursue their goals; the record's NumPy arrays are [members, T, ...].

        visit: its number since the run's first; goals: [members]; log_priors: [members, num_goals].
        """
        goal = np.asarray(goals, np.int32)
        log_prior = np.asarray(log_priors, np.float32)
        setting = self.program.functions.setting
        inserted = visit * setting.steps_per_visit
        self.time, self.failure = inserted % setting.steps_per_epoch, None
        self.speechless = {}
        if setting.reset_on_goal_switch and self.pool is not None:
            self._begin_episodes(self.pool)
        try:
            self.learner, record = self.program.run(
                self.learner, inserted, goal, log_prior, self.keys, visit
            )
        except Exception as error:
            # The compiled program reports a failed call in its own words; ours are kept.
            raise (self.failure or error) from None
        return jax.tree.map(np.asarray, record)

    def step_environments(self, actions: np.ndarray) -> EnvironmentStep:
        """Act in all environments of the crew (called by the compiled epoch); remembers a failure."""
        try:
            self.check_going_on()
            step = self.step_pool(actions, self.time)
        except BaseException as failure:
            self.failure = failure
            raise
        self.time += 1
        return step

    def check_going_on(self) -> None:
        """Give up if somebody set `stopped`."""
        if self.stopped:
            raise Stopped

    def environment_states(self) -> list[Any] | None:
        """The state of every environment, or None where they have none to give."""
        try:
            return self.pool.state() if self.pool is not None else None
        except EnvironmentFailure as failure:
            self._name(failure)
            raise

    def step_pool(self, actions: np.ndarray, time: int) -> EnvironmentStep:
        """Act in all environments of the crew; a failure says which member, and when."""
        assert self.pool is not None
        finite = np.isfinite(actions)
        if not finite.all():  # or an environment would fail, and the whole crew with it
            for index in np.flatnonzero(~finite.all(axis=1)):
                self.speechless.setdefault(int(index), time)
            actions = np.where(finite.all(axis=1, keepdims=True), actions, 0.0)
        try:
            return (
                self.pool.step(actions, self.resting) if self.resting else self.pool.step(actions)
            )
        except EnvironmentFailure as failure:
            self._name(failure, time)
            raise

    def _name(self, failure: EnvironmentFailure, time: int | None = None) -> None:
        """The pool counts its own members; a failure is to name the population's."""
        failure.member = self.members[failure.member]
        failure.time = time

    def begin_new_episodes(self, epoch: int) -> None:
        """Start the environments anew where their state could not be kept."""
        self.close()
        # Other seeds than at the run's start, or the first episodes would be lived again.
        self._act_on(self._new_pool(environment_seeds(self.seeds, epoch)))

    def _begin_episodes(self, pool: Any) -> None:
        """A new episode in every environment, whatever is left of the last."""
        try:
            self._act_on(pool.begin_episodes())
        except EnvironmentFailure as failure:
            self._name(failure, self.time)
            raise

    def _act_on(self, observation: np.ndarray) -> None:
        """Episodes begin with these observations [members, observation]."""
        self.learner = self.learner._replace(
            observation=jnp.array(observation, jnp.float32),
            start=jnp.array(observation, jnp.float32),  # a copy: an epoch takes over both buffers
        )

    def restore_environments(self, states: list[Any]) -> None:
        """Continue in the environments' saved states."""
        assert self.pool is not None
        try:
            self.pool.restore(states)
        except EnvironmentFailure as failure:
            self._name(failure)
            raise

    def _new_pool(self, seeds: list[int]) -> np.ndarray:
        """Make the environments and begin: observations [members, observation]."""
        self.pool = self.program.environment.pool(len(seeds), seeds)
        try:
            return np.asarray(self.pool.reset(), np.float32)
        except EnvironmentFailure as failure:
            self._name(failure)
            self.close()
            raise

    def certainty_on(self, probes: Context, goals_known: np.ndarray) -> np.ndarray:
        """Mean q(g | s) on the states kept of each goal: [members, goals]; NaN where none are kept.

        probes: [members, goals, states, observation]; goals_known: [members, goals].
        """
        certainty = self.program.score(self.learner.discriminator, probes)
        return np.where(goals_known, np.asarray(certainty, np.float64), np.nan)

    def recent_contexts(self, visit: int, indices: np.ndarray) -> Context:
        """Transitions of the visit just run, by their steps within it: [members, states, ...]."""
        functions = self.program.functions
        first = visit * functions.setting.steps_per_visit
        rows: Any = np.asarray(self.learner.replay)[:, (first + indices) % functions.capacity]
        values = functions.layout.unpack(rows)
        return Context(values.get("start"), values["observation"], values["next_observation"])

    def close(self) -> None:
        """Release the environments."""
        if self.pool is not None:
            self.pool.close()


class Program:
    """The compiled functions of one crew size, made once for a run and shared by all its crews."""

    def __init__(self, functions: LearnerFunctions, environment: Any, crew: int):
        self.functions = functions
        self.environment = environment
        self.crew = crew
        self.options = ONE_CORE if jax.default_backend() == "cpu" else None
        self.init = jax.jit(jax.vmap(self._init))
        self.init_host = jax.jit(jax.vmap(self._init_host))
        self.score = jax.jit(jax.vmap(self._score))
        self._crews: list[Crew] = []
        self._compiled: Any = None

    def enlist(self, crew: Crew) -> np.ndarray:
        """The crew's number, for each of its members: by it a compiled epoch finds its environments."""
        self._crews.append(crew)
        return np.full(self.crew, len(self._crews) - 1, np.int32)

    def _init(self, key: jax.Array) -> Learner:
        learner_key, environment_key = jax.random.split(key)
        state, observation = self.environment.reset(environment_key)
        return self.functions.init(learner_key, state, observation)

    def _init_host(self, key: jax.Array, observation: jax.Array, number: jax.Array) -> Learner:
        learner_key, _ = jax.random.split(key)
        return self.functions.init(learner_key, number, observation)

    def _score(self, discriminator: Any, probes: Context) -> jax.Array:
        log_q = self.functions.setting.objective.log_posteriors(discriminator, probes)
        own = jnp.einsum("gsg->gs", log_q)
        return jnp.mean(jnp.exp(own), axis=-1)

    def compile(self, learner: Learner) -> None:
        """Compile the epoch for crews like this one, before any thread needs it."""
        environment = self.environment
        if isinstance(environment, HostEnvironment):
            environment = CallbackEnvironment(
                environment.observation_size,
                lambda crew, actions: self._crews[crew].step_environments(actions),
            )

        def crew_visit(
            learner: Learner, inserted: Any, goal: Any, log_prior: Any, keys: Any, visit: Any
        ) -> tuple[Learner, StepRecord]:
            run = partial(visits.run_visit, self.functions, environment)
            visit_keys = jax.vmap(visits.visit_keys, in_axes=(0, None))(keys, visit)
            return jax.vmap(run, in_axes=(0, None, 0, 0, 0))(
                learner, inserted, goal, log_prior, visit_keys
            )

        shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), learner)
        number = jax.ShapeDtypeStruct((), jnp.int32)
        goals = jax.ShapeDtypeStruct((self.crew,), jnp.int32)
        log_priors = jax.ShapeDtypeStruct(
            (self.crew, self.functions.setting.num_goals), jnp.float32
        )
        keys = jax.eval_shape(jax.vmap(jax.random.key), jnp.zeros(self.crew, jnp.uint32))
        lowered = jax.jit(crew_visit, donate_argnums=0).lower(
            shapes, number, goals, log_priors, keys, number
        )
        self._compiled = lowered.compile(self.options)

    def run(
        self,
        learner: Learner,
        inserted: int,
        goal: np.ndarray,
        log_prior: np.ndarray,
        keys: jax.Array,
        visit: int,
    ) -> tuple[Learner, StepRecord]:
        """One visit of a crew to its goals."""
        return jax.block_until_ready(
            self._compiled(learner, np.int32(inserted), goal, log_prior, keys, np.int32(visit))
        )
