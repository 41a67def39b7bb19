"""The contract of an objective: pure functions of a frozen setting and its parameters, for one learner."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import jax
import numpy as np


class Context(NamedTuple):
    """What a goal may be judged by: one transition, and what it belongs to; [..., observation] each.

    DIAYN judges a state, VIC the start and the end, transition models the pair. `start` is where the
    pursuit of the goal began: the visit's first observation, or that of an episode begun since; `ended`
    [...] is 1.0 where the pursuit ended with this transition. Both are None unless the objective asks
    for them, and replay stores no more than that. `skill` [..., skill] is what the policy saw of the
    goal; given to `loss` and `reward`.
    """

    start: Any
    observation: Any
    next_observation: Any
    ended: Any = None
    skill: Any = None


class Objective(ABC):
    """What every objective can do. Subclasses are frozen dataclasses of hyper-parameters."""

    needs_start: bool = False
    """Whether contexts are to hold where the pursuit of the goal began."""
    needs_end: bool = False
    """Whether contexts are to say where it ended."""
    needs_collected_prior: bool = False
    """Whether replay is to keep log p(g) of the time a transition was made."""
    needs_skill: bool = False
    """Whether replay is to keep the skill that was pursued, as `pursue` varies it."""
    learns_first: bool = False
    """Whether the reward of a batch is that of the parameters after their update by it, not before."""
    vector_reward: bool = False
    """Whether `reward` gives vectors [batch, skill] whose product with the skill is the reward."""
    gives_competence: bool = False
    """Whether `competence` says how well a goal is pursued; without it the certainty q(g|s) does."""
    has_representation: bool = False
    """Whether `represent` maps observations into the space of skills."""

    @abstractmethod
    def skill_size(self, num_goals: int) -> int:
        """Width of a goal's embedding."""

    @abstractmethod
    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """What the policy sees of a goal: integers [...] -> [..., skill_size]."""

    def pursue(self, goal: jax.Array, num_goals: int, key: jax.Array) -> jax.Array:
        """The skill of one visit to a goal, [skill_size]: its embedding, varied by those who do."""
        del key
        return self.embed(goal, num_goals)

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

    def competence(self, params: Any, context: Context, goal: jax.Array) -> jax.Array:
        """How well transitions pursued their goals [...]; 1 is as well as can be, 0 not at all.

        Their mean over a visit, cut to [0, 1], is the competence that selectors are told of.
        """
        raise NotImplementedError(f"{type(self).__name__} gives no competence of its own")

    def represent(self, params: Any, observation: jax.Array) -> jax.Array:
        """phi(s): observations [..., observation] in the space of skills, [..., skill_size]."""
        raise NotImplementedError(f"{type(self).__name__} has no representation of states")

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse an environment or a number of goals that the objective cannot work with."""
        del observation_size, num_goals
