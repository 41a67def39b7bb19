"""2D navigation: a point in the unit box (appendix "Environments" of the paper)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic.environments.base import EnvironmentStep

CENTRE = (0.5, 0.5)
PIXELS, RADIUS = 96, 0.03
"""Of a picture: its width and height, and how large the point is drawn in the unit box."""


def move(position: Any, action: Any, disturbance: Any, action_range: float) -> Any:
    """s' = projection of s + a + noise onto the unit box; NumPy or JAX arrays alike.

    Args:
        position: [2] s, in [0, 1].
        action: [2] a displacement; its entries are limited to +-action_range.
        disturbance: [2] or a number, added to the displacement (0 in the paper).
        action_range: the largest displacement along an axis in one step.

    Returns:
        [2] the next position, in [0, 1].
    """
    return (position + action.clip(-action_range, action_range) + disturbance).clip(0.0, 1.0)


class NavigationState(NamedTuple):
    """Where the point is, and for how many steps the episode has lasted."""

    position: jax.Array
    time: jax.Array


@dataclass(frozen=True)
class Navigation2D:
    """The paper's 2D navigation environment as pure functions, for one learner.

    The agent starts in the centre of the unit box, observes its position in [0, 1]^2 and moves by
    up to `action_range` along each axis; outside the box it is put back to the nearest point in it.

    Args:
        action_range: the largest displacement along an axis in one step (the original: 0.1).
        episode_length: steps after which an episode is cut and the agent starts anew.
        noise: standard deviation of Gaussian noise added to each displacement.
        random_start: start anywhere in the box, uniformly, instead of in its centre.
        resets: False for a life without episodes; `episode_length` is then None.

    Examples:
        >>> environment = Navigation2D()
        >>> state, observation = environment.reset(jax.random.key(0))
        >>> state, step = environment.step(state, jnp.array([1.0, -0.5]), jax.random.key(1))
        >>> print(step.next_observation)
        [0.55  0.475]
    """

    action_range: float = 0.05
    episode_length: int | None = 100
    noise: float = 0.0
    random_start: bool = False
    resets: bool = True

    def __post_init__(self) -> None:
        _validate.number("action_range", self.action_range, above=0.0, maximum=1.0)
        _validate.number("noise", self.noise, minimum=0.0)
        _validate.boolean("random_start", self.random_start)
        _validate.boolean("resets", self.resets)
        if self.resets:
            _validate.integer("episode_length", self.episode_length, minimum=1)
        else:
            object.__setattr__(self, "episode_length", None)

    @property
    def observation_size(self) -> int:
        """The two coordinates."""
        return 2

    @property
    def action_size(self) -> int:
        """A displacement along each axis."""
        return 2

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the box, along each axis."""
        return 0.0, 1.0

    @property
    def position_entries(self) -> tuple[int, ...]:
        """x and y are the observation."""
        return 0, 1

    def positions(self, observations: Any) -> Any:
        """x and y [..., 2]: the observations themselves."""
        return observations

    def render(self, observation: Any) -> np.ndarray:
        """The point as a black disc in the white box, y upwards: uint8 [height, width, 3]."""
        x, y = np.asarray(observation)
        centres = (np.arange(PIXELS) + 0.5) / PIXELS
        outside = np.hypot(centres - x, centres[::-1, None] - y) > RADIUS
        return np.repeat(255 * outside[..., None].astype(np.uint8), 3, axis=-1)

    def reset(self, key: jax.Array) -> tuple[NavigationState, jax.Array]:
        """The start of an episode, and its observation [2]."""
        if self.random_start:
            position = jax.random.uniform(key, (2,), jnp.float32)
        else:
            position = jnp.array(CENTRE, jnp.float32)
        return NavigationState(position, jnp.zeros((), jnp.int32)), position

    def step(
        self, state: NavigationState, action: jax.Array, key: jax.Array
    ) -> tuple[NavigationState, EnvironmentStep]:
        """The step that `action` [2] in [-1, 1] leads to; a new episode begins where one ends."""
        noise_key, start_key = jax.random.split(key)
        disturbance = 0.0
        if self.noise > 0:
            disturbance = self.noise * jax.random.normal(noise_key, (2,), jnp.float32)
        displacement = self.action_range * action
        position = move(state.position, displacement, disturbance, self.action_range)
        moved = NavigationState(position, state.time + 1)
        never = jnp.zeros((), bool)
        if self.episode_length is None:
            return moved, EnvironmentStep(position, never, never, position)
        truncated = moved.time >= self.episode_length
        start, _ = self.reset(start_key)
        following = jax.tree.map(lambda new, old: jnp.where(truncated, new, old), start, moved)
        return following, EnvironmentStep(position, never, truncated, following.position)
