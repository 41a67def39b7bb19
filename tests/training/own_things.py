"""An objective, an agent and environments that are not autotelic's; shell tests copy this file."""

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box

from autotelic.agents import Agent, Sac
from autotelic.environments import EnvironmentStep
from autotelic.objectives import Context, Objective


@dataclass(frozen=True)
class Displacement(Objective):
    """Judges how far a step ends from the episode's start; a goal is an angle to the policy."""

    scale: float = 1.0
    reward_prior: str = "uniform"
    prior_floor: float = 1e-6
    needs_start = True

    def skill_size(self, num_goals: int) -> int:
        return 2

    def embed(self, goal: Any, num_goals: int) -> Any:
        angle = 2 * jnp.pi * goal / num_goals
        return jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=-1)

    def init(self, key: Any, observation_size: int, num_goals: int, hidden_units: int) -> Any:
        weights = jax.random.normal(key, (observation_size, num_goals))
        return {"layers": [weights], "heat": jnp.zeros(())}

    def loss(self, params: Any, context: Context, goal: Any) -> Any:
        return -jnp.mean(self._own(params, context, goal))

    def reward(self, params: Any, context: Context, goal: Any, log_prior: Any) -> Any:
        return self._own(params, context, goal) - log_prior

    def log_posteriors(self, params: Any, context: Context) -> Any:
        moved = self.scale * (context.next_observation - context.start)
        return jax.nn.log_softmax(moved @ params["layers"][0] * jnp.exp(params["heat"]))

    def _own(self, params: Any, context: Context, goal: Any) -> Any:
        log_q = self.log_posteriors(params, context)
        return jnp.sum(log_q * jax.nn.one_hot(goal, log_q.shape[-1]), axis=-1)


@dataclass(frozen=True)
class Timid(Agent):
    """Does half of what the agent within it would do."""

    inner: Sac = field(default_factory=Sac)
    boldness: float = 0.5
    discount: float = 0.99
    loss_names = Sac.loss_names

    def init(self, key: Any, sizes: Any) -> Any:
        return self.inner.init(key, sizes)

    def acting_noise(self, key: Any, shape: Any, action_size: int) -> Any:
        return self.inner.acting_noise(key, shape, action_size)

    def update_noise(self, key: Any, shape: Any, action_size: int) -> Any:
        return self.inner.update_noise(key, shape, action_size)

    def policy(self, state: Any) -> Any:
        return self.inner.policy(state)

    def act(self, policy: Any, observation: Any, skill: Any, noise: Any) -> Any:
        return self.boldness * self.inner.act(policy, observation, skill, noise)

    def act_deterministically(self, policy: Any, observation: Any, skill: Any) -> Any:
        return self.boldness * self.inner.act_deterministically(policy, observation, skill)

    def update(
        self,
        state: Any,
        batch: Any,
        rewards: Any,
        noise: Any,
        learning_rate: float,
        ready: Any = True,
    ) -> Any:
        return self.inner.update(state, batch, rewards, noise, learning_rate, ready)


class Line:
    """A JAX environment of a plain class: a point that observes its place and the time."""

    observation_size, action_size, episode_length = 2, 1, 15

    bounds = (-5.0, 5.0)

    def __init__(self, speed: float = 0.1):
        self.speed = speed

    def positions(self, observations: Any) -> Any:
        return observations

    def reset(self, key: Any) -> Any:
        return jnp.zeros(2), jnp.zeros(2)

    def step(self, state: Any, action: Any, key: Any) -> Any:
        state = state + jnp.stack([self.speed * action[0], 1 / self.episode_length])
        over = state[1] > 0.99
        after = jnp.where(over, 0.0, state)
        return after, EnvironmentStep(state, jnp.zeros((), bool), over, after)


quick_line = Line(speed=0.3)


class Walk(gymnasium.Env):
    """A point in the plane, which is drawn as a grey that tells its place."""

    def __init__(self, size: int = 2, render_mode: str | None = None):
        self.observation_space = Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.render_mode = render_mode
        self.place = np.zeros(size, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None):
        super().reset(seed=seed)
        self.place[:] = 0
        return self.place.copy(), self._information()

    def step(self, action: np.ndarray):
        self.place[:2] += action
        return self.place.copy(), 0.0, False, False, self._information()

    def render(self) -> Any:
        return np.full((6, 8, 3), int(abs(self.place[0])), np.uint8)

    def _information(self) -> dict[str, float]:
        return {"x_position": float(self.place[0]), "y_position": float(self.place[1])}


def make_walk(size: int = 2, render_mode: str | None = None) -> gymnasium.Env:
    walk = Walk(size, render_mode)
    return gymnasium.wrappers.TimeLimit(walk, 15)


def make_line() -> Line:
    return Line(speed=0.3)


def wrong() -> int:
    return 3
