"""Environments so small that their values are known, as replays of made-up experience.

Each asks for one ability more than the one before, so that the first that fails names the broken
part. An observation has one entry, -1 or 1; there are two goals; actions are one number, of which agents
for discrete actions have three to choose from.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.agents import Batch
from autotelic.agents.base import Sizes

TRANSITIONS = 512
SIZES = Sizes(observation=1, action=1, skill=2, hidden_units=24)
CHOICES = np.array([-0.5, 0.0, 0.5])
"""What discrete actions do; the best of them are the best there are."""
DISCRETE_SIZES = SIZES._replace(action=len(CHOICES))

# Every situation there is: observation by goal.
OBSERVATIONS = jnp.array([[-1.0], [1.0], [-1.0], [1.0]])
SKILLS = jnp.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])


@dataclass(frozen=True)
class Probe:
    """One environment: what follows (observation, goal, action), and what a learner should find.

    `values` are the true values of the four situations above under the best policy, of vector rewards
    their successor features; `actions` are the best actions there, or None where the action makes no
    difference. Without a discount to speak of, neither bootstrap nor termination has a part in a
    failure; 0.5 is far enough from 1 that a forgotten or a doubled discount shows.
    """

    broken: str
    reward: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    values: tuple[Any, Any, Any, Any]
    actions: tuple[float, float, float, float] | None = None
    discount: float = 0.0
    next_observation: Callable[[np.ndarray], np.ndarray] = np.copy
    terminated: Callable[[np.ndarray], np.ndarray] = np.zeros_like

    def replay(self, discrete: bool = False) -> tuple[Batch, jax.Array]:
        """Experience of a policy that acts at random, and its rewards: [TRANSITIONS] or [..., 2]."""
        generator = np.random.default_rng(0)
        observation = generator.choice([-1.0, 1.0], TRANSITIONS)
        goal = generator.integers(2, size=TRANSITIONS)
        action = generator.uniform(-1.0, 1.0, TRANSITIONS)
        given = action[:, None]
        if discrete:
            choice = ((action + 1.0) / 2.0 * len(CHOICES)).astype(int)
            action, given = CHOICES[choice], np.eye(len(CHOICES))[choice]
        batch = Batch(
            observation=jnp.asarray(observation[:, None]),
            action=jnp.asarray(given),
            next_observation=jnp.asarray(self.next_observation(observation)[:, None]),
            terminated=jnp.asarray(self.terminated(observation)),
            skill=jnp.asarray(np.eye(2)[goal]),
        )
        return batch, jnp.asarray(self.reward(observation, goal, action))


PROBES = {
    "constant reward": Probe(
        "the value loss, or its optimiser: a constant is not learned",
        reward=lambda s, g, a: np.ones_like(s),
        values=(1.0, 1.0, 1.0, 1.0),
    ),
    "reward by observation": Probe(
        "the critic's input: the value does not read the observation",
        reward=lambda s, g, a: s,
        values=(-1.0, 1.0, -1.0, 1.0),
    ),
    "reward by goal": Probe(
        "the critic's input: the value does not read the goal",
        reward=lambda s, g, a: 2.0 * g - 1.0,
        values=(-1.0, -1.0, 1.0, 1.0),
    ),
    # Reward 1 a step in either state: at -1 only time runs out, at 1 the episode truly ends.
    "time-out or termination": Probe(
        "the bootstrap: it must cross a time-out (value 2) and stop at a termination (value 1)",
        reward=lambda s, g, a: np.ones_like(s),
        values=(2.0, 1.0, 2.0, 1.0),
        discount=0.5,
        terminated=lambda s: np.where(s > 0, 1.0, 0.0),
    ),
    # From -1 to 1 for nothing, then 2 and the end.
    "two steps": Probe(
        "the next observation, or the discount: reward does not travel one step back",
        reward=lambda s, g, a: np.where(s > 0, 2.0, 0.0),
        values=(1.0, 2.0, 1.0, 2.0),
        discount=0.5,
        next_observation=np.ones_like,
        terminated=lambda s: np.where(s > 0, 1.0, 0.0),
    ),
    "reward by action": Probe(
        "the policy loss: the best action is not found (wrong sign, or no gradient)",
        reward=lambda s, g, a: 1.0 - 4.0 * (a - 0.5) ** 2,
        values=(1.0, 1.0, 1.0, 1.0),
        actions=(0.5, 0.5, 0.5, 0.5),
    ),
    "reward by action, observation and goal": Probe(
        "the policy's input: it does not read the observation or the goal",
        reward=lambda s, g, a: 1.0 - 4.0 * (a - 0.5 * s * (2.0 * g - 1.0)) ** 2,
        values=(1.0, 1.0, 1.0, 1.0),
        actions=(0.5, -0.5, -0.5, 0.5),
    ),
}

VECTOR_PROBES = {
    # One state that leads to itself, or ends: psi is (1, -2) summed for ever, or once.
    "time-out or termination": Probe(
        "the target of vectors: it must cross a time-out (twice the reward) and stop at a termination",
        reward=lambda s, g, a: np.tile([1.0, -2.0], (len(s), 1)),
        values=((2.0, -4.0), (1.0, -2.0), (2.0, -4.0), (1.0, -2.0)),
        discount=0.5,
        terminated=lambda s: np.where(s > 0, 1.0, 0.0),
    ),
    # Each goal is paid by its own entry, and what pays the one costs the other.
    "reward by action and goal": Probe(
        "the policy's loss: it does not look for the action whose psi^T z is greatest",
        reward=lambda s, g, a: np.stack([1 - 4 * (a - 0.5) ** 2, 1 - 4 * (a + 0.5) ** 2], axis=1),
        values=((1.0, -3.0), (1.0, -3.0), (-3.0, 1.0), (-3.0, 1.0)),
        actions=(0.5, 0.5, -0.5, -0.5),
    ),
}
