"""The compiled functions of a crew: a visit of all its learners to their goals as one program."""

from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding

from autotelic._cores import IN_ONE_THREAD
from autotelic.environments import HostEnvironment
from autotelic.environments.callback import CallbackEnvironment, StepCrew, answer_by
from autotelic.learner import visit as visits
from autotelic.learner.learner import Learner, LearnerFunctions, StepRecord, over
from autotelic.learner.normalizer import Normalizer
from autotelic.objectives import Context
from autotelic.training import devices
from autotelic.training.devices import ALL, EACH
from autotelic.training.learners import Learners
from autotelic.training.statistics import observation_statistics

VALUE_ACTIONS = 3
"""Actions that the value of a state is a mean over (the regret-aware selector's)."""


class Program:
    """The compiled functions of one crew size, made once for a run and shared by all its crews.

    mesh: the devices that a crew's learners are spread over; None for one device.
    """

    def __init__(
        self,
        functions: LearnerFunctions,
        environment: Any,
        crew_size: int,
        mesh: Mesh | None = None,
    ):
        self.functions = functions
        self.environment = environment
        self.crew_size = crew_size
        self.mesh = mesh
        self.places: int = devices.places(crew_size, mesh)
        self.options: Any = IN_ONE_THREAD if jax.default_backend() == "cpu" else None
        # Said of the results, or what does not depend on a key would be whole on every device.
        held: Any = {} if mesh is None else {"out_shardings": NamedSharding(mesh, EACH)}
        self.init: Any = jax.jit(jax.vmap(self._init), **held)
        self.init_host: Any = jax.jit(jax.vmap(self._init_host))
        self.score: Any = jax.jit(jax.vmap(self._score))
        self.values: Any = jax.jit(jax.vmap(self._values))
        self.value_spread: Any = jax.jit(jax.vmap(self._value_spread))
        self.starts: Any = jax.jit(jax.vmap(self._start, in_axes=(0, None)))
        self._crews: list[Learners] = []
        self._step_crew: StepCrew = lambda crew, actions: self._crews[crew].step_environments(
            actions
        )
        self._caller: Any = ()  # how a program finds the host's environments
        if isinstance(environment, HostEnvironment):
            self._caller = np.int32(answer_by(self._step_crew))
        self._compiled: Any = None

    def enlist(self, learners: Learners) -> np.ndarray:
        """The crew's number, for each of its members: by it a compiled epoch finds its environments."""
        self._crews.append(learners)
        count = self.functions.setting.environments
        shape = (self.crew_size, *((count,) * (count > 1)))
        return np.full(shape, len(self._crews) - 1, np.int32)

    def spread(self, tree: Any) -> Any:
        """Arrays [members, ...] as the devices hold them, [places, ...]; on one device as they are."""
        return tree if self.mesh is None else devices.spread(tree, self.crew_size, self.mesh)

    def own(self, tree: Any) -> Any:
        """Of arrays [places, ...] those of members."""
        if self.places == self.crew_size:
            return tree
        return jax.tree.map(lambda leaf: leaf[: self.crew_size], tree)

    def _init(self, key: jax.Array) -> Learner:
        learner_key, environment_key = jax.random.split(key)
        count = self.functions.setting.environments
        keys = environment_key if count == 1 else jax.random.split(environment_key, count)
        state, observation = over(count, self.environment.reset)(keys)
        return self.functions.init(learner_key, state, observation, self.statistics)

    def _init_host(self, key: jax.Array, observation: jax.Array, number: jax.Array) -> Learner:
        learner_key, _ = jax.random.split(key)
        return self.functions.init(learner_key, number, observation, self.statistics)

    def shapes(self) -> Learner:
        """One learner as shapes alone: nothing of it is made."""
        key = jax.eval_shape(jax.random.key, 0)
        if not isinstance(self.environment, HostEnvironment):
            return jax.eval_shape(self._init, key)
        count = self.functions.setting.environments
        several = (count,) * (count > 1)
        observation = jax.ShapeDtypeStruct((*several, self.functions.observation_size), jnp.float32)
        return jax.eval_shape(
            self._init_host, key, observation, jax.ShapeDtypeStruct(several, jnp.int32)
        )

    @cached_property
    def statistics(self) -> Normalizer | None:
        """Of observations, where they are fixed before the run."""
        if self.functions.setting.normalize_observations != "fixed":
            return None
        return observation_statistics(self.environment)

    def _score(self, learner: Learner, probes: Context) -> jax.Array:
        seen = Context(*probes[:3])
        if not self.functions.setting.objective.judges_raw:
            seen = Context(*(self.functions.normalized(learner, part) for part in probes[:3]))
        log_q = self.functions.setting.objective.log_posteriors(learner.discriminator, seen)
        own = jnp.einsum("gsg->gs", log_q)
        # Rounding may leave a mean of certainties just above 1, which no selector takes.
        return jnp.minimum(jnp.mean(jnp.exp(own), axis=-1), 1.0)

    def _start(self, key: jax.Array, visit: jax.Array) -> jax.Array:
        """Where a visit that begins an episode does so, in the first environment: [observation]."""
        start_key = visits.visit_keys(key, visit).start
        count = self.functions.setting.environments
        key = start_key if count == 1 else jax.random.split(start_key, count)[0]
        return self.environment.reset(key)[1]

    def _values(self, learner: Learner, observation: jax.Array) -> jax.Array:
        return self._of_goals(self.functions.setting.agent.value, learner, observation)

    def _value_spread(self, learner: Learner, observation: jax.Array) -> jax.Array:
        return self._of_goals(self.functions.setting.agent.value_spread, learner, observation)

    def _of_goals(self, valued: Any, learner: Learner, observation: jax.Array) -> jax.Array:
        """What the agent says of every goal from an observation, [goals]: a mean over a few actions."""
        setting = self.functions.setting
        skills = setting.objective.goal_skills(learner.discriminator, setting.num_goals)
        seen = self.functions.normalized(learner, observation)
        # The same actions before and after a visit, so that what differs is what was learned.
        shape = (VALUE_ACTIONS, setting.num_goals)
        noise = setting.agent.acting_noise(jax.random.key(0), shape, self.functions.action_size)
        value = jax.vmap(jax.vmap(valued, (None, None, 0, 0)), (None, None, None, 0))
        return jnp.mean(value(learner.agent, seen, skills, noise), axis=0)

    def compile(self, learner: Learner) -> None:
        """Compile the epoch for crews like this one [places, ...], before any thread needs it."""

        def crew_visit(
            learner: Learner,
            inserted: Any,
            goal: Any,
            log_prior: Any,
            keys: Any,
            visit: Any,
            caller: Any,
        ) -> tuple[Learner, StepRecord]:
            environment = self.environment
            if isinstance(environment, HostEnvironment):
                environment = CallbackEnvironment(
                    environment.observation_size,
                    caller,
                    self.functions.setting.objective.needs_reward,
                )
            run = partial(visits.run_visit, self.functions, environment)
            visit_keys = jax.vmap(visits.visit_keys, in_axes=(0, None))(keys, visit)
            return jax.vmap(run, in_axes=(0, None, 0, 0, 0))(
                learner, inserted, goal, log_prior, visit_keys
            )

        run_all = crew_visit
        if self.mesh is not None:
            of_arguments = (EACH, ALL, EACH, EACH, EACH, ALL, ALL)
            run_all = jax.shard_map(
                crew_visit, mesh=self.mesh, in_specs=of_arguments, out_specs=EACH, check_vma=False
            )
        shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), learner)
        number = jax.ShapeDtypeStruct((), jnp.int32)
        goals = jax.ShapeDtypeStruct((self.places,), jnp.int32)
        log_priors = jax.ShapeDtypeStruct(
            (self.places, self.functions.setting.num_goals), jnp.float32
        )
        keys = jax.eval_shape(jax.vmap(jax.random.key), jnp.zeros(self.places, jnp.uint32))
        lowered = jax.jit(run_all, donate_argnums=0).lower(
            shapes, number, goals, log_priors, keys, number, self._caller
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
        """One visit of a crew to its goals; learner and keys: [places, ...], the record is the members'."""
        goal, log_prior = self.spread((goal, log_prior))
        learner, record = jax.block_until_ready(
            self._compiled(
                learner, np.int32(inserted), goal, log_prior, keys, np.int32(visit), self._caller
            )
        )
        return learner, self.own(record)
