"""EXP3.S: exponential weights of importance-weighted rewards."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule

STEP = 0.3  # times 1 / |G|: under pure noise most goals stay in play for a hundred visits a goal


def quantile_scaled(rewards: npt.ArrayLike, history: Array) -> Array:
    """Rewards mapped to [-1, 1] by the 20 % and 80 % quantiles of a history; 0 when they coincide."""
    rewards = np.asarray(rewards, dtype=np.float64)
    low, high = np.quantile(history, [0.2, 0.8])
    if not high > low:
        return np.zeros_like(rewards)
    return np.clip(2.0 * (rewards - low) / (high - low) - 1.0, -1.0, 1.0)


def exp3s_weights(weights: Array, gains: Array, share: float) -> Array:
    """log[(1 - share) exp(w_i + gain_i) + share / (N - 1) sum_{j != i} exp(w_j + gain_j)]; [goals]
    -> [goals].

    Shifted so that the largest is 0, which leaves their softmax as it is.
    """
    raised = weights + gains
    mass = np.exp(raised - raised.max())
    if len(mass) > 1:
        mass = (1.0 - share) * mass + share * (mass.sum() - mass) / (len(mass) - 1)
    logarithm = np.log(np.maximum(mass, np.finfo(np.float64).tiny))
    return logarithm - logarithm.max()


class ExponentialWeightsState(NamedTuple):
    """Log-weights [goals], the last rewards seen [<= memory] and the number of visits."""

    weights: Array
    history: Array
    visits: Count


@dataclass(frozen=True)
class ExponentialWeights(Rule):
    """EXP3.S: exponential weights of importance-weighted rewards, mixed among goals at the rate
    1/t.

    p = (1 - epsilon) softmax(w) + epsilon / |G|; the reward, scaled to [-1, 1] by quantiles of the
    last `memory` rewards (one a visit), enters as step_size (r 1[i = goal] + bias) / p_i.

    The step size is by default 0.3 / |G|. Noise alone moves log-weights apart by about step_size
    sqrt(|G| visits / 2), so with a step in proportion to 1 / |G|, as Auer et al. have it, that depends
    on the visits of each goal and not on the number of goals.
    """

    step_size: float | None = None
    epsilon: float = 0.05
    bias: float = 0.0
    memory: int = 1000

    def __post_init__(self) -> None:
        if self.step_size is not None:
            _validate.number("step_size", self.step_size, above=0.0)
        _validate.number("epsilon", self.epsilon, above=0.0, maximum=1.0)
        _validate.number("bias", self.bias, minimum=0.0)
        _validate.integer("memory", self.memory, minimum=2)

    @property
    def even_share(self) -> float:
        """epsilon."""
        return self.epsilon

    def init(self, num_goals: int, untried: float) -> ExponentialWeightsState:
        """Uniform p."""
        del untried
        return ExponentialWeightsState(np.zeros(num_goals), np.empty(0), 0)

    def update(
        self, state: ExponentialWeightsState, goal: int, value: float
    ) -> ExponentialWeightsState:
        """One EXP3.S step."""
        return self._stepped(state, np.array([goal]), np.array([value]))

    def learn(
        self, state: ExponentialWeightsState, goals: npt.NDArray[np.int64], values: Array
    ) -> ExponentialWeightsState:
        """One step for all of these goals, from the same p."""
        goals = goals[~np.isnan(values[goals])]
        return self._stepped(state, goals, values[goals]) if len(goals) else state

    def _stepped(
        self, state: ExponentialWeightsState, goals: npt.NDArray[np.int64], values: Array
    ) -> ExponentialWeightsState:
        history = np.concatenate([state.history, values])[-self.memory :]
        rewards = np.full(len(state.weights), self.bias * len(goals), dtype=np.float64)
        rewards[goals] += quantile_scaled(values, history)
        step_size = STEP / len(rewards) if self.step_size is None else self.step_size
        gains = step_size * rewards / self.probabilities(state)
        visits = state.visits + len(goals)
        # What is left of (1 - 1/t) over these visits.
        weights = exp3s_weights(state.weights, gains, len(goals) / visits)
        return ExponentialWeightsState(weights, history, visits)

    def forget(
        self, state: ExponentialWeightsState, goals: npt.NDArray[np.bool_], untried: float
    ) -> ExponentialWeightsState:
        """These goals get the mean weight."""
        del untried
        return state._replace(weights=distributions.levelled(state.weights, goals))

    def probabilities(self, state: ExponentialWeightsState) -> Array:
        """The mixture of softmax(w) and uniform."""
        return distributions.mixed_with_uniform(distributions.softmax(state.weights), self.epsilon)
