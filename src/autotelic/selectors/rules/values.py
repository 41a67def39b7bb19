"""Rules that follow an estimate of each goal's value; `step_size` 1 is the last value seen (the paper's)."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule


def greedy(values: Array) -> Array:
    """All probability on the largest value, shared equally among ties; [goals] -> [goals]."""
    return distributions.uniform_over(values == values.max())


def proportional(values: Array) -> Array:
    """p proportional to the positive part of the values; uniform when there is none; [goals] ->
    [goals].
    """
    weights = np.maximum(values, 0.0)
    total = weights.sum()
    return weights / total if total > 0 else distributions.uniform(len(values))


def top(values: Array, k: int) -> Array:
    """Uniform over the k largest values; goals tied at the k-th share its places; [goals] ->
    [goals].
    """
    threshold = np.partition(values, -k)[-k]
    above = values > threshold
    tied = values == threshold
    return (above + tied * ((k - above.sum()) / tied.sum())) / k


@dataclass(frozen=True, kw_only=True)
class ValueRule(Rule):
    """Follows V_g <- V_g + step_size (value - V_g) and turns V, or |V| if `absolute`, into p(g) by
    `weigh`.
    """

    step_size: float = 1.0
    absolute: bool = False

    def __post_init__(self) -> None:
        _validate.number("step_size", self.step_size, above=0.0, maximum=1.0)
        _validate.boolean("absolute", self.absolute)

    @abstractmethod
    def weigh(self, values: Array) -> Array:
        """The distribution for these values; [goals] -> [goals]."""

    def init(self, num_goals: int, untried: float) -> Array:
        """V, [goals]: every goal at the value of a goal never tried."""
        return np.full(num_goals, untried, dtype=np.float64)

    def update(self, state: Array, goal: int, value: float) -> Array:
        """V with the goal's entry moved towards the value."""
        state = state.copy()
        state[goal] = self._moved(state[goal], value)
        return state

    def revise(self, state: Array, values: Array) -> Array:
        """V with every entry that there is news of moved towards it."""
        return np.where(np.isnan(values), state, self._moved(state, values))

    def learn(self, state: Array, goals: npt.NDArray[np.int64], values: Array) -> Array:
        """V with every entry that there is news of moved towards it."""
        del goals
        return self.revise(state, values)

    def forget(self, state: Array, goals: npt.NDArray[np.bool_], untried: float) -> Array:
        """V with these goals at the value of a goal never tried."""
        return np.where(goals, untried, state)

    def _moved(self, estimate: Any, value: Any) -> Any:
        # A step size of 1 keeps the value to the last bit, and one of -inf out of a product with 0.
        if self.step_size == 1.0:
            return value
        return (1.0 - self.step_size) * estimate + self.step_size * value

    def probabilities(self, state: Array) -> Array:
        """`weigh` of V or |V|."""
        return self.weigh(np.abs(state) if self.absolute else state)


@dataclass(frozen=True)
class Softmax(ValueRule):
    """p = softmax(V / temperature), the paper's rule (Algorithm 1, lines 9-10)."""

    temperature: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("temperature", self.temperature, above=0.0)

    def weigh(self, values: Array) -> Array:
        """softmax(V / T)."""
        return distributions.softmax(values, self.temperature)


@dataclass(frozen=True)
class EpsilonRule(ValueRule):
    """p = (1 - epsilon) `preferred`(V) + epsilon / |G|."""

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("epsilon", self.epsilon, minimum=0.0, maximum=1.0)

    @property
    def even_share(self) -> float:
        """epsilon."""
        return self.epsilon

    @abstractmethod
    def preferred(self, values: Array) -> Array:
        """The distribution without exploration; [goals] -> [goals]."""

    def weigh(self, values: Array) -> Array:
        """The mixture with uniform exploration."""
        return distributions.mixed_with_uniform(self.preferred(values), self.epsilon)


@dataclass(frozen=True)
class EpsilonGreedy(EpsilonRule):
    """The goal of the largest value, ties shared, or any goal with probability epsilon."""

    def preferred(self, values: Array) -> Array:
        """`greedy`."""
        return greedy(values)


@dataclass(frozen=True)
class EpsilonProportional(EpsilonRule):
    """p proportional to the positive part of V, or any goal with probability epsilon."""

    def preferred(self, values: Array) -> Array:
        """`proportional`."""
        return proportional(values)


@dataclass(frozen=True)
class TopShare(EpsilonRule):
    """Uniform over the best `share` of the goals, or any goal with probability epsilon."""

    share: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("share", self.share, above=0.0, maximum=1.0)

    def preferred(self, values: Array) -> Array:
        """`top` of ceil(share |G|) goals."""
        # 0.07 * 100 is 7.000000000000001, which is not to count as eight.
        return top(values, max(1, int(np.ceil(self.share * len(values) - 1e-9))))
