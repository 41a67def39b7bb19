"""The contract of an objective: pure functions of a frozen setting and its parameters, for one learner."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Context(NamedTuple):
    """What a goal may be judged by: one transition, and what it belongs to; [..., observation] each.

    DIAYN judges a state, VIC the start and the end, transition models the pair. `start` is where the
    pursuit of the goal began: the visit's first observation, or that of an episode begun since; `ended`
    [...] is 1.0 where the pursuit ended with this transition. Both are None unless the objective asks
    for them, and replay stores no more than that; `reward` [...], what the environment paid, likewise.
    `skill` [..., skill] is what the policy saw of the goal; given to `loss` and `reward`.
    """

    start: Any
    observation: Any
    next_observation: Any
    ended: Any = None
    skill: Any = None
    reward: Any = None


class GoalSpace(NamedTuple):
    """What an environment says of goals as places.

    name: of the environment, for messages; observation_size: entries of an observation; entries: of
    those, the ones that goals are values of, () if it does not say; bounds: (low, high) of each of them;
    radius: how near a goal is reached; desired: so many goals of its own, [count, entries]; reachable:
    which places can be reached, bool [n]; met: so many observations that random actions lead to, [count,
    observation]. What it does not say is None.
    """

    name: str
    observation_size: int
    entries: tuple[int, ...] = ()
    bounds: tuple[tuple[float, float], ...] | None = None
    radius: float | None = None
    desired: Callable[[int], np.ndarray] | None = None
    reachable: Callable[[np.ndarray], np.ndarray | None] | None = None
    met: Callable[[int], np.ndarray] | None = None


class Objective(ABC):
    """What every objective can do. Subclasses are frozen dataclasses of hyper-parameters."""

    needs_start: bool = False
    """Whether contexts are to hold where the pursuit of the goal began."""
    needs_end: bool = False
    """Whether contexts are to say where it ended."""
    needs_reward: bool = False
    """Whether contexts are to say what the environment paid: the environment must be a task."""
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
    """Whether `represent` maps observations into the space of skills, and `skill_towards` follows from it."""
    learns: bool = True
    """Whether it has parameters that are learned."""
    judges_raw: bool = False
    """Whether contexts are to hold observations as they are, where agents see them normalised."""
    gives_success: bool = False
    """Whether `competence` is 1 where a goal is reached and 0 elsewhere, and `success` judges visits."""
    has_places: bool = False
    """Whether goals are places: `goal_places` of all, and `achieved` of observations."""
    reachable: tuple[bool, ...] | None = None
    """Whether each goal can be reached at all; None where goals have no success, or it is not known."""
    moving_goals: bool = False
    """Whether places change while a run trains: they are parameters, and `exchanged` moves them."""
    explores: bool = False
    """Whether actions are random once a goal is reached, until the episode or the visit ends."""
    hindsight: str = "none"
    """Which later state of the episode a replayed transition is given as its goal: `none`, any
    (`future`) or the last (`final`); `fulfilled` says which skill a state is."""
    hindsight_share: float = 0.0
    """The share of a batch that is given such goals."""

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

    def skill_towards(self, params: Any, observation: jax.Array, target: jax.Array) -> jax.Array:
        """The skill that leads from observations to targets, [..., observation] each -> [..., skill_size],
        by the representation; it is asked again at every step.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not say which skill leads to a state"
        )

    def success(self, reached: np.ndarray, ended: np.ndarray) -> float:
        """How successful a visit was, in [0, 1]: its steps' competence and ends, [environments, steps]."""
        raise NotImplementedError(f"{type(self).__name__} knows no success")

    def reached(self, achieved: np.ndarray, places: np.ndarray) -> np.ndarray | None:
        """Which goals, at these places, a visit reached at any time, bool [goals]; None if that is not
        known.

        achieved: [steps, dimensions]; places: [goals, dimensions].
        """
        del achieved, places
        return None

    def goal_places(self, params: Any) -> Any:
        """Where the goals are: [goals, dimensions]."""
        raise NotImplementedError(f"the goals of {type(self).__name__} are no places")

    def exchanged(
        self, params: Any, achieved: np.ndarray, goal: int, generator: np.random.Generator
    ) -> tuple[Any, np.ndarray]:
        """Parameters of one learner with goals exchanged for places of a visit to `goal`, and which were,
        bool [goals]; of goals that move, on the host.

        achieved: [steps, dimensions].
        """
        raise NotImplementedError(f"the goals of {type(self).__name__} do not move")

    def achieved(self, observation: Any) -> Any:
        """Where observations [..., observation] are in the space of goals: [..., dimensions]."""
        raise NotImplementedError(f"the goals of {type(self).__name__} are no places")

    def fulfilled(self, observation: jax.Array) -> jax.Array:
        """The skill that a state is the goal of: [..., observation] -> [..., skill_size]."""
        raise NotImplementedError(f"{type(self).__name__} knows no hindsight")

    def goal_skills(self, params: Any, num_goals: int) -> jax.Array:
        """What the policy sees of every goal now, [num_goals, skill_size]: of parameters that hold it,
        if goals move.
        """
        del params
        return self.embed(jnp.arange(num_goals), num_goals)

    def fitted(self, space: GoalSpace, num_goals: int) -> "Objective":
        """The objective with what it left open as the environment says; refuses what does not fit."""
        del space, num_goals
        return self

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse an environment or a number of goals that the objective cannot work with."""
        del observation_size, num_goals
