"""Goals as directions: a codebook of unit vectors, of which a goal is an index.

A continuous skill space keeps finitely many goals: selectors choose a cell of the codebook, and the
policy sees its vector, varied by `jitter` so that the space between the cells is practised too.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Objective

SKILLS = ("sphere", "one_hot")
SHORTEST = 1e-9
"""A direction is divided by no less: at its target it has no length, and stays 0."""


def sphere(num_goals: int, dimension: int) -> np.ndarray:
    """Quasi-uniform directions [num_goals, dimension], the same ones always.

    Two dimensions: equal angles. Three: a Fibonacci spiral. One: both signs in turn. More: points that
    repel each other on the sphere, from a fixed start.

    >>> sphere(4, 2).round(3) + 0.0
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.],
           [ 0., -1.]])
    """
    if dimension == 1:
        return np.where(np.arange(num_goals) % 2 == 0, 1.0, -1.0)[:, None]
    if dimension == 2:
        angles = 2 * np.pi * np.arange(num_goals) / num_goals
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    if dimension == 3:
        heights = 1 - (2 * np.arange(num_goals) + 1) / num_goals
        angles = np.pi * (3 - 5**0.5) * np.arange(num_goals)
        radii = np.sqrt(1 - heights**2)
        return np.stack([radii * np.cos(angles), radii * np.sin(angles), heights], axis=-1)
    return _repelled(num_goals, dimension)


def _repelled(num_goals: int, dimension: int, rounds: int = 200) -> np.ndarray:
    """Unit vectors that are driven apart by the inverse square of their distances."""
    points = np.random.default_rng(0).normal(size=(num_goals, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    for turn in range(rounds):
        apart = points[:, None] - points[None]
        distance = np.sqrt((apart**2).sum(axis=-1)) + np.eye(num_goals)
        force = (apart / distance[..., None] ** 3).sum(axis=1)
        force -= (force * points).sum(axis=1, keepdims=True) * points  # along the sphere
        longest = max(np.linalg.norm(force, axis=1).max(), 1e-12)
        points = points + 0.3 * (1 - turn / rounds) * force / longest
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points


def centred_one_hot(num_goals: int) -> np.ndarray:
    """One-hot codes less their mean, scaled so that a goal's own entry is 1: [goals, goals].

    The others are -1 / (|G| - 1): the code that displacement objectives use for discrete skills.

    >>> centred_one_hot(3)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    if num_goals == 1:
        return np.ones((1, 1))
    return (np.eye(num_goals) - 1 / num_goals) * num_goals / (num_goals - 1)


def unit(x: jax.Array) -> jax.Array:
    """Vectors brought to length 1; zeros stay zeros: [..., size] -> [..., size]."""
    # The bound is within the root: the gradient of a length is not defined at 0.
    return x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x * x, axis=-1, keepdims=True), 1e-12))


def are_one_hot(codes: np.ndarray) -> bool:
    """Whether codes [goals, skill] are one-hot, centred or not: nothing lies between them.

    >>> are_one_hot(np.eye(3)), are_one_hot(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    (True, True)
    >>> are_one_hot(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    False
    """
    if codes.shape[0] != codes.shape[1]:
        return False
    own = np.eye(len(codes), dtype=bool)
    others = codes[~own] if len(codes) > 1 else np.zeros(1)
    alike = np.ptp(codes[own]) < 1e-6 and np.ptp(others) < 1e-6
    return bool(alike and codes[0, 0] > others[0])


