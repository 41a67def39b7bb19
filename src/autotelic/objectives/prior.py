"""The p(g) in a reward log q(g | s) - log p(g): which one it is, and how small it may be."""

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.classifier import Classifier

REWARD_PRIORS = ("current", "at_collection", "uniform")


def reward_prior_option() -> str:
    """The field `reward_prior` of an objective."""
    return option(
        "uniform",
        "The p(g) in the reward: the selector's current one (the paper), that of the time, or 1/|G|.",
        choices=REWARD_PRIORS,
    )


def prior_floor_option() -> float:
    """The field `prior_floor` of an objective."""
    return option(1e-6, "Added to p(g) before the logarithm.")


class PriorClassifier(Classifier):
    """A classifier of goals whose reward holds - log p(g). Its dataclass declares the two fields.

    reward_prior: log p(g) of a replayed transition is the selector's `current` one (DIAYN's code),
      that `at_collection`, or `uniform`. A changing prior shifts all returns of a goal by
      its change / (1 - discount) each epoch, which the critic must follow.
    prior_floor: added to p(g) before the logarithm.
    """

    reward_prior: str
    prior_floor: float

    def _check_prior(self) -> None:
        _validate.choice("reward_prior", self.reward_prior, REWARD_PRIORS)
        _validate.number("prior_floor", self.prior_floor, minimum=0.0, maximum=1.0)

    @property
    def needs_collected_prior(self) -> bool:  # type: ignore[override]
        """If the reward is to hold the p(g) of that time."""
        return self.reward_prior == "at_collection"

    def log_prior(self, prior: np.ndarray) -> np.ndarray:
        """log(p(g) + floor), [..., goals]."""
        return np.log(prior + self.prior_floor)

    def log_prior_of(
        self, goal: jax.Array, current: jax.Array, collected: jax.Array | None
    ) -> jax.Array:
        """By `reward_prior`: the current, the one of its time, or 1/|G|; [batch]."""
        if self.reward_prior == "at_collection":
            assert collected is not None
            return collected
        if self.reward_prior == "uniform":
            return jnp.full(goal.shape, jnp.log(1.0 / current.shape[-1] + self.prior_floor))
        return super().log_prior_of(goal, current, collected)
