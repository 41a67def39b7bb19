"""All that one learner carries, and what it does with a step: act, move, judge, remember, learn."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autotelic.agents import Batch, adam, replay
from autotelic.agents.base import Sizes
from autotelic.environments import EnvironmentStep
from autotelic.learner import normalizer as normalizers
from autotelic.learner.normalizer import Normalizer
from autotelic.learner.plan import EnvironmentSizes, with_agent
from autotelic.learner.setting import Setting
from autotelic.objectives import Context

HELD = 5
"""Steps for which a random action is held where a learner explores: one a step would lead nowhere."""


class Learner(NamedTuple):
    """The state of one learner; a population is the same with a leading axis on every array.

    replay: [capacity, width]; latest: [rows, width], those of the latest steps (see `remember`).
    environment, observation and start have a leading axis of environments where there are several.
    normalizer: of observations; () where they are taken as they are.
    reached: whether the goal was reached in the episode, of an objective that then explores.
    paid: what the environment paid in the episode so far, of an objective that asks for it.
    """

    agent: Any
    discriminator: Any
    discriminator_optimizer: Any
    replay: jax.Array
    latest: jax.Array
    environment: Any
    observation: jax.Array
    start: jax.Array
    normalizer: Normalizer | tuple[()] = ()
    reached: jax.Array | tuple[()] = ()
    paid: jax.Array | tuple[()] = ()


class UpdateNoise(NamedTuple):
    """The randomness of one update: which rows are replayed (uint32 [batch]), the agent's own, and which
    later states are goals in hindsight (uint32 [batch]), where any are.
    """

    rows: jax.Array
    agent: Any
    hindsight: jax.Array | None = None


class StepRecord(NamedTuple):
    """What steps leave behind: q(. | s_{t+1}) [..., num_goals], the losses of the update that followed
    [...], and competence [...] where the objective gives it. Of goals with success also whether a step
    ended an episode or the visit [...]; of goals that are places, where it led [..., dimensions]; of a
    task, the return of the episode that ended with the step, NaN where none did [...].
    """

    posterior: jax.Array
    losses: dict[str, jax.Array]
    competence: jax.Array | None = None
    ended: jax.Array | None = None
    achieved: jax.Array | None = None
    returned: jax.Array | None = None


def over(count: int, function: Any) -> Any:
    """The function of one environment for all that a learner has; one of them has no axis."""
    return function if count == 1 else jax.vmap(function)


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
        objective = self.setting.objective
        if objective.needs_start:
            fields.append(("start", self.observation_size))
        if objective.needs_end or objective.gives_success or objective.hindsight != "none":
            fields.append(("ended", 0))
        if objective.needs_reward:
            fields += [("reward", 0), ("returned", 0)]
        if objective.needs_collected_prior:
            fields.append(("log_prior", 0))
        if objective.needs_skill:
            fields.append(("skill", objective.skill_size(self.setting.num_goals)))
        if objective.hindsight != "none":
            fields.append(("left", 0))
        return replay.RowLayout(tuple(fields))

    def init(
        self,
        key: jax.Array,
        environment: Any,
        observation: Any,
        statistics: Normalizer | None = None,
    ) -> Learner:
        """A learner before its first step, in the environment's state and observation.

        statistics: of observations, where they are fixed.
        """
        setting = self.setting
        agent_key, objective_key = jax.random.split(key)
        skill_size = setting.objective.skill_size(setting.num_goals)
        sizes = Sizes(
            self.observation_size,
            self.action_size,
            skill_size,
            setting.hidden_units,
            skill_size if setting.objective.vector_reward else 0,
        )
        discriminator = setting.objective.init(
            objective_key, self.observation_size, setting.num_goals, setting.hidden_units
        )
        return Learner(
            agent=setting.agent.init(agent_key, sizes),
            discriminator=discriminator,
            discriminator_optimizer=adam.init(discriminator),
            replay=replay.init(self.capacity, self.layout),
            latest=jnp.zeros((self.setting.rows_per_update, self.layout.width)),
            environment=environment,
            observation=observation,
            start=observation,
            normalizer=self._normalizer(statistics),
            reached=self.nothing_reached(),
            paid=self._nothing_paid(),
        )

    def _nothing_paid(self) -> jax.Array | tuple[()]:
        """`Learner.paid` at the start of a run."""
        count = self.setting.environments
        return jnp.zeros((count,) * (count > 1)) if self.setting.objective.needs_reward else ()

    def forget_payment(self, learner: Learner) -> Learner:
        """The learner at the beginning of an episode that replaces the one under way."""
        return learner._replace(paid=self._nothing_paid())

    def nothing_reached(self) -> jax.Array | tuple[()]:
        """`Learner.reached` at the start of a visit."""
        count = self.setting.environments
        shape = (count,) * (count > 1)
        return jnp.zeros(shape, bool) if self.setting.objective.explores else ()

    def _normalizer(self, statistics: Normalizer | None) -> Normalizer | tuple[()]:
        if self.setting.normalize_observations == "none":
            return ()
        return normalizers.init(self.observation_size) if statistics is None else statistics

    def normalized(self, learner: Learner, observation: Any) -> Any:
        """Observations [..., observation] as agent and objective see them; None stays None."""
        if isinstance(learner.normalizer, Normalizer) and observation is not None:
            return normalizers.normalize(learner.normalizer, observation)
        return observation

    def acting_noise(self, key: jax.Array, steps: int) -> Any:
        """Noise for `steps` actions."""
        return self.setting.agent.acting_noise(key, (steps,), self.action_size)

    def random_actions(self, key: jax.Array, steps: int) -> jax.Array | None:
        """Uniform actions [steps, action] to explore by, of an objective that does; one-hot of discrete."""
        if not self.setting.objective.explores:
            return None
        count = self.setting.environments
        turns = steps // count
        shape = (-(-turns // HELD), count, self.action_size)
        actions = jax.random.uniform(jax.random.fold_in(key, 1), shape, minval=-1.0)
        actions = jnp.repeat(actions, HELD, axis=0)[:turns].reshape(steps, self.action_size)
        if self.setting.agent.actions == "discrete":
            return jax.nn.one_hot(jnp.argmax(actions, axis=-1), self.action_size)
        return actions

    def update_noise(self, key: jax.Array, rounds: int) -> UpdateNoise:
        """Noise for so many rounds of updates, [rounds, ...]; [rounds, updates, ...] of several."""
        rows_key, agent_key = jax.random.split(key)
        updates = self.setting.updates_at_once
        shape = (rounds, *(updates,) * (updates > 1), self.setting.batch_size)
        rows = jax.random.bits(rows_key, shape, jnp.uint32)
        agent = self.setting.agent.update_noise(agent_key, shape, self.action_size)
        if self.setting.objective.hindsight != "future":
            return UpdateNoise(rows, agent)
        later = jax.random.bits(jax.random.fold_in(rows_key, 1), shape, jnp.uint32)
        return UpdateNoise(rows, agent, later)

    def act(
        self, learner: Learner, skill: jax.Array, noise: Any, random: jax.Array | None = None
    ) -> jax.Array:
        """Algorithm 1: sample a_t ~ pi(. | s_t, g), [action], in every environment.

        skill: [skill], what the policy sees of the goal; random: what is done in its place where the goal
        was reached and the objective explores.
        """
        agent = self.setting.agent
        policy = agent.policy(learner.agent)

        def act(observation: jax.Array, noise: Any) -> jax.Array:
            return agent.act(policy, observation, skill, noise)

        seen = self.normalized(learner, learner.observation)
        actions = over(self.setting.environments, act)(seen, noise)
        if random is None:
            return actions
        return jnp.where(jnp.asarray(learner.reached)[..., None], random, actions)

    def move(
        self,
        learner: Learner,
        action: jax.Array,
        step: EnvironmentStep,
        goal: jax.Array,
        skill: jax.Array,
        log_prior: jax.Array,
        last: jax.Array | bool = False,
    ) -> tuple[Learner, jax.Array]:
        """The learner after the environment's step, and the step's row [width] (of every environment).

        log_prior: [num_goals] the objective's of p(g); last: [] whether the visit ends with this step.
        """

        count, ended = self.setting.environments, step.terminated | step.truncated
        rewarded = self.setting.objective.needs_reward
        paid = jnp.asarray(learner.paid) + step.reward if rewarded else None
        returned = None if paid is None else jnp.where(ended, paid, jnp.nan)

        def row_of(
            observation: jax.Array,
            start: jax.Array,
            action: jax.Array,
            step: EnvironmentStep,
            returned: jax.Array | None,
        ) -> jax.Array:
            return self.layout.pack(
                {
                    "observation": observation,
                    "action": action,
                    "next_observation": step.next_observation,
                    "terminated": step.terminated,
                    "goal": goal,
                    "start": start,
                    "ended": step.terminated | step.truncated | last,
                    "log_prior": log_prior[goal],
                    "skill": skill,
                    "left": jnp.zeros(()),
                    "reward": step.reward,
                    "returned": returned,
                }
            )

        rows = over(count, row_of)(learner.observation, learner.start, action, step, returned)
        moved = learner._replace(
            observation=step.observation,
            start=jnp.where(ended[..., None], step.observation, learner.start),
        )
        if paid is not None:
            moved = moved._replace(paid=jnp.where(ended, 0.0, paid))
        if self.setting.objective.explores:
            _, competence = self.judge(learner, rows)
            assert competence is not None
            reached = jnp.asarray(learner.reached) | (competence > 0)
            moved = moved._replace(reached=reached & ~ended)
        return moved, rows

    def absorb(
        self,
        learner: Learner,
        inserted: jax.Array,
        rows: jax.Array,
        log_prior: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None = None,
    ) -> tuple[Learner, StepRecord]:
        """Algorithm 1 after the steps: judge them, learn, and remember them.

        inserted: [] rows of replay before these steps; rows: [..., width] of the steps; log_prior:
        [num_goals]; noise: of as many updates as follow, [updates, ...], without the axis if it is one;
        visits: those in the replay, if it is balanced.
        The posterior is q's before its update, as the paper's line order says, unless `judged` says
        otherwise. The batch is drawn from what was remembered before these steps, so that the update
        need not wait for the environment: a transition can be replayed from the next update on.
        """
        before = learner
        learner = self.remember(learner, inserted)
        losses: dict[str, jax.Array] = {}
        if not self.setting.frozen:
            learner, losses = self._updates(learner, inserted, log_prior, noise, visits)
        judge = before if self.setting.judged == "before_update" else learner
        posterior, competence = self.judge(judge, rows)
        learner = learner._replace(latest=rows.reshape(-1, rows.shape[-1]))
        losses = {name: jnp.broadcast_to(x, posterior.shape[:-1]) for name, x in losses.items()}
        return learner, StepRecord(posterior, losses, competence, *self._whereabouts(rows))

    def _whereabouts(self, rows: jax.Array) -> tuple[jax.Array | None, ...]:
        """What rows of steps [..., width] say of their ends [...], of the places that they led to
        [..., dimensions] and of their episodes' returns [...]; None for what the objective does not ask for.
        """
        objective, values = self.setting.objective, self.layout.unpack(rows)
        return (
            values["ended"] if objective.gives_success else None,
            objective.achieved(values["next_observation"]) if objective.has_places else None,
            values.get("returned"),
        )

    def _updates(
        self,
        learner: Learner,
        inserted: jax.Array,
        log_prior: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None,
    ) -> tuple[Learner, dict[str, jax.Array]]:
        """One update or several, and the losses of the last."""
        if self.setting.updates_at_once == 1:
            return self.learn(learner, inserted, log_prior, noise, visits)

        def update(learner: Learner, noise: UpdateNoise) -> Any:
            return self.learn(learner, inserted, log_prior, noise, visits)

        learner, losses = jax.lax.scan(update, learner, noise)
        return learner, jax.tree.map(lambda x: x[-1], losses)

    def judge(self, learner: Learner, rows: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        """q(. | s) of transitions [..., width] -> [..., num_goals], and their competence [...]."""
        objective = self.setting.objective
        values = self.layout.unpack(rows)
        context = self._context(learner, values)
        posterior = jnp.exp(objective.log_posteriors(learner.discriminator, context))
        if not objective.gives_competence:
            return posterior, None
        goal = values["goal"].astype(jnp.int32)
        context = context._replace(skill=self._skill(values))
        return posterior, objective.competence(learner.discriminator, context, goal)

    def _context(self, learner: Learner, values: dict[str, jax.Array]) -> Context:
        """What the objective judges, of unpacked rows."""
        found = (values.get("start"), values["observation"], values["next_observation"])
        if not self.setting.objective.judges_raw:
            found = (self.normalized(learner, part) for part in found)
        return Context(*found, values.get("ended"), reward=values.get("reward"))

    def _skill(self, values: dict[str, jax.Array]) -> jax.Array:
        """The skills that were pursued, [..., skill]."""
        if "skill" in values:
            return values["skill"]
        goal = values["goal"].astype(jnp.int32)
        return self.setting.objective.embed(goal, self.setting.num_goals)

    def remember(self, learner: Learner, inserted: jax.Array) -> Learner:
        """The learner with its latest steps in the replay, as the rows before `inserted`.

        Steps enter the ring an update late (or at the epoch's end): written before the batch is
        drawn, the ring is changed in place, and what is written does not wait for the environment.
        """
        ring = replay.insert(learner.replay, learner.latest, inserted - len(learner.latest))
        return learner._replace(replay=ring)

    def observed(self, rows: jax.Array) -> jax.Array | None:
        """Of rows [..., width] the observations that running statistics count, [..., observation]."""
        if self.setting.normalize_observations != "running":
            return None
        return self.layout.unpack(rows)["next_observation"]

    def take_in(self, learner: Learner, observations: jax.Array) -> Learner:
        """The learner with a visit's observations [n, observation] in its running statistics."""
        assert isinstance(learner.normalizer, Normalizer)
        return learner._replace(normalizer=normalizers.update(learner.normalizer, observations))

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
        positions = self._drawn(learner.replay, inserted, noise, visits)
        rows = self.layout.unpack(jnp.take(learner.replay, positions, axis=0))
        goal = rows["goal"].astype(jnp.int32)
        skill = self._with_hindsight(learner.replay, positions, rows, noise)
        context = self._context(learner, rows)._replace(skill=skill)
        observation, following = context.observation, context.next_observation
        if objective.judges_raw:
            observation = self.normalized(learner, observation)
            following = self.normalized(learner, following)
        batch = Batch(
            observation,
            rows["action"],
            following,
            rows["terminated"],
            context.skill,
        )
        priors = objective.log_prior_of(goal, log_prior, rows.get("log_prior"))
        loss, gradients = jax.value_and_grad(objective.loss)(learner.discriminator, context, goal)
        discriminator, optimizer = adam.step(
            learner.discriminator,
            gradients,
            learner.discriminator_optimizer,
            setting.learning_rate,
            ready,
        )
        judge = discriminator if objective.learns_first else learner.discriminator
        rewards = objective.reward(judge, context, goal, priors)
        agent, losses = setting.agent.update(
            learner.agent, batch, rewards, noise.agent, setting.learning_rate, ready
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

    def _drawn(
        self,
        ring: jax.Array,
        inserted: jax.Array,
        noise: UpdateNoise,
        visits: replay.Visits | None,
    ) -> jax.Array:
        """Where replayed rows are in the ring, [batch]."""
        if visits is None:
            return replay.drawn(ring, inserted, noise.rows)
        steps = self.setting.steps_per_visit
        return replay.drawn_by_goal(ring, visits, steps, inserted, noise.rows)

    def _with_hindsight(
        self, ring: jax.Array, positions: jax.Array, rows: dict[str, jax.Array], noise: UpdateNoise
    ) -> jax.Array:
        """The skills of replayed rows [batch, skill]: those pursued, and of a share those that were
        fulfilled later in their episodes.
        """
        objective, skill = self.setting.objective, self._skill(rows)
        if objective.hindsight == "none":
            return skill
        # Rows are drawn at random, so the first of a batch are as good as any.
        count = round(objective.hindsight_share * len(positions))
        bits = None if noise.hindsight is None else noise.hindsight[:count]
        at = replay.later(positions[:count], rows["left"][:count], self.setting.environments, bits)
        reached = self.layout.unpack(jnp.take(ring, at, axis=0))["next_observation"]
        return jnp.concatenate([objective.fulfilled(reached), skill[count:]])

    def close_visit(self, learner: Learner, inserted: jax.Array) -> Learner:
        """The learner after a visit's last step, all of which are remembered: its rows know their ends."""
        if self.setting.objective.hindsight == "none" or self.setting.frozen:
            return learner
        setting = self.setting
        ring = replay.mark_ends(
            learner.replay, self.layout, inserted, setting.steps_per_visit, setting.environments
        )
        return learner._replace(replay=ring)


def learner_functions(setting: Setting, sizes: EnvironmentSizes, epochs: int) -> LearnerFunctions:
    """The pure functions of one learner in an environment, for a run of so many epochs.

    Their setting has the agent for the environment's actions, see `with_agent`.
    """
    setting = with_agent(setting, sizes)
    setting.objective.check(sizes.observation_size, setting.num_goals)
    first_update = setting.first_update or sizes.episode_length or setting.steps_per_epoch
    # Hindsight looks ahead within a visit, which therefore lies in the ring in one piece.
    hindsight = setting.objective.hindsight != "none"
    piece = setting.steps_per_visit if hindsight else setting.rows_per_update
    return LearnerFunctions(
        setting,
        sizes.observation_size,
        sizes.action_size,
        -(-setting.capacity(epochs) // piece) * piece,
        first_update,
    )