@dataclass(frozen=True)
class CodebookObjective(Objective):
    """An objective whose goals are vectors: directions of a sphere, one-hot codes, or the user's own.

    skills: `sphere`, quasi-uniform directions in `dimension` dimensions; or `one_hot`.
    dimension: of the sphere.
    jitter: standard deviation of noise added to a goal's direction for a visit, which is then brought
      back to length 1; the policy practises around the cell that the selector chose. 0 for none.
    codebook: vectors of your own in place of `skills`, one for each goal.
    """

    skills: str = option(
        "sphere", "What a goal is: a direction of a sphere, or a one-hot code.", choices=SKILLS
    )
    dimension: int = option(2, "Dimensions of the sphere of skills.")
    jitter: float = option(0.0, "Noise on a goal's direction, drawn for every visit.")
    codebook: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        _validate.choice("skills", self.skills, SKILLS)
        _validate.integer("dimension", self.dimension, minimum=1, maximum=10_000)
        _validate.number("jitter", self.jitter, minimum=0.0)
        if self.codebook is not None:
            self._set_codebook(self.codebook)
        if self.jitter and self.skills == "one_hot" and self.codebook is None:
            raise ValueError(
                f"jitter {self.jitter} is for directions of a sphere, and skills are one_hot; leave "
                "one out"
            )

    def _set_codebook(self, codebook: Any) -> None:
        try:
            vectors = np.array(codebook, float)
        except ValueError as error:
            raise ValueError(f"codebook must hold vectors of one length: {error}") from error
        if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
            raise ValueError(
                "codebook must be a vector of finite numbers for each goal, got the shape "
                f"{list(vectors.shape)}"
            )
        object.__setattr__(self, "codebook", tuple(map(tuple, vectors.tolist())))

    @property
    def needs_skill(self) -> bool:  # type: ignore[override]
        """If visits to one goal have skills of their own."""
        return self.jitter > 0

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse a codebook of another number of goals."""
        del observation_size
        if self.codebook is not None and len(self.codebook) != num_goals:
            raise ValueError(
                f"the codebook has {len(self.codebook)} vectors, and num_goals is {num_goals}; they "
                "must be as many"
            )
        if (
            self.codebook is None
            and self.skills == "sphere"
            and self.dimension == 1
            and num_goals > 2
        ):
            raise ValueError(
                f"a sphere of dimension 1 has two directions, and num_goals is {num_goals}; raise "
                "dimension or choose 2 goals"
            )

    def vectors(self, num_goals: int) -> np.ndarray:
        """The codebook [num_goals, skill_size]."""
        if self.codebook is not None:
            return np.array(self.codebook, np.float32)
        if self.skills == "one_hot":
            return centred_one_hot(num_goals).astype(np.float32)
        return sphere(num_goals, self.dimension).astype(np.float32)

    def skill_size(self, num_goals: int) -> int:
        """The length of a vector."""
        if self.codebook is not None:
            return len(self.codebook[0])
        return num_goals if self.skills == "one_hot" else self.dimension

    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """The goal's vector: integers [...] -> [..., skill_size]."""
        return jnp.take(jnp.asarray(self.vectors(num_goals)), goal, axis=0)

    def pursue(self, goal: jax.Array, num_goals: int, key: jax.Array) -> jax.Array:
        """The goal's direction with `jitter`, at its length."""
        vector = self.embed(goal, num_goals)
        if not self.jitter:
            return vector
        moved = vector + self.jitter * jax.random.normal(key, vector.shape)
        length = jnp.linalg.norm(vector)
        return moved * length / jnp.maximum(jnp.linalg.norm(moved), 1e-6)

    def skill_along(self, direction: jax.Array) -> jax.Array:
        """The skill nearest to a direction in their space, [..., skill_size] -> [..., skill_size]: the
        direction at length 1, or of one-hot codes the one with the largest product.
        """
        one_hot = self.skills == "one_hot"
        if self.codebook is not None:
            one_hot = are_one_hot(np.array(self.codebook))
        if not one_hot:
            length = jnp.linalg.norm(direction, axis=-1, keepdims=True)
            return direction / jnp.maximum(length, SHORTEST)
        codes = jnp.asarray(self.vectors(direction.shape[-1]))
        return codes[jnp.argmax(direction @ codes.T, axis=-1)]
