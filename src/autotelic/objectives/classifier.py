"""What classifiers of goals share: one-hot goals, the observation's entries that count, log q of one goal."""

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Objective


def features_option() -> tuple[int, ...] | None:
    """The field `features` of an objective."""
    return option(
        None,
        "The entries of the observation that skills are judged by.",
        unset="all",
        metavar="INDEX ...",
    )


def checked_features(features: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Features as a tuple; refuses what cannot be indices."""
    if features is None:
        return None
    features = tuple(features)
    if not features:
        raise ValueError("features must name at least one observation entry, got none")
    for feature in features:
        _validate.integer("features", feature, minimum=0)
        if features.count(feature) > 1:
            raise ValueError(f"features must differ; {feature} is there twice")
    return features


def check_features(features: tuple[int, ...] | None, observation_size: int) -> None:
    """Refuse features that the observation does not have."""
    beyond = [f for f in features or () if f >= observation_size]
    if beyond:
        raise ValueError(
            f"features {beyond} are beyond the observation's {observation_size} entries; "
            f"choose from 0 to {observation_size - 1}"
        )


def of_features(features: tuple[int, ...] | None, observation: jax.Array) -> jax.Array:
    """The entries that count: [..., observation] -> [..., features]."""
    return observation if features is None else observation[..., jnp.asarray(features)]


class Classifier(Objective):
    """An objective that recognises goals from `features`, a field of its dataclass; goals are one-hot."""

    features: tuple[int, ...] | None

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse features that the observation does not have."""
        del num_goals
        check_features(self.features, observation_size)

    def skill_size(self, num_goals: int) -> int:
        """A goal is embedded one-hot."""
        return num_goals

    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """One-hot: integers [...] -> [..., num_goals]."""
        return jax.nn.one_hot(goal, num_goals)

    def input_size(self, observation_size: int) -> int:
        """The entries that a classifier sees of an observation."""
        return observation_size if self.features is None else len(self.features)

    def seen(self, observation: jax.Array) -> jax.Array:
        """What it sees of observations: [..., observation] -> [..., input_size]."""
        return of_features(self.features, observation)


def pick(log_q: jax.Array, goal: jax.Array) -> jax.Array:
    """The entry of each row's own goal: [..., num_goals], [...] -> [...]."""
    # A masked sum is quicker than a gather on the CPU, and its gradient is not a scatter.
    return jnp.sum(log_q * jax.nn.one_hot(goal, log_q.shape[-1]), axis=-1)
