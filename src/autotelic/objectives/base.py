"""The contract of a discriminability objective: pure functions of a frozen setting and its parameters."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import jax

from autotelic import _validate

REWARD_PRIORS = ("current", "at_collection", "uniform")


class Context(NamedTuple):
    """What a goal may be judged by: where the episode began, and one transition; [..., observation] each.

    DIAYN judges a state, VIC the start and the end, transition models the pair. `start` is None
    unless the objective asks for it, and replay stores no more than that.
    """

    start: Any
    observation: Any
    next_observation: Any


class Objective(ABC):
    """What every objective can do. Subclasses are frozen dataclasses of hyper-parameters."""

    needs_start: bool = False
    reward_prior: str
    prior_floor: float

    @abstractmethod
    def skill_size(self, num_goals: int) -> int:
        """Width of a goal's embedding."""

    @abstractmethod
    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """What the policy sees of a goal: integers [...] -> [..., skill_size]."""

    @abstractmethod
    def init(self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int) -> Any:
        """Fresh parameters, a pytree of arrays."""

    @abstractmethod
    def loss(self, params: Any, context: Context, goal: jax.Array) -> jax.Array:
        """Mean loss of judging transitions [batch, ...] whose goals are known [batch]."""

    @abstractmethod
    def reward(
        self, params: Any, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """Intrinsic rewards [batch]; `log_prior` [batch] is log p(g) of each transition's goal."""

    @abstractmethod
    def log_posteriors(self, params: Any, context: Context) -> jax.Array:
        """log q(. | s) of a transition just made, over all goals: [..., num_goals]."""

    def check(self, observation_size: int) -> None:
        """Refuse an environment that the objective cannot work on."""
        del observation_size


def check_reward_prior(reward_prior: str, prior_floor: float) -> None:
    """Refuse an unknown reading of log p(g) in the reward, or a floor that cannot be one."""
    _validate.choice("reward_prior", reward_prior, REWARD_PRIORS)
    _validate.number("prior_floor", prior_floor, minimum=0.0, maximum=1.0)
