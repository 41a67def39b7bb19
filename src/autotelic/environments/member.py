"""One member's environment: it starts its own episodes, and reports its own failures."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from autotelic._types import AutotelicWarning
from autotelic.environments.base import EnvironmentFailure
from autotelic.environments.goal_observations import flat
from autotelic.environments.making import Make, describe, make_one, name_of
from autotelic.environments.state import read_state, why_no_state, write_state

FAULTS = (Exception, SystemExit)
"""What code of others may raise: `sys.exit` in an environment is a failure of it, not our end."""


class MemberStep(NamedTuple):
    """One member's row of an `EnvironmentStep`, and what the environment says about the step."""

    next_observation: np.ndarray
    terminated: bool
    truncated: bool
    observation: np.ndarray
    information: dict[str, Any]
    reward: Any = 0.0


class Member:
    """The environment of one member of a population.

    Args:
        index: the member, for messages.
        make: a Gymnasium id, or a function that makes an environment.
        options: keyword arguments for it.
    """

    def __init__(self, index: int, make: Make, options: Mapping[str, Any]):
        self.index = index
        self.environment: Any = make_one(make, options)
        self.observation_size: int = describe(self.environment, name_of(make)).observation_size
        self.observation: np.ndarray = np.zeros(self.observation_size)

    def reset(self, seed: int | None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the observation [observation_size] and the information."""
        try:
            observation, information = self.environment.reset(seed=seed)
        except FAULTS as error:
            raise self._failure(error) from error
        self.observation = self._checked(observation)
        return self.observation, information

    def step(self, action: np.ndarray) -> MemberStep:
        """Act, and begin a new episode where one ends; `action` [action_size] within its bounds."""
        try:
            seen, reward, terminated, truncated, information = self.environment.step(action)
            terminated, truncated = bool(terminated), bool(truncated)
        except FAULTS as error:
            raise self._failure(error) from error
        next_observation = self.observation = self._checked(seen)
        if terminated or truncated:
            self.reset(seed=None)
        return MemberStep(
            next_observation, terminated, truncated, self.observation, information, reward
        )

    def why_no_state(self) -> str | None:
        """Why the state cannot be saved; None where it can."""
        return why_no_state(self.environment)

    def state(self) -> dict[str, Any]:
        """All that the next steps depend on, as JSON values."""
        try:
            return {"observation": self.observation.tolist(), **read_state(self.environment)}
        except FAULTS as error:
            raise self._failure(error) from error

    def restore(self, state: dict[str, Any]) -> np.ndarray:
        """Continue from what `state` gave; the observation [observation_size] to act on."""
        self.reset(seed=0)  # what a first reset sets up, and wrappers insist on
        try:
            write_state(self.environment, state)
        except FAULTS as error:
            raise self._failure(error) from error
        self.observation = np.array(state["observation"])
        return self.observation

    def close(self) -> None:
        """Release what the environment holds; a failure to do so is no reason to lose a run."""
        try:
            self.environment.close()
        except FAULTS as error:
            warnings.warn(
                f"the environment of member {self.index} failed to close: "
                f"{type(error).__name__}: {error}",
                AutotelicWarning,
                stacklevel=2,
            )

    def _checked(self, observation: Any) -> np.ndarray:
        """A copy of the observation: environments may write the next one into the same array."""
        try:
            copied = np.array(flat(observation), np.float64)
        except (TypeError, ValueError, KeyError) as error:
            raise self._failure(error) from error
        if copied.shape != (self.observation_size,):
            raise EnvironmentFailure(
                self.index,
                f"it returned an observation of shape {copied.shape} where its observation space "
                f"says {(self.observation_size,)}",
            )
        return copied

    def _failure(self, error: BaseException) -> EnvironmentFailure:
        return EnvironmentFailure(self.index, f"{type(error).__name__}: {error}")
