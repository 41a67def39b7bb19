"""A task: the one goal is to be paid by the environment. Nothing is judged, and nothing is learned here."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Context, Objective


@dataclass(frozen=True)
class Task(Objective):
    """What the environment pays is the reward: ordinary reinforcement learning, of `num_goals=1`.

    Reward of a step: reward_scale r, with the environment's own r. The policy sees the number 1 where
    others see a skill, so that a policy of skills with its goal fixed can begin here
    (`autotelic.downstream.fine_tune`). q is 1 for the only goal.

    reward_scale: what rewards are multiplied with; returns are reported without it.
    """

    needs_reward = True
    learns = False

    reward_scale: float = option(1.0, "What the environment's reward is multiplied with.")

    def __post_init__(self) -> None:
        _validate.number("reward_scale", self.reward_scale, above=0.0)

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse more goals than the one that there is."""
        del observation_size
        if num_goals != 1:
            raise ValueError(
                f"a task is one goal, and num_goals is {num_goals}; make it 1 (--num-goals 1)"
            )

    def skill_size(self, num_goals: int) -> int:
        """One number."""
        del num_goals
        return 1

    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """1 for every goal: integers [...] -> [..., 1]."""
        del num_goals
        return jnp.ones((*jnp.shape(goal), 1))

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> jax.Array:
        """A zero, as files of runs hold parameters: there is nothing to learn."""
        del key, observation_size, num_goals, hidden_units
        return jnp.zeros(())

    def loss(self, params: jax.Array, context: Context, goal: jax.Array) -> jax.Array:
        """0, []."""
        del params, context, goal
        return jnp.zeros(())

    def reward(
        self, params: jax.Array, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """reward_scale r, [batch]."""
        del params, goal, log_prior
        return self.reward_scale * context.reward

    def log_posteriors(self, params: jax.Array, context: Context) -> jax.Array:
        """log 1 for the only goal: [..., 1]."""
        del params
        return jnp.zeros((*context.next_observation.shape[:-1], 1))
