"""Bodies whose paths are known: an open field and a line, a map that is the identity, and policies
that walk where their skill points.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box

from autotelic.agents import Agent
from autotelic.environments import EnvironmentStep
from autotelic.learner.setting import Setting
from autotelic.objectives import Context
from autotelic.objectives.codebook import CodebookObjective
from autotelic.runs.skills import SkillArrays

START = 0.5


class Place(NamedTuple):
    position: jax.Array
    time: jax.Array


@dataclass(frozen=True)
class Field:
    """Open ground: a step moves by up to 1 m along each axis. Observes [7, x, y].

    falls_after: steps after which the episode is terminated.
    """

    falls_after: int | None = None
    episode_length: int | None = None
    observation_size: int = 3
    action_size: int = 2
    position_entries: tuple[int, ...] = (1, 2)

    def positions(self, observations: Any) -> Any:
        return observations[..., 1:]

    def reset(self, key: jax.Array) -> Any:
        place = Place(jnp.full(2, START), jnp.zeros((), jnp.int32))
        return place, self._seen(place)

    def step(self, state: Place, action: jax.Array, key: jax.Array) -> Any:
        moved = Place(state.position + action, state.time + 1)
        fallen = jnp.zeros((), bool)
        if self.falls_after is not None:
            fallen = moved.time == self.falls_after
        start, _ = self.reset(key)
        following = jax.tree.map(lambda new, old: jnp.where(fallen, new, old), start, moved)
        step = EnvironmentStep(
            self._seen(moved), fallen, jnp.zeros((), bool), self._seen(following)
        )
        return following, step

    def _seen(self, place: Place) -> jax.Array:
        return jnp.concatenate([jnp.full(1, 7.0), place.position])


class Line(gymnasium.Env):
    """x alone, as Half-Cheetah has it: a step moves by up to 1 m. Observes [x]."""

    def __init__(self) -> None:
        self.observation_space = Box(-np.inf, np.inf, (1,), np.float64)
        self.action_space = Box(-1.0, 1.0, (1,), np.float32)
        self.x = START

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        self.x = START
        return np.array([self.x]), {"x_position": self.x}

    def step(self, action: np.ndarray) -> Any:
        self.x += float(action[0])
        return np.array([self.x]), 0.0, False, False, {"x_position": self.x}


@dataclass(frozen=True)
class IdentityMap(CodebookObjective):
    """phi(s) is what the environment calls the position: the last entries of the observation."""

    has_representation = True

    def init(self, key: Any, observation_size: int, num_goals: int, hidden_units: int) -> Any:
        return jnp.ones(())

    def loss(self, params: Any, context: Context, goal: jax.Array) -> jax.Array:
        return params**2

    def reward(self, params: Any, context: Context, goal: Any, log_prior: jax.Array) -> jax.Array:
        return jnp.zeros(goal.shape)

    def log_posteriors(self, params: Any, context: Context) -> jax.Array:
        moved = context.next_observation - context.observation
        moved = moved[..., moved.shape[-1] - self.dimension :]
        goals = len(self.codebook) if self.codebook else 4
        return jax.nn.log_softmax(moved @ jnp.asarray(self.vectors(goals)).T)

    def represent(self, params: Any, observation: jax.Array) -> jax.Array:
        return params * observation[..., observation.shape[-1] - self.dimension :]

    def skill_towards(self, params: Any, observation: jax.Array, target: jax.Array) -> jax.Array:
        return self.skill_along(
            self.represent(params, target) - self.represent(params, observation)
        )


@dataclass(frozen=True)
class Follower(Agent):
    """Walks along its skill when it is sure, and nowhere in particular otherwise; never learns."""

    discount: float = 0.99
    loss_names = ()

    def init(self, key: jax.Array, sizes: Any) -> Any:
        return jnp.zeros(sizes.action)

    def acting_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        return jax.random.uniform(key, (*shape, action_size), minval=-1.0, maxval=1.0)

    def update_noise(self, key: jax.Array, shape: tuple[int, ...], action_size: int) -> Any:
        return jnp.zeros(shape)

    def policy(self, state: Any) -> Any:
        return state

    def act(self, policy: Any, observation: Any, skill: Any, noise: Any) -> jax.Array:
        return noise

    def act_deterministically(self, policy: Any, observation: Any, skill: Any) -> jax.Array:
        return skill + policy

    def update(self, state: Any, *_: Any, **__: Any) -> Any:
        return state, {}


@dataclass(frozen=True)
class Deaf(Follower):
    """Walks to the right whatever its skill."""

    def act_deterministically(self, policy: Any, observation: Any, skill: Any) -> jax.Array:
        return jnp.array([1.0, 0.0]) + policy


def setting(environment: Any, agent: Agent | None = None, **options: Any) -> Setting:
    """Four goals: right, up, left and down."""
    dimension = options.pop("dimension", 2)
    return Setting(
        environment=environment,
        num_goals=options.pop("num_goals", 4),
        agent=agent or Follower(),
        objective=IdentityMap(dimension=dimension, **options),
    )


def skills(action_size: int = 2) -> SkillArrays:
    """Of one learner, with a leading axis."""
    return SkillArrays(jnp.zeros((1, action_size)), jnp.ones(1))


MEMBER = [("walker", 0)]
