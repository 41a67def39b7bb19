"""DIAYN's objective (Eqs. 9-10): a classifier of goals from states, and its certainty as the reward."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context, Objective

REWARD_STATES = ("obs", "next_obs")
REWARD_PRIORS = ("current", "at_collection", "uniform")


@dataclass(frozen=True)
class Diayn(Objective):
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
    reward_prior: str = option(
        "uniform",
        "The p(g) in the reward: the selector's current one (the paper), that of the time, or 1/|G|.",
        choices=REWARD_PRIORS,
    )
    prior_floor: float = option(1e-6, "Added to p(g) before the logarithm.")
    features: tuple[int, ...] | None = option(
        None,
        "The entries of the observation that the discriminator sees.",
        unset="all",
        metavar="INDEX ...",
    )

    def __post_init__(self) -> None:
        _validate.choice("reward_state", self.reward_state, REWARD_STATES)
        _validate.choice("reward_prior", self.reward_prior, REWARD_PRIORS)
        _validate.number("prior_floor", self.prior_floor, minimum=0.0, maximum=1.0)
        if self.features is not None:
            object.__setattr__(self, "features", tuple(self.features))
            if not self.features:
                raise ValueError("features must name at least one observation entry, got none")
            for feature in self.features:
                _validate.integer("features", feature, minimum=0)

    @property
    def needs_collected_prior(self) -> bool:  # type: ignore[override]
        """If the reward is to hold the p(g) of that time."""
        return self.reward_prior == "at_collection"

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse features that the observation does not have."""
        del num_goals
        beyond = [f for f in self.features or () if f >= observation_size]
        if beyond:
            raise ValueError(
                f"features {beyond} are beyond the observation's {observation_size} entries; "
                f"choose from 0 to {observation_size - 1}"
            )

    def skill_size(self, num_goals: int) -> int:
        """A goal is embedded one-hot."""
        return num_goals

    def embed(self, goal: jax.Array, num_goals: int) -> jax.Array:
        """One-hot: integers [...] -> [..., num_goals]."""
        return jax.nn.one_hot(goal, num_goals)

    def init(self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int) -> Mlp:
        """The discriminator q: an MLP from the observation to a logit for every goal."""
        inputs = observation_size if self.features is None else len(self.features)
        return Mlp([inputs], hidden_units, num_goals, key=key)

    def loss(self, params: Mlp, context: Context, goal: jax.Array) -> jax.Array:
        """Cross-entropy of q on the judged states: maximises the bound (b) of Eq. 9."""
        return -jnp.mean(_pick(self._log_q(params, self._judged(context)), goal))

    def reward(
        self, params: Mlp, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """Eq. 10: log q(g | s) - log p(g), [batch]."""
        return _pick(self._log_q(params, self._judged(context)), goal) - log_prior

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

    def log_posteriors(self, params: Mlp, context: Context) -> jax.Array:
        """log q(. | s_{t+1}) over all goals, whatever state the reward looks at (Eq. 5)."""
        return self._log_q(params, context.next_observation)

    def _judged(self, context: Context) -> jax.Array:
        return context.observation if self.reward_state == "obs" else context.next_observation

    def _log_q(self, params: Mlp, observation: jax.Array) -> jax.Array:
        if self.features is not None:
            observation = observation[..., jnp.asarray(self.features)]
        return jax.nn.log_softmax(params(observation))


def _pick(log_q: jax.Array, goal: jax.Array) -> jax.Array:
    """The entry of each row's own goal: [..., num_goals], [...] -> [...]."""
    # A masked sum is quicker than a gather on the CPU, and its gradient is not a scatter.
    return jnp.sum(log_q * jax.nn.one_hot(goal, log_q.shape[-1]), axis=-1)
