"""RVIC's objective: goals that are recognised by the way from the start, and not by where it ended."""

from dataclasses import dataclass
from typing import NamedTuple

import jax

from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.classifier import Classifier, checked_features, features_option, pick
from autotelic.objectives.pursuit import (
    check_judged_at,
    judged,
    judged_at_option,
    mean_where,
)


class RvicParams(NamedTuple):
    """The classifiers: relative sees the start and a state, absolute the state alone."""

    relative: Mlp
    absolute: Mlp


@dataclass(frozen=True)
class Rvic(Classifier):
    """Baumli et al. 2021: reward log q_rel(g | s_0, s_T) - log q_abs(g | s_T), both by cross-entropy.

    What the state alone gives away is not paid, so that skills are changes ("go left") and not places.
    p(g) cancels: it is in both classifiers.

    judged_at: `every_step`, or `end` as published. `autotelic.objectives.pursuit` says what
      follows from it.
    features: which observation entries the classifiers see; all by default.
    """

    needs_start = True

    judged_at: str = judged_at_option()
    features: tuple[int, ...] | None = features_option()

    def __post_init__(self) -> None:
        check_judged_at(self.judged_at)
        object.__setattr__(self, "features", checked_features(self.features))

    @property
    def needs_end(self) -> bool:  # type: ignore[override]
        """If nothing but ends is judged."""
        return self.judged_at == "end"

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> RvicParams:
        """Both classifiers, MLPs to a logit for every goal."""
        relative, absolute = jax.random.split(key)
        size = self.input_size(observation_size)
        return RvicParams(
            Mlp([size, size], hidden_units, num_goals, key=relative),
            Mlp([size], hidden_units, num_goals, key=absolute),
        )

    def loss(self, params: RvicParams, context: Context, goal: jax.Array) -> jax.Array:
        """The sum of both mean cross-entropies over the steps that are judged; 0 without any."""
        relative = pick(self.log_posteriors(params, context), goal)
        absolute = pick(self._log_absolute(params, context), goal)
        return -mean_where(relative + absolute, judged(self.judged_at, context, relative))

    def reward(
        self, params: RvicParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """log q_rel - log q_abs of the goal where a step is judged, otherwise 0: [batch]."""
        del log_prior
        relative = pick(self.log_posteriors(params, context), goal)
        absolute = pick(self._log_absolute(params, context), goal)
        return judged(self.judged_at, context, relative) * (relative - absolute)

    def log_posteriors(self, params: RvicParams, context: Context) -> jax.Array:
        """log q_rel(. | s_0, s_{t+1}) over all goals, of every step: [..., num_goals]."""
        start, state = self.seen(context.start), self.seen(context.next_observation)
        return jax.nn.log_softmax(params.relative(start, state))

    def _log_absolute(self, params: RvicParams, context: Context) -> jax.Array:
        return jax.nn.log_softmax(params.absolute(self.seen(context.next_observation)))
