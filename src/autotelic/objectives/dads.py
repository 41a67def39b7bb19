"""DADS's objective: skills whose steps can be predicted, and are not those of the other skills."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.classifier import (
    check_features,
    checked_features,
    features_option,
    of_features,
    pick,
)
from autotelic.objectives.codebook import CodebookObjective

LARGEST_LOG_DEVIATION = 5.0
"""Deviations lie within e^-5 and e^5."""
LOWEST_REWARD = -50.0
"""Where the authors' code clips: a step that a skill rules out is not paid -10,000."""


class DadsParams(NamedTuple):
    """mean: observation, skill -> features; spread: [features], see `log_deviation`; codebook:
    [goals, skill], which no gradient changes.
    """

    mean: Mlp
    spread: jax.Array
    codebook: jax.Array


@dataclass(frozen=True)
class Dads(CodebookObjective):
    """Sharma et al. 2020: reward log q(s' | s, z) - log (1/M) sum_m q(s' | s, z_m), q by likelihood.

    q is a Gaussian of the step s' - s: its mean a network of s and z, its deviation learned, the same in
    every state. The sum is over the M goals of the codebook. The paper draws some 100 fresh skills for it;
    for a finite set of goals the sum is exact, and the reward is the log-posterior of the goal with all
    weighing the same, less log 1/M. With `jitter` the skill that was pursued stands for its goal in the
    sum, so that the reward is at most log M. q depends on the skill, and goals that are chosen more often
    do not draw it to themselves.

    The authors' q is a mixture of four Gaussians of deviation 1 for steps normalised by their batch; a
    learned deviation replaces both. Every update and every judgement evaluates the model M times.

    features: which observation entries are predicted, such as x and y; all by default. The model sees
      the whole observation.
    """

    features: tuple[int, ...] | None = features_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "features", checked_features(self.features))

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse features that the observation does not have, and what the codebook cannot hold."""
        super().check(observation_size, num_goals)
        check_features(self.features, observation_size)

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> DadsParams:
        """A fresh model with deviations of 1, and the goals' vectors."""
        size = observation_size if self.features is None else len(self.features)
        inputs = [observation_size, self.skill_size(num_goals)]
        return DadsParams(
            Mlp(inputs, hidden_units, size, key=key),
            jnp.zeros(size),
            jnp.asarray(self.vectors(num_goals)),
        )

    def loss(self, params: DadsParams, context: Context, goal: jax.Array) -> jax.Array:
        """- mean log q(s' | s, z) of the skills that were pursued."""
        mean = params.mean(context.observation, context.skill)
        return -jnp.mean(log_density(self._step(context), mean, log_deviation(params.spread)))

    def reward(
        self, params: DadsParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """How much likelier the step is by its own skill than by all, in [-50, log M]: [batch]."""
        own = jax.nn.one_hot(goal, len(params.codebook), dtype=bool)[..., None]
        skills = jnp.where(own, context.skill[..., None, :], params.codebook)
        log_q = jax.nn.log_softmax(self._log_likelihoods(params, context, skills))
        return jnp.maximum(pick(log_q, goal) + math.log(len(params.codebook)), LOWEST_REWARD)

    def log_posteriors(self, params: DadsParams, context: Context) -> jax.Array:
        """log q(z_m | s, s') by Bayes' rule, all goals weighing the same: [..., num_goals]."""
        axes = tuple(range(context.observation.ndim - 1))
        skills = jnp.expand_dims(params.codebook, axes)
        return jax.nn.log_softmax(self._log_likelihoods(params, context, skills))

    def _log_likelihoods(
        self, params: DadsParams, context: Context, skills: jax.Array
    ) -> jax.Array:
        """log q(s' | s, z_m), all in one call: skills [..., goals, skill] -> [..., goals]."""
        mean = params.mean(context.observation[..., None, :], jax.lax.stop_gradient(skills))
        return log_density(self._step(context)[..., None, :], mean, log_deviation(params.spread))

    def _step(self, context: Context) -> jax.Array:
        return of_features(self.features, context.next_observation - context.observation)


def log_deviation(spread: jax.Array) -> jax.Array:
    """The log deviation of a parameter, 0 at 0 and within +-5: [features] -> [features]."""
    # A bound that lets every gradient through; and one step of Adam moves it by five times the learning
    # rate, because steps in observations of size 1 are often a hundredth of that.
    return LARGEST_LOG_DEVIATION * jnp.tanh(spread)


def log_density(x: jax.Array, mean: jax.Array, log_deviation: jax.Array) -> jax.Array:
    """log N(x; mean, deviation^2), independent entries: [..., size] x 2, [size] -> [...]."""
    distance = (x - mean) * jnp.exp(-log_deviation)
    return -jnp.sum(0.5 * distance**2 + log_deviation + 0.5 * math.log(2 * math.pi), axis=-1)
