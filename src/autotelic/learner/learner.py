"""All that one learner carries, and what it does in one step: act, judge, remember, learn."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autotelic.agents import Batch, adam, replay
from autotelic.agents.base import Sizes
from autotelic.environments import EnvironmentStep
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting
from autotelic.objectives import Context


class Learner(NamedTuple):
    """The state of one learner; a population is the same with a leading axis on every array.

    replay: [capacity, width]; latest: [width], the row of the latest step (see `remember`).
    """

    agent: Any
    discriminator: Any
    discriminator_optimizer: Any
    replay: jax.Array
    latest: jax.Array
    environment: Any
    observation: jax.Array
    start: jax.Array


class UpdateNoise(NamedTuple):
    """The randomness of one update: which rows are replayed (uint32 [batch]), and the agent's own."""

    rows: jax.Array
    agent: Any


class StepRecord(NamedTuple):
    """What one step leaves behind: q(. | s_{t+1}) [num_goals] before the update, and the losses."""

    posterior: jax.Array
    losses: dict[str, jax.Array]


@dataclass(frozen=True)
class LearnerFunctions:
    """The pure functions of one learner, made from the settings and the environment's sizes."""

    setting: Setting
    observation_size: int
    action_size: int
    capacity: int
    first_update: int

    @property
    def warm_up_visits(self) -> int:
        """How many visits end before anything is learned, if selectors are to wait for that."""
        setting = self.setting
        waits = setting.warm_up and not setting.frozen
        return self.first_update // setting.steps_per_visit if waits else 0

    @property
    def loss_names(self) -> tuple[str, ...]:
        """The losses of a step: the agent's and the discriminator's."""
        return (*self.setting.agent.loss_names, "discriminator")

    @property
    def layout(self) -> replay.RowLayout:
        """What a row of replay holds: no more than the objective needs."""
        fields = [
            ("observation", self.observation_size),
            ("action", self.action_size),
            ("next_observation", self.observation_size),
            ("terminated", 0),
            ("goal", 0),
        ]
        if self.setting.objective.needs_start:
            fields.append(("start", self.observation_size))
        if self.setting.objective.needs_collected_prior:
            fields.append(("log_prior", 0))
        return replay.RowLayout(tuple(fields))

    def init(self, key: jax.Array, environment: Any, observation: Any) -> Learner:
        """A learner before its first step, in the environment's state and observation."""
        setting = self.setting
        agent_key, objective_key = jax.random.split(key)
        sizes = Sizes(
            self.observation_size,
            self.action_size,
            setting.objective.skill_size(setting.num_goals),
            setting.hidden_units,
        )
        discriminator = setting.objective.init(
            objective_key, self.observation_size, setting.num_goals, setting.hidden_units
        )
        return Learner(
            agent=setting.agent.init(agent_key, sizes),
            discriminator=discriminator,
            discriminator_optimizer=adam.init(discriminator),
            replay=replay.init(self.capacity, self.layout),
            latest=jnp.zeros(self.layout.width),
            environment=environment,
            observation=observation,
            start=observation,
        )

    def acting_noise(self, key: jax.Array, steps: int) -> Any:
        """Noise for `steps` actions."""
        return self.setting.agent.acting_noise(key, (steps,), self.action_size)

    def update_noise(self, key: jax.Array, steps: int) -> UpdateNoise:
        """Noise for `steps` updates."""
        rows_key, agent_key = jax.random.split(key)
        shape = (steps, self.setting.batch_size)
        return UpdateNoise(
            jax.random.bits(rows_key, shape, jnp.uint32),
            self.setting.agent.update_noise(agent_key, shape, self.action_size),
        )

    def act(self, learner: Learner, goal: jax.Array, noise: Any) -> jax.Array:
        """Algorithm 1: sample a_t ~ pi(. | s_t, g), [action]."""
        agent = self.setting.agent
        skill = self.setting.objective.embed(goal, self.setting.num_goals)
        return agent.act(agent.policy(learner.agent), learner.observation, skill, noise)

    def absorb(
        self,
        learner: Learner,
        inserted: jax.Array,
        action: jax.Array,
        step: EnvironmentStep,
        goal: jax.Array,
        log_prior: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None = None,
    ) -> tuple[Learner, StepRecord]:
        """Algorithm 1 after the environment's step: judge it, learn, and remember it.

        inserted: [] rows of replay before this step; log_prior: [num_goals] the objective's of p(g);
        visits: those in the replay, if it is balanced.
        The posterior is q's before its update of this step, as the paper's line order says, unless
        `judged` says otherwise. The batch is drawn from what was remembered before this step, so that
        the update need not wait for the environment: a step's own transition can be replayed from the
        next step on.
        """
        objective = self.setting.objective
        start = learner.start if objective.needs_start else None
        context = Context(start, learner.observation, step.next_observation)
        before = learner.discriminator
        row = self.layout.pack(
            {
                "observation": learner.observation,
                "action": action,
                "next_observation": step.next_observation,
                "terminated": step.terminated,
                "goal": goal,
                "start": learner.start,
                "log_prior": log_prior[goal],
            }
        )
        ended = step.terminated | step.truncated
        learner = self.remember(learner, inserted)
        losses: dict[str, jax.Array] = {}
        if not self.setting.frozen:
            learner, losses = self.learn(learner, inserted, log_prior, noise, visits)
        judge = before if self.setting.judged == "before_update" else learner.discriminator
        posterior = jnp.exp(objective.log_posteriors(judge, context))
        learner = learner._replace(
            latest=row,
            observation=step.observation,
            start=jnp.where(ended, step.observation, learner.start),
        )
        return learner, StepRecord(posterior, losses)

    def remember(self, learner: Learner, inserted: jax.Array) -> Learner:
        """The learner with its latest step in the replay, as row `inserted` - 1.

        That step enters the ring a step late (or at the epoch's end): written before the batch is
        drawn, the ring is changed in place, and what is written does not wait for the environment.
        """
        ring = replay.insert(learner.replay, learner.latest, inserted - 1)
        return learner._replace(replay=ring)

    def learn(
        self,
        learner: Learner,
        inserted: jax.Array,
        log_prior: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None = None,
    ) -> tuple[Learner, dict[str, jax.Array]]:
        """One update of agent and discriminator from one replayed batch, all at the same parameters."""
        setting, objective = self.setting, self.setting.objective
        # Before enough is collected the update is computed and dropped: that wastes a part of the
        # first epoch and spares every later step a branch that copies the networks.
        ready = inserted >= self.first_update
        if setting.freeze_after is not None:
            ready &= inserted < setting.freeze_after * setting.steps_per_epoch
        rows = self.layout.unpack(self._batch(learner.replay, inserted, noise, visits))
        goal = rows["goal"].astype(jnp.int32)
        skill = objective.embed(goal, setting.num_goals)
        context = Context(rows.get("start"), rows["observation"], rows["next_observation"])
        batch = Batch(
            rows["observation"],
            rows["action"],
            rows["next_observation"],
            rows["terminated"],
            skill,
        )
        priors = objective.log_prior_of(goal, log_prior, rows.get("log_prior"))
        rewards = objective.reward(learner.discriminator, context, goal, priors)
        agent, losses = setting.agent.update(
            learner.agent, batch, rewards, noise.agent, setting.learning_rate, ready
        )
        loss, gradients = jax.value_and_grad(objective.loss)(learner.discriminator, context, goal)
        discriminator, optimizer = adam.step(
            learner.discriminator,
            gradients,
            learner.discriminator_optimizer,
            setting.learning_rate,
            ready,
        )
        learned = learner._replace(
            agent=agent,
            discriminator=discriminator,
            discriminator_optimizer=optimizer,
        )
        return learned, {**losses, "discriminator": loss}

    def visits(
        self, ring: jax.Array, inserted: jax.Array, pursued: jax.Array
    ) -> replay.Visits | None:
        """The visits that a balanced replay draws from during the next one, to the goal `pursued`; None
        if it is uniform.
        """
        setting = self.setting
        if setting.replay == "uniform" or setting.frozen:
            return None
        return replay.visits_by_goal(
            ring, self.layout, inserted, pursued, setting.steps_per_visit, setting.num_goals
        )

    def _batch(
        self,
        ring: jax.Array,
        inserted: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None,
    ) -> jax.Array:
        """Replayed rows [batch, width]."""
        if visits is None:
            return replay.sample(ring, inserted, noise.rows)
        steps = self.setting.steps_per_visit
        return replay.sample_by_goal(ring, visits, steps, inserted, noise.rows)


def learner_functions(setting: Setting, sizes: EnvironmentSizes, epochs: int) -> LearnerFunctions:
    """The pure functions of one learner in an environment, for a run of so many epochs."""
    setting.objective.check(sizes.observation_size)
    first_update = setting.first_update or sizes.episode_length or setting.steps_per_epoch
    return LearnerFunctions(
        setting,
        sizes.observation_size,
        sizes.action_size,
        setting.capacity(epochs),
        first_update,
    )
