"""The contract of an agent: pure functions of a frozen setting and a visible state, for one learner."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import jax

from autotelic import _validate


class Batch(NamedTuple):
    """Transitions as an agent sees them.

    observation and next_observation: [batch, observation]; action: [batch, action] in [-1, 1];
    terminated: [batch], 1.0 where the environment truly ended (a time-out is 0.0 and bootstraps);
    skill: [batch, skill], the goal's embedding.
    """

    observation: jax.Array
    action: jax.Array
    next_observation: jax.Array
    terminated: jax.Array
    skill: jax.Array


class Sizes(NamedTuple):
    """The widths an agent's networks are built from.

    reward: of vector rewards, whose product with the skill is the reward; 0 where it is a number.
    """

    observation: int
    action: int
    skill: int
    hidden_units: int
    reward: int = 0


class Agent(ABC):
    """What every agent can do. Subclasses are frozen dataclasses of hyper-parameters.

    Random numbers come in ready-drawn (`acting_noise`, `update_noise`), so that a whole block of
    steps can draw them in one call: many small draws cost a sixth of a small network's step.
    """

    discount: float
    loss_names: ClassVar[tuple[str, ...]]
    actions: ClassVar[str] = "continuous"
    """The kind of actions it takes: `continuous` in [-1, 1], or `discrete`, one-hot."""
    takes_vector_rewards: ClassVar[bool] = False
    """Whether `update` takes rewards [batch, reward], for objectives with `vector_reward`."""
    gives_values: ClassVar[bool] = False
    """Whether `value` says what a state is worth, for selectors that ask for values."""
    gives_value_spread: ClassVar[bool] = False
    """Whether `value_spread` says how far its critics disagree, for selectors that ask for it."""

    @abstractmethod
    def init(self, key: jax.Array, sizes: Sizes) -> Any:
        """Fresh networks and optimiser: the agent's state, a pytree of arrays."""

    @abstractmethod
    def acting_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        """Noise for sampling one action per entry of `shape`."""

    @abstractmethod
    def update_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        """Noise for updates; `shape` is [..., batch]."""

    @abstractmethod
    def policy(self, state: Any) -> Any:
        """The parameters that acting needs: all of a skill that is worth keeping when learning ends."""

    def with_policy(self, state: Any, policy: Any) -> Any:
        """The state with another policy, of the same shapes; critics and optimiser as they are."""
        raise NotImplementedError(f"{type(self).__name__} cannot begin with a policy that is given")

    @abstractmethod
    def act(self, policy: Any, observation: jax.Array, skill: jax.Array, noise: Any) -> jax.Array:
        """A sampled action in [-1, 1]: [..., observation], [..., skill] -> [..., action]."""

    @abstractmethod
    def act_deterministically(
        self, policy: Any, observation: jax.Array, skill: jax.Array
    ) -> jax.Array:
        """The most probable component's mean, squashed as samples are: [..., action]."""

    @abstractmethod
    def update(
        self,
        state: Any,
        batch: Batch,
        rewards: jax.Array,
        noise: Any,
        learning_rate: float,
        ready: jax.Array | bool = True,
    ) -> tuple[Any, dict[str, jax.Array]]:
        """One gradient step on every network from one batch, and the losses by name.

        Unless `ready` [], the networks stay as they are.
        """

    def value(self, state: Any, observation: jax.Array, skill: jax.Array, noise: Any) -> jax.Array:
        """V(s, g), what following a goal from a state is worth: [..., observation] -> [...].

        noise: of `acting_noise`, one action for each state, where actions are sampled.
        """
        raise NotImplementedError(f"{type(self).__name__} gives no values")

    def value_spread(
        self, state: Any, observation: jax.Array, skill: jax.Array, noise: Any
    ) -> jax.Array:
        """Standard deviation over critics of what following a goal is worth, [...]; as `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no critics that could disagree")


def check_common(discount: float, target_rate: float, entropy_scale: float) -> None:
    """Refuse hyper-parameters that no soft actor-critic can work with."""
    _validate.number("discount", discount, minimum=0.0, maximum=1.0)
    _validate.number("target_rate", target_rate, above=0.0, maximum=1.0)
    _validate.number("entropy_scale", entropy_scale, minimum=0.0)
