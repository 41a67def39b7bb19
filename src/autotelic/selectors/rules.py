"""Rules: from one number a goal to the goal distribution p(g).

A rule is a frozen setting with `init(num_goals, untried) -> state`, `update(state, goal, value) ->
state` and `probabilities(state) -> [goals]`. The rules here follow an estimate of each goal's
value, `step_size` 1 being the last value seen (the paper's); rules with a memory of another kind
are in `bandits`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.selectors import distributions

Array = npt.NDArray[np.float64]


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


class Rule(ABC):
    """From one number a goal to p(g)."""

    @abstractmethod
    def init(self, num_goals: int, untried: float) -> Any:
        """The state before the first epoch; `untried` is the value of a goal never tried."""

    @abstractmethod
    def update(self, state: Any, goal: int, value: float) -> Any:
        """The state after practising the goal yielded the value."""

    def revise(self, state: Any, values: Array) -> Any:
        """The state after goals that were not practised are found to have these values, [goals]; NaN
        where there is no news.
        """
        for goal in np.flatnonzero(~np.isnan(values)):
            state = self.update(state, int(goal), float(values[goal]))
        return state

    @abstractmethod
    def probabilities(self, state: Any) -> Array:
        """The distribution to draw the next goal from, [goals]."""

    def prior(self, state: Any) -> Array:
        """p(g) for the reward, positive everywhere, [goals]."""
        return distributions.positive(self.probabilities(state))


@dataclass(frozen=True)
class Even(Rule):
    """p(g) = 1/|G|, whatever was learned."""

    def init(self, num_goals: int, untried: float) -> int:
        """The number of goals is all there is to know."""
        del untried
        return num_goals

    def update(self, state: int, goal: int, value: float) -> int:
        """Nothing changes."""
        del goal, value
        return state

    def probabilities(self, state: int) -> Array:
        """1/|G|."""
        return distributions.uniform(state)


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

    def _moved(self, estimate: Any, value: Any) -> Any:
        # Written so that a step size of 1 keeps the value to the last bit.
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


class HoldState(NamedTuple):
    """The inner rule's state, the goal being held and how many epochs of it are left."""

    rule: Any
    goal: int
    left: int


@dataclass(frozen=True)
class Hold(Rule):
    """Keeps each drawn goal for `times` epochs; the inner rule hears the last one's value."""

    rule: Rule
    times: int = 10

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise TypeError(f"rule must be a Rule, got {self.rule!r}")
        _validate.integer("times", self.times, minimum=1)

    def init(self, num_goals: int, untried: float) -> HoldState:
        """No goal held."""
        return HoldState(self.rule.init(num_goals, untried), goal=0, left=0)

    def update(self, state: HoldState, goal: int, value: float) -> HoldState:
        """Count down; at the end of the hold tell the inner rule."""
        left = (state.left if state.left else self.times) - 1
        inner = state.rule if left else self.rule.update(state.rule, goal, value)
        return HoldState(inner, goal, left)

    def revise(self, state: HoldState, values: Array) -> HoldState:
        """The inner rule's affair; the hold goes on."""
        return state._replace(rule=self.rule.revise(state.rule, values))

    def probabilities(self, state: HoldState) -> Array:
        """Certainly the goal held, or the inner rule's distribution between holds."""
        inner = self.rule.probabilities(state.rule)
        if not state.left:
            return inner
        held = np.zeros(len(inner))
        held[state.goal] = 1.0
        return held

    def prior(self, state: HoldState) -> Array:
        """The inner rule's: the distribution the held goal was drawn from."""
        return self.rule.prior(state.rule)
