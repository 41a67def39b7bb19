"""The contract of a discriminability objective: pure functions of a frozen setting and its parameters."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import jax
import numpy as np


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
    """Whether contexts are to hold the episode's start."""
    needs_collected_prior: bool = False
    """Whether replay is to keep log p(g) of the time a transition was made."""

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

    def log_prior(self, prior: np.ndarray) -> np.ndarray:
        """log p(g) for the reward, of probabilities that are positive: [..., goals], on the host."""
        return np.log(prior)

    def log_prior_of(
        self, goal: jax.Array, current: jax.Array, collected: jax.Array | None
    ) -> jax.Array:
        """log p(g) of replayed transitions' goals [batch], as `reward` takes it: by default the current.

        current: [goals], `log_prior` of the selector's p(g) now; collected: [batch], of the time each
        transition was made; None unless `needs_collected_prior`.
        """
        del collected
        return jax.nn.one_hot(goal, current.shape[-1]) @ current

    @abstractmethod
    def log_posteriors(self, params: Any, context: Context) -> jax.Array:
        """log q(. | s) of a transition just made, over all goals: [..., num_goals]."""

    def check(self, observation_size: int) -> None:
        """Refuse an environment that the objective cannot work on."""
        del observation_size
