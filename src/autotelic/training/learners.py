"""A few learners behind one `vmap`: they act, are judged and learn together, in environments of their own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams
from autotelic.environments import EnvironmentFailure, EnvironmentStep, HostEnvironment
from autotelic.learner.learner import Learner, StepRecord
from autotelic.objectives import Context

if TYPE_CHECKING:
    from autotelic.training.program import Program


def environment_seeds(seeds: Sequence[int], epoch: int = 0, environments: int = 1) -> list[int]:
    """What host environments of these learners are seeded with, begun in this epoch; so many for each.

    Not the learners' seeds themselves: a Gymnasium environment makes of a seed the stream that
    `numpy.random.default_rng(seed)` is, and anything else drawn from that would be known to it.
    """
    return [
        _streams.integer("environment", seed, epoch, *([number] if number else []))
        for seed in seeds
        for number in range(environments)
    ]


class Stopped(Exception):
    """Learners were told to give up."""


class Learners:
    """A few learners that step together: their state, and the members of the population they are.

    spread: the state as the devices hold it, a `Learner` with a leading axis of places.
    """

    def __init__(self, program: "Program", members: Sequence[int], seeds: Sequence[int]):
        self.program = program
        self.steps: int = program.functions.setting.steps_per_visit
        self.environments: int = program.functions.setting.environments
        self.rewarded: bool = program.functions.setting.objective.needs_reward
        self.members: list[int] = list(members)
        self.seeds: list[int] = list(seeds)
        self.keys: jax.Array = program.spread(
            jax.vmap(jax.random.key)(np.asarray(seeds, np.uint32))
        )
        self.pool: Any = None
        # The step within the epoch, and what stopped it; host environments alone know them.
        self.time: int = 0
        self.failure: BaseException | None = None
        # By members, the first step of the visit at which their actions were NaN or infinite.
        self.nan_actions: dict[int, int] = {}
        self.resting: set[int] = set()  # members whose environments are left alone
        self.stopped: bool = False
        self.begun: int = -1  # the visit whose episodes have begun
        if isinstance(program.environment, HostEnvironment):
            observation = self._new_pool(epoch=0)
            self.spread: Learner = program.init_host(self.keys, observation, program.enlist(self))
        else:
            self.spread = program.init(self.keys)

    @property
    def state(self) -> Learner:
        """A `Learner` with a leading axis of members."""
        return self.program.own(self.spread)

    @state.setter
    def state(self, state: Learner) -> None:
        self.spread = self.program.spread(state)

    @property
    def without_replay(self) -> Learner:
        """The state without the replay, which is large."""
        return self.program.own(self.spread._replace(replay=()))

    def begin_visit(self, visit: int) -> None:
        """Begin the episodes of host environments, if every visit begins one."""
        setting = self.program.functions.setting
        self.begun = visit
        if setting.reset_on_goal_switch and self.pool is not None:
            self.time = visit * self.steps % setting.steps_per_epoch
            self._begin_episodes(self.pool)

    def run_visit(self, visit: int, goals: Sequence[int], log_priors: np.ndarray) -> StepRecord:
        """All learners pursue their goals; the record's NumPy arrays are [members, T, ...].

        visit: its number since the run's first; goals: [members]; log_priors: [members, num_goals].
        """
        goal = np.asarray(goals, np.int32)
        log_prior = np.asarray(log_priors, np.float32)
        setting = self.program.functions.setting
        inserted = visit * self.steps
        self.time, self.failure = inserted % setting.steps_per_epoch, None
        self.nan_actions = {}
        if self.begun != visit:
            self.begin_visit(visit)
        try:
            self.spread, record = self.program.run(
                self.spread, inserted, goal, log_prior, self.keys, visit
            )
        except Exception as error:
            # The compiled program reports a failed call in its own words; ours are kept.
            raise (self.failure or error) from None
        return jax.tree.map(np.asarray, record)

    def step_environments(self, actions: np.ndarray) -> EnvironmentStep:
        """Act in all environments (called by the compiled epoch); remembers a failure."""
        try:
            self.check_going_on()
            step = self.step_pool(actions, self.time)
        except BaseException as failure:
            self.failure = failure
            raise
        self.time += self.environments
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
        """Act in all environments; a failure says which member, and when."""
        assert self.pool is not None
        finite = np.isfinite(actions)
        if not finite.all():  # or an environment would fail, and the whole crew with it
            for index in np.flatnonzero(~finite.all(axis=1)) // self.environments:
                self.nan_actions.setdefault(int(index), time % self.steps)
            actions = np.where(finite.all(axis=1, keepdims=True), actions, 0.0)
        try:
            step = (
                self.pool.step(actions, self._still()) if self.resting else self.pool.step(actions)
            )
            return step._replace(reward=self.pool.paid()) if self.rewarded else step
        except EnvironmentFailure as failure:
            self._name(failure, time)
            raise

    def _name(self, failure: EnvironmentFailure, time: int | None = None) -> None:
        """The pool counts its own members; a failure is to name the population's."""
        failure.member = self.members[failure.member // self.environments]
        failure.time = time

    def _still(self) -> set[int]:
        """The pool's numbers of the environments that are left alone."""
        count = self.environments
        return {index * count + number for index in self.resting for number in range(count)}

    def begin_new_episodes(self, epoch: int) -> None:
        """Start the environments anew where their state could not be kept."""
        self.close()
        # Other seeds than at the run's start, or the first episodes would be lived again.
        self._act_on(self._new_pool(epoch))

    def _begin_episodes(self, pool: Any) -> None:
        """A new episode in every environment, whatever is left of the last."""
        try:
            self._act_on(self._for_members(pool.begin_episodes()))
        except EnvironmentFailure as failure:
            self._name(failure, self.time)
            raise

    def _act_on(self, observation: np.ndarray) -> None:
        """Episodes begin with these observations [members, observation]."""
        self.state = self.state._replace(
            observation=jnp.array(observation, jnp.float32),
            start=jnp.array(observation, jnp.float32),  # a copy: an epoch takes over both buffers
        )
        self.state = self.program.functions.forget_payment(self.state)

    def restore_environments(self, states: list[Any]) -> None:
        """Continue in the environments' saved states."""
        assert self.pool is not None
        try:
            self.pool.restore(states)
        except EnvironmentFailure as failure:
            self._name(failure)
            raise

    def _new_pool(self, epoch: int) -> np.ndarray:
        """Make the environments and begin: observations [members, observation]."""
        seeds = environment_seeds(self.seeds, epoch, self.environments)
        self.pool = self.program.environment.pool(len(seeds), seeds)
        try:
            return self._for_members(self.pool.reset())
        except EnvironmentFailure as failure:
            self._name(failure)
            self.close()
            raise

    def _for_members(self, observations: np.ndarray) -> np.ndarray:
        """The pool's observations [members, observation]; with an axis of several environments."""
        observations = np.asarray(observations, np.float32)
        if self.environments == 1:
            return observations
        return observations.reshape(len(self.members), self.environments, -1)

    def values_from(self, observations: np.ndarray) -> np.ndarray:
        """V(s, g) of every goal from a state of each member: [members, observation] -> [members, goals]."""
        return np.asarray(self.program.values(self.without_replay, observations), np.float64)

    def value_spread_from(self, observations: np.ndarray) -> np.ndarray:
        """How far critics disagree on every goal's value: [members, observation] -> [members, goals]."""
        return np.asarray(self.program.value_spread(self.without_replay, observations), np.float64)

    def places(self) -> np.ndarray:
        """Where every goal of each member is: [members, goals, dimensions]."""
        objective = self.program.functions.setting.objective
        return np.asarray(objective.goal_places(self.without_replay.discriminator), np.float64)

    def exchange_goals(
        self, visit: int, goals: Sequence[int], achieved: Any
    ) -> list[np.ndarray | None]:
        """Exchange goals that move after a visit to `goals`; which were, bool [goals] of each member, or
        None.

        achieved: [members, steps, dimensions].
        """
        objective = self.program.functions.setting.objective
        changed: list[np.ndarray | None] = [None] * len(self.members)
        if not objective.moving_goals:
            return changed
        own = jax.tree.map(np.asarray, self.without_replay.discriminator)
        params = []
        for index, (seed, goal) in enumerate(zip(self.seeds, goals, strict=True)):
            params.append(jax.tree.map(lambda leaf, i=index: leaf[i], own))
            if index in self.resting:
                continue
            generator = _streams.generator("goals met", seed, visit)
            params[-1], replaced = objective.exchanged(
                params[-1], achieved[index], int(goal), generator
            )
            changed[index] = replaced if replaced.any() else None
        if any(replaced is not None for replaced in changed):
            together = jax.tree.map(lambda *leaves: jnp.array(np.stack(leaves)), *params)
            self.spread = self.spread._replace(discriminator=self.program.spread(together))
        return changed

    def starts(self, visit: int) -> np.ndarray:
        """Where each member begins a visit, in its first environment: [members, observation]."""
        self.begin_visit(visit)
        setting = self.program.functions.setting
        if setting.reset_on_goal_switch and self.pool is None:
            return np.array(self.program.own(self.program.starts(self.keys, np.int32(visit))))
        here = np.asarray(self.without_replay.observation)
        return np.array(here if self.environments == 1 else here[:, 0])

    def certainty_on(self, probes: Context, goals_known: np.ndarray) -> np.ndarray:
        """Mean q(g | s) on the states kept of each goal: [members, goals]; NaN where none are kept.

        probes: [members, goals, states, observation]; goals_known: [members, goals].
        """
        certainty = self.program.score(self.without_replay, probes)
        return np.where(goals_known, np.asarray(certainty, np.float64), np.nan)

    def recent_contexts(self, visit: int, indices: np.ndarray) -> Context:
        """Transitions of the visit just run, by their steps within it: [members, states, ...]."""
        functions = self.program.functions
        first = visit * functions.setting.steps_per_visit
        slots = (first + indices) % functions.capacity
        ring: Any = self.spread.replay
        if self.program.mesh is None:
            ring = np.asarray(
                ring
            )  # the host reads memory as it is; of devices the rows alone are fetched
        rows: Any = np.asarray(self.program.own(ring[:, slots]))
        values = functions.layout.unpack(rows)
        return Context(values.get("start"), values["observation"], values["next_observation"])

    def close(self) -> None:
        """Release the environments."""
        if self.pool is not None:
            self.pool.close()
