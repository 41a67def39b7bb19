"""The contract of an environment: what one step yields, and how a failure is reported."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable


class EnvironmentStep(NamedTuple):
    """What one action led to.

    One learner's arrays as written here; JAX arrays gain a leading axis by `vmap`, and a pool of
    host environments fills `[members, ...]` NumPy arrays.

    Args:
        next_observation: [observation_size] what the action led to, before any reset.
        terminated: [] whether the task itself ended the episode: no value lies beyond it.
        truncated: [] whether a time limit ended the episode: the value of what follows counts.
        observation: [observation_size] what the learner acts on next: after an episode's end the
            first observation of the new episode, otherwise `next_observation`.
        reward: [] what the environment paid for the step; None where it pays nothing, or nobody asks.
    """

    next_observation: Any
    terminated: Any
    truncated: Any
    observation: Any
    reward: Any = None


class SizedEnvironment(Protocol):
    """What every environment says of itself."""

    @property
    def observation_size(self) -> int:
        """The number of entries of an observation."""
        ...

    @property
    def action_size(self) -> int:
        """The number of entries of an action."""
        ...

    @property
    def episode_length(self) -> int | None:
        """The time limit in steps, or None where there is none."""
        ...


@runtime_checkable
class JaxEnvironment(SizedEnvironment, Protocol):
    """An environment of pure JAX functions, written for one learner.

    Actions lie in [-1, 1]; the environment rescales them to its own range. One that chooses among
    `action_size` actions says so by an attribute `discrete_actions = True`, and takes the action of
    the largest entry: agents give one-hot vectors. Episodes restart inside `step`, so that a loop over
    steps needs no branch. One whose steps have a `reward` says so by `pays_reward = True`: it is a task.
    """

    def reset(self, key: Any) -> tuple[Any, Any]:
        """The first state and observation [observation_size] of an episode."""
        ...

    def step(self, state: Any, action: Any, key: Any) -> tuple[Any, EnvironmentStep]:
        """The state that follows `action` [action_size], and what the learner sees of it."""
        ...


@runtime_checkable
class HostEnvironment(SizedEnvironment, Protocol):
    """An environment that runs outside JAX: a setting that makes an instance for each member."""

    def pool(self, num_members: int, seeds: Sequence[int]) -> Any:
        """Instances that are stepped together, see `GymnasiumPool`."""
        ...


def has_discrete_actions(environment: Any) -> bool:
    """Whether one of `action_size` actions is chosen; an environment that does not say so has none."""
    return bool(getattr(environment, "discrete_actions", False))


def pays_reward(environment: Any) -> bool:
    """Whether steps are paid for; an environment that does not say so pays nothing."""
    return bool(getattr(environment, "pays_reward", False))


def caution_of(environment: Any) -> str:
    """What a user should know before training in it, of an environment that says so as `caution`; ""
    of others.
    """
    return getattr(environment, "caution", "")


def bounds_of(environment: Any) -> tuple[float, float] | None:
    """The lowest and highest position, of an environment that has them as `bounds`."""
    return getattr(environment, "bounds", None)


def positions_of(environment: Any, observations: Any) -> Any:
    """x and y [..., 2] of observations [..., observation], of a JAX environment that tells them by
    `positions(observations)`; None of others.
    """
    find = getattr(environment, "positions", None)
    return None if find is None else find(observations)


def position_entries_of(environment: Any) -> tuple[int, ...]:
    """Which entries of an observation are x, or x and y, of an environment that tells them as
    `position_entries`; () of others.
    """
    return tuple(getattr(environment, "position_entries", ()))


def render_of(environment: Any) -> Callable[[Any], Any] | None:
    """What draws an observation [observation] as a picture, uint8 [height, width, 3], of a JAX
    environment that has it as `render(observation)`; None of others.
    """
    return getattr(environment, "render", None)


class EnvironmentFailure(RuntimeError):
    """An environment broke its contract while running: it raised, or returned what cannot be used.

    Args:
        member: which member of the population it belongs to.
        message: the environment's own message.

    Attributes:
        time: the step within the epoch, once the training loop knows it.
    """

    def __init__(self, member: int, message: str):
        super().__init__(f"the environment of member {member} failed: {message}")
        self.member = member
        self.message = message
        self.time: int | None = None
