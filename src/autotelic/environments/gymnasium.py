"""Any Gymnasium environment as a setting: what to make, with which options, and its sizes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from autotelic import _validate
from autotelic.environments.goal_observations import RESETS, bounds_around, sample_desired_goals
from autotelic.environments.goal_tasks import known_goals
from autotelic.environments.making import Description, Make, describe, make_one, name_of
from autotelic.environments.pool import BACKENDS, GymnasiumPool
from autotelic.environments.position_entries import find_position_entries
from autotelic.environments.robotics import radius_of


@dataclass(frozen=True)
class GymnasiumEnvironment:
    """A Gymnasium environment to train in; one instance is made, looked at and closed right away.

    Args:
        make: a Gymnasium id ("HalfCheetah-v5", "module:Id-v0"), or a function that makes one
            environment. Box observations, or those of a goal environment, and bounded Box actions, each
            of one dimension, or Discrete actions.
        options: keyword arguments for `gymnasium.make` or the function.
        backend: how a population's instances run, see `GymnasiumPool`.

    It is a task, and `pays_reward`, unless the environment says `pays_reward = False`. `own_radius` is that
    within which a goal environment itself counts a goal as reached.

    Examples:
        >>> ant = GymnasiumEnvironment("Ant-v5", {"include_cfrc_ext_in_observation": False})
        >>> ant.observation_size, ant.action_size, ant.episode_length
        (27, 8, 1000)
        >>> pole = GymnasiumEnvironment("CartPole-v1")
        >>> pole.action_size, pole.discrete_actions
        (2, True)
    """

    make: Make
    options: Mapping[str, Any] = field(default_factory=dict)
    backend: str = "auto"

    observation_size: int = field(init=False)
    action_size: int = field(init=False)
    discrete_actions: bool = field(init=False)
    episode_length: int | None = field(init=False)
    achieved_entries: tuple[int, ...] = field(init=False)
    described: Description = field(init=False, repr=False, compare=False)
    pays_reward: bool = field(init=False, repr=False, compare=False)
    own_radius: float | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _validate.choice("backend", self.backend, ["auto", *BACKENDS])
        with self._instance() as instance:
            described = describe(instance, self.name)
            pays_reward = bool(getattr(instance.unwrapped, "pays_reward", True))
            own_radius = radius_of(instance) if described.goal_entries else None
        for size in ("observation_size", "action_size", "discrete_actions", "episode_length"):
            object.__setattr__(self, size, getattr(described, size))
        object.__setattr__(self, "achieved_entries", described.goal_entries)
        seen = {"described": described, "pays_reward": pays_reward, "own_radius": own_radius}
        for name, value in seen.items():
            object.__setattr__(self, name, value)

    @contextmanager
    def _instance(self) -> Iterator[gymnasium.Env]:
        """An instance to look at."""
        instance = make_one(self.make, self.options)
        try:
            yield instance
        finally:
            instance.close()

    @property
    def name(self) -> str:
        """The id, or the name of the function."""
        return name_of(self.make)

    @cached_property
    def position_entries(self) -> tuple[int, ...]:
        """Where x, or x and y, are in an observation; () if they are not. Steps an instance to see."""
        with self._instance() as instance:
            return find_position_entries(instance)

    @property
    def goal_entries(self) -> tuple[int, ...]:
        """Which entries of an observation goals are values of; () if nothing says so."""
        if self.achieved_entries:
            return self.achieved_entries
        known = known_goals(self.name)
        return () if known is None else known.entries(self.observation_size)

    @cached_property
    def goal_bounds(self) -> tuple[tuple[float, float], ...] | None:
        """(low, high) of each of them: of what a goal environment desires, or as known of a task."""
        if self.achieved_entries:
            return bounds_around(self._desired(RESETS))
        known = known_goals(self.name)
        return None if known is None else known.bounds

    @property
    def goal_radius(self) -> float | None:
        """How near a goal is reached; None if nothing says so."""
        if self.achieved_entries:
            return self.own_radius
        known = known_goals(self.name)
        return None if known is None else known.radius

    @property
    def desired_goals(self) -> Callable[[int], np.ndarray] | None:
        """So many desired goals [count, goal] of a goal environment; None of others."""
        return self._desired if self.achieved_entries else None

    def _desired(self, count: int) -> np.ndarray:
        with self._instance() as instance:
            return sample_desired_goals(instance, count)

    def pool(self, num_members: int, seeds: Sequence[int]) -> GymnasiumPool:
        """One instance for each member of a population, not yet reset."""
        return GymnasiumPool(self.make, num_members, seeds, self.backend, **self.options)
