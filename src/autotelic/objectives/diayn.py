"""DIAYN's objective (Eqs. 9-10): a classifier of goals from states, and its certainty as the reward."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.classifier import checked_features, features_option, pick
from autotelic.objectives.prior import PriorClassifier, prior_floor_option, reward_prior_option

REWARD_STATES = ("obs", "next_obs")


@dataclass(frozen=True)
class Diayn(PriorClassifier):
    """Eysenbach et al. 2019: reward log q(g | s) - log p(g), q trained by cross-entropy.

    reward_state: the state that training and reward look at: `obs`, the state acted in (DIAYN's
      code, the paper), or `next_obs`, the one the action led to (credit goes to that action).
    reward_prior: log p(g) of a replayed transition is the selector's `current` one (DIAYN's code),
      that `at_collection`, or `uniform`. A changing prior shifts all returns of a goal by
      its change / (1 - discount) each epoch, which the critic must follow.
    prior_floor: added to p(g) before the logarithm.
    features: which observation entries the discriminator sees; all by default.
    """

    reward_state: str = option(
        "next_obs",
        "The state that is judged: the one acted in (the paper), or the one the action led to.",
        choices=REWARD_STATES,
    )
    reward_prior: str = reward_prior_option()
    prior_floor: float = prior_floor_option()
    features: tuple[int, ...] | None = features_option()

    def __post_init__(self) -> None:
        _validate.choice("reward_state", self.reward_state, REWARD_STATES)
        self._check_prior()
        object.__setattr__(self, "features", checked_features(self.features))

    def init(self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int) -> Mlp:
        """The discriminator q: an MLP from the observation to a logit for every goal."""
        return Mlp([self.input_size(observation_size)], hidden_units, num_goals, key=key)

    def loss(self, params: Mlp, context: Context, goal: jax.Array) -> jax.Array:
        """Cross-entropy of q on the judged states: maximises the bound (b) of Eq. 9."""
        return -jnp.mean(pick(self._log_q(params, self._judged(context)), goal))

    def reward(
        self, params: Mlp, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """Eq. 10: log q(g | s) - log p(g), [batch]."""
        return pick(self._log_q(params, self._judged(context)), goal) - log_prior

    def log_posteriors(self, params: Mlp, context: Context) -> jax.Array:
        """log q(. | s_{t+1}) over all goals, whatever state the reward looks at (Eq. 5)."""
        return self._log_q(params, context.next_observation)

    def _judged(self, context: Context) -> jax.Array:
        return context.observation if self.reward_state == "obs" else context.next_observation

    def _log_q(self, params: Mlp, observation: jax.Array) -> jax.Array:
        return jax.nn.log_softmax(params(self.seen(observation)))
