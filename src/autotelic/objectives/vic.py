"""VIC's objective: a classifier of goals from where a pursuit began and where it led."""

from dataclasses import dataclass

import jax

from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.classifier import checked_features, features_option, pick
from autotelic.objectives.prior import PriorClassifier, prior_floor_option, reward_prior_option
from autotelic.objectives.pursuit import (
    check_judged_at,
    judged,
    judged_at_option,
    mean_where,
)


@dataclass(frozen=True)
class Vic(PriorClassifier):
    """Gregor et al. 2016: reward log q(g | s_0, s_T) - log p(g), q trained by cross-entropy.

    A goal may be recognised by the way from the start, where DIAYN needs states of its own for it. The
    p(g) that VIC learns by REINFORCE is a selector's matter here: `autotelic.VariationalControl`.

    judged_at: `every_step`, q(g | s_0, s_{t+1}) as if the pursuit ended with each step; or `end`, VIC
      proper. `autotelic.objectives.pursuit` says what follows from it.
    reward_prior, prior_floor: the p(g) in the reward, see `PriorClassifier`.
    features: which observation entries the discriminator sees; all by default.
    """

    needs_start = True

    judged_at: str = judged_at_option()
    reward_prior: str = reward_prior_option()
    prior_floor: float = prior_floor_option()
    features: tuple[int, ...] | None = features_option()

    def __post_init__(self) -> None:
        check_judged_at(self.judged_at)
        self._check_prior()
        object.__setattr__(self, "features", checked_features(self.features))

    @property
    def needs_end(self) -> bool:  # type: ignore[override]
        """If nothing but ends is judged."""
        return self.judged_at == "end"

    def init(self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int) -> Mlp:
        """q: an MLP from the start and a state to a logit for every goal."""
        size = self.input_size(observation_size)
        return Mlp([size, size], hidden_units, num_goals, key=key)

    def loss(self, params: Mlp, context: Context, goal: jax.Array) -> jax.Array:
        """Mean cross-entropy of q over the steps that are judged; 0 without any."""
        certainty = pick(self.log_posteriors(params, context), goal)
        return -mean_where(certainty, judged(self.judged_at, context, certainty))

    def reward(
        self, params: Mlp, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """log q(g | s_0, s_T) - log p(g) where a step is judged, otherwise 0: [batch]."""
        certainty = pick(self.log_posteriors(params, context), goal)
        return judged(self.judged_at, context, certainty) * (certainty - log_prior)

    def log_posteriors(self, params: Mlp, context: Context) -> jax.Array:
        """log q(. | s_0, s_{t+1}) over all goals, of every step: [..., num_goals]."""
        return jax.nn.log_softmax(
            params(self.seen(context.start), self.seen(context.next_observation))
        )
