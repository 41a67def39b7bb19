"""One Gymnasium environment for each member of a population, stepped together."""

import statistics
import sys
import time
from collections.abc import Collection, Sequence
from typing import Any

import gymnasium
import numpy as np

from autotelic import _validate
from autotelic._cores import usable_cores
from autotelic.environments.backends import Backend, Processes, Serial, Threads
from autotelic.environments.base import EnvironmentFailure, EnvironmentStep
from autotelic.environments.making import Make, describe, make_one, name_of
from autotelic.environments.member import MemberStep

BACKENDS: dict[str, type[Any]] = {"serial": Serial, "thread": Threads, "process": Processes}

# Where a step is shorter than this, handing it to another thread costs more than it saves. Measured
# here with 5 members on 2 cores, microseconds a member, serial and in threads: Half-Cheetah 51 and
# 62, Ant 261 and 209.
SECONDS_WORTH_A_THREAD = 100e-6


def rescale(actions: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """a in [-1, 1] -> (low + high)/2 + a (high - low)/2, kept within the bounds.

    Args:
        actions: [members, action_size].
        low: [action_size] the lower bounds.
        high: [action_size] the upper bounds, which also give the result its type.
    """
    # In float64: float32 would lose digits of a small bound next to a large one.
    centre = (low.astype(np.float64) + high) / 2
    half = (high.astype(np.float64) - low) / 2
    return np.minimum(np.maximum(centre + half * actions, low), high).astype(high.dtype)


def chosen(actions: np.ndarray, first_action: np.integer[Any]) -> np.ndarray:
    """The number of the action with the largest entry: [members, action_size] -> [members].

    first_action: the number of the first, which also gives the result its type.
    """
    return first_action + np.argmax(actions, axis=1).astype(first_action.dtype)


def as_float32(observations: Sequence[np.ndarray]) -> np.ndarray:
    """The members' observations as one float32 array [members, observation_size].

    The one cast on their way to the learner; a value that is not finite is a failure.
    """
    with np.errstate(over="ignore"):  # too large for float32: told apart below
        cast = np.array(observations, np.float32)
    finite = np.isfinite(cast)
    if not finite.all():
        member, entry = (int(index) for index in np.argwhere(~finite)[0])
        raise EnvironmentFailure(
            member, f"it returned {observations[member][entry]} in entry {entry} of an observation"
        )
    return cast


class GymnasiumPool:
    """The environments of all members behind one lock-step call.

    Args:
        make: a Gymnasium id ("HalfCheetah-v5", "module:Id-v0"), or a function that makes one
            environment. Box observations and bounded Box actions, each of one dimension, or Discrete
            actions.
        num_members: how many instances.
        seeds: one for each member, for its first episode; later episodes go on with its generator.
        backend: "serial" | "thread" | "process", or "auto": threads for a MuJoCo task whose steps
            are long enough to gain from them, otherwise one member after the other. The choice
            changes the speed and no number.
        **options: keyword arguments for `gymnasium.make` or the function.

    Attributes:
        observation_size, action_size: sizes of one member's observation and action.
        discrete_actions: whether actions are discrete.
        episode_length: the time limit in steps, or None.
        informations: what each environment said about its last step, before any reset (such as
            "x_position"); for evaluation, and no part of an observation.
        rewards: what each environment paid for its last step, as it gave it; `paid` has them as numbers.
        why_no_state: why `state()` is None, or None.
    """

    def __init__(
        self,
        make: Make,
        num_members: int,
        seeds: Sequence[int],
        backend: str = "auto",
        **options: Any,
    ):
        _validate.integer("num_members", num_members, minimum=1)
        _validate.choice("backend", backend, ["auto", *BACKENDS])
        if len(seeds) != num_members:
            raise ValueError(f"{num_members} members need as many seeds, got {len(seeds)}")
        for seed in seeds:
            _validate.seed("each of the seeds", seed)
        self.num_members = num_members
        self._seeds = [int(seed) for seed in seeds]

        example = make_one(make, options)
        try:
            description = describe(example, name_of(make))
            if backend == "auto":
                backend = "thread" if num_members > 1 and _gains_from_threads(example) else "serial"
        finally:
            example.close()
        self.observation_size: int = description.observation_size
        self.action_size: int = description.action_size
        self.discrete_actions: bool = description.discrete_actions
        self.episode_length: int | None = description.episode_length
        self._description = description
        self.backend = backend
        self._members: Backend = BACKENDS[backend](make, options, num_members)
        self.why_no_state: str | None = self._call("why_no_state")[0]
        self.informations: list[dict[str, Any]] = [{} for _ in range(num_members)]
        self.rewards: list[Any] = [0.0] * num_members
        nothing = np.zeros(self.observation_size)
        self._still = MemberStep(nothing, False, False, nothing, {})

    def reset(self, seeds: Sequence[int] | None = None) -> np.ndarray:
        """Begin the first episode of every member; observations [members, observation_size].

        seeds: others than those that the pool was made with, for a pool that is used once more.
        """
        return self._begin(self._seeds if seeds is None else seeds)

    def begin_episodes(self) -> np.ndarray:
        """Begin another episode of every member; observations [members, observation_size]."""
        return self._begin([None] * self.num_members)

    def _begin(self, seeds: Sequence[int | None]) -> np.ndarray:
        observations, informations = zip(
            *self._members.call("reset", [(seed,) for seed in seeds]), strict=True
        )
        self.informations = list(informations)
        return as_float32(observations)

    def step(self, actions: np.ndarray, resting: Collection[int] = ()) -> EnvironmentStep:
        """Act in every environment; a member whose episode ends begins the next one.

        Args:
            actions: [members, action_size] in [-1, 1]; of discrete ones, that of the largest entry is
                taken, as of a one-hot vector.
            resting: members whose environments are left alone; their observations are zeros.

        Returns:
            NumPy arrays: observations float32 [members, observation_size], flags bool [members].
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_members, self.action_size):
            raise ValueError(
                f"actions must have the shape {(self.num_members, self.action_size)}, "
                f"got {actions.shape}"
            )
        arguments = [None if i in resting else (a,) for i, a in enumerate(self._real(actions))]
        steps = [step or self._still for step in self._members.call("step", arguments)]
        self.informations = [step.information for step in steps]
        self.rewards = [step.reward for step in steps]
        next_observation = observation = as_float32([step.next_observation for step in steps])
        if any(step.terminated or step.truncated for step in steps):
            observation = as_float32([step.observation for step in steps])
        return EnvironmentStep(
            next_observation,
            np.array([step.terminated for step in steps]),
            np.array([step.truncated for step in steps]),
            observation,
        )

    def paid(self) -> np.ndarray:
        """The rewards of the last step, float32 [members]; one that is no finite number is a failure.

        Asked for by tasks alone: what an environment pays is nobody else's business.
        """
        found = np.zeros(self.num_members, np.float32)
        for member, reward in enumerate(self.rewards):
            try:
                found[member] = float(reward)
            except (TypeError, ValueError):
                found[member] = np.nan
            if not np.isfinite(found[member]):
                raise EnvironmentFailure(member, f"it paid {reward!r}, and no finite number")
        return found

    def _real(self, actions: np.ndarray) -> np.ndarray:
        """Actions as the environments take them, one for each member."""
        low, high, first_action = self._description[2:5]
        if first_action is None:
            return rescale(actions, low, high)
        return chosen(actions, first_action)

    def state(self) -> list[dict[str, Any]] | None:
        """Every environment's state as JSON values; None where `why_no_state` gives a reason."""
        return None if self.why_no_state else self._call("state")

    def restore(self, state: list[dict[str, Any]]) -> np.ndarray:
        """Continue from what `state` gave; observations [members, observation_size] to act on."""
        if len(state) != self.num_members:
            raise ValueError(f"the state holds {len(state)} members, the pool {self.num_members}")
        return as_float32(self._members.call("restore", [(saved,) for saved in state]))

    def close(self) -> None:
        """Release the environments, threads and processes."""
        self._members.close()

    def __enter__(self) -> "GymnasiumPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str) -> list[Any]:
        return self._members.call(method, [()] * self.num_members)


def _gains_from_threads(environment: gymnasium.Env) -> bool:
    """Whether it is a MuJoCo task with long steps; measured on an instance nobody else uses."""
    mujoco = sys.modules.get("mujoco")
    model = getattr(environment.unwrapped, "model", None)
    if usable_cores() == 1 or mujoco is None or not isinstance(model, mujoco.MjModel):
        return False
    environment.reset(seed=0)
    environment.action_space.seed(0)
    seconds = []
    for _ in range(20):
        action = environment.action_space.sample()
        start = time.perf_counter()
        environment.step(action)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) > SECONDS_WORTH_A_THREAD
