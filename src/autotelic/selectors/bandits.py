"""Rules with a memory of their own: REINFORCE, EXP3.S and Thompson sampling."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.selectors import distributions
from autotelic.selectors.rules import Rule
from autotelic.selectors.signals import nothing_yet, replaced

Array = npt.NDArray[np.float64]


def policy_gradient(probabilities: Array, goal: int) -> Array:
    """d log p(goal) / d logits = onehot(goal) - p; [goals] -> [goals]."""
    gradient = -probabilities
    gradient[goal] += 1.0
    return gradient


class ReinforceState(NamedTuple):
    """Logits of p(g) [goals], the running mean of the reward, and the number of rewards in it."""

    logits: Array
    baseline: float
    epochs: int


@dataclass(frozen=True)
class Reinforce(Rule):
    """Gradient ascent on the expected reward: logits += learning_rate (r - baseline) (onehot_g -
    p).

    The reward is the signal's value less log p(g), so with `LogCertainty` it is the reward of the
    skills, log q(g|s) - log p(g). The baseline is the running mean of the rewards, from 0: what
    chance earns, log(1/|G|) - log(1/|G|).
    """

    learning_rate: float = 0.5

    def __post_init__(self) -> None:
        _validate.number("learning_rate", self.learning_rate, above=0.0)

    def init(self, num_goals: int, untried: float) -> ReinforceState:
        """Uniform p."""
        del untried
        return ReinforceState(np.zeros(num_goals), 0.0, 0)

    def update(self, state: ReinforceState, goal: int, value: float) -> ReinforceState:
        """One gradient step, with the baseline of the rewards before this one."""
        p = self.probabilities(state)
        reward = value - float(np.log(distributions.positive(p)[goal]))
        step = self.learning_rate * (reward - state.baseline)
        epochs = state.epochs + 1
        baseline = state.baseline + (reward - state.baseline) / epochs
        return ReinforceState(state.logits + step * policy_gradient(p, goal), baseline, epochs)

    def probabilities(self, state: ReinforceState) -> Array:
        """softmax(logits)."""
        return distributions.softmax(state.logits)


def quantile_scaled(reward: float, history: Array) -> float:
    """The reward mapped to [-1, 1] by the 20 % and 80 % quantiles of a history; 0 when they
    coincide.
    """
    low, high = np.quantile(history, [0.2, 0.8])
    return (
        float(np.clip(2.0 * (reward - low) / (high - low) - 1.0, -1.0, 1.0)) if high > low else 0.0
    )


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
    """Log-weights [goals], the last rewards seen [<= memory] and the number of epochs."""

    weights: Array
    history: Array
    epochs: int


@dataclass(frozen=True)
class ExponentialWeights(Rule):
    """EXP3.S: exponential weights of importance-weighted rewards, mixed among goals at the rate
    1/t.

    p = (1 - epsilon) softmax(w) + epsilon / |G|; the reward, scaled to [-1, 1] by quantiles of the
    last `memory` rewards (one an epoch), enters as step_size (r 1[i = goal] + bias) / p_i.
    """

    step_size: float = 0.1
    epsilon: float = 0.05
    bias: float = 0.0
    memory: int = 1000

    def __post_init__(self) -> None:
        _validate.number("step_size", self.step_size, above=0.0)
        _validate.number("epsilon", self.epsilon, above=0.0, maximum=1.0)
        _validate.number("bias", self.bias, minimum=0.0)
        _validate.integer("memory", self.memory, minimum=2)

    def init(self, num_goals: int, untried: float) -> ExponentialWeightsState:
        """Uniform p."""
        del untried
        return ExponentialWeightsState(np.zeros(num_goals), np.empty(0), 0)

    def update(
        self, state: ExponentialWeightsState, goal: int, value: float
    ) -> ExponentialWeightsState:
        """One EXP3.S step."""
        history = np.append(state.history, value)[-self.memory :]
        rewards = np.full(len(state.weights), self.bias, dtype=np.float64)
        rewards[goal] += quantile_scaled(value, history)
        gains = self.step_size * rewards / self.probabilities(state)
        epochs = state.epochs + 1
        return ExponentialWeightsState(
            exp3s_weights(state.weights, gains, 1.0 / epochs), history, epochs
        )

    def probabilities(self, state: ExponentialWeightsState) -> Array:
        """The mixture of softmax(w) and uniform."""
        return distributions.mixed_with_uniform(distributions.softmax(state.weights), self.epsilon)


def probability_of_largest(samples: tuple[Array, ...]) -> Array:
    """P(goal g's draw is the largest) when each goal draws one of its samples; ties are shared
    equally; [goals].

    P(g) = sum_v P(X_g = v) integral_0^1 prod_{j != g} [P(X_j < v) + u P(X_j = v)] du, where u
    orders the goals that tie at v. The integrand is a polynomial in u; the 32 nodes used are exact
    for up to 64 goals, and beyond that only the shares of ties are approximate.
    """
    # No value below the largest of the minima can win.
    decisive = max(s.min() for s in samples)
    values = np.unique(np.concatenate([s[s >= decisive] for s in samples]))
    below = np.stack([(s[:, None] < values).mean(axis=0) for s in samples])  # [goals, values]
    equal = np.stack([(s[:, None] == values).mean(axis=0) for s in samples])
    nodes, node_weights = np.polynomial.legendre.leggauss(32)
    chances = np.zeros(len(samples))
    for node, weight in zip((nodes + 1.0) / 2.0, node_weights / 2.0, strict=True):
        logarithm = np.log(
            below + node * equal
        )  # of factors over 0, because every goal can draw at most v
        chances += weight * (equal * np.exp(logarithm.sum(axis=0) - logarithm)).sum(axis=1)
    return chances / chances.sum()


class ThompsonState(NamedTuple):
    """Each goal's last values, oldest first, and the value of a goal never tried."""

    values: tuple[Array, ...]
    untried: float


@dataclass(frozen=True)
class Thompson(Rule):
    """Each goal draws one of the values of its last `window` visits; the largest wins; any goal
    with probability epsilon.

    The probabilities are those of the whole draw, computed exactly (see `probability_of_largest`).
    """

    window: int = 10
    epsilon: float = 0.1
    absolute: bool = False

    def __post_init__(self) -> None:
        _validate.integer("window", self.window, minimum=1)
        _validate.number("epsilon", self.epsilon, minimum=0.0, maximum=1.0)
        _validate.boolean("absolute", self.absolute)

    def init(self, num_goals: int, untried: float) -> ThompsonState:
        """No values; a goal never tried draws `untried`."""
        return ThompsonState(nothing_yet(num_goals), untried)

    def update(self, state: ThompsonState, goal: int, value: float) -> ThompsonState:
        """The value joins the goal's last ones."""
        values = np.append(state.values[goal], value)[-self.window :]
        return ThompsonState(replaced(state.values, goal, values), state.untried)

    def probabilities(self, state: ThompsonState) -> Array:
        """The chance of each goal to draw the largest, mixed with uniform."""
        untried = np.array([state.untried])
        samples = tuple(v if v.size else untried for v in state.values)
        if self.absolute:
            samples = tuple(np.abs(s) for s in samples)
        return distributions.mixed_with_uniform(probability_of_largest(samples), self.epsilon)
