"""Thompson sampling from each goal's last values."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.memory import forgotten, nothing_yet, replaced
from autotelic.selectors.rules.base import Rule


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
    for node, weight in zip((nodes + 1.0) / 2.0, node_weights, strict=True):
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

    @property
    def even_share(self) -> float:
        """epsilon."""
        return self.epsilon

    def init(self, num_goals: int, untried: float) -> ThompsonState:
        """No values; a goal never tried draws `untried`."""
        return ThompsonState(nothing_yet(num_goals), untried)

    def update(self, state: ThompsonState, goal: int, value: float) -> ThompsonState:
        """The value joins the goal's last ones."""
        values = np.append(state.values[goal], value)[-self.window :]
        return ThompsonState(replaced(state.values, goal, values), state.untried)

    def learn(
        self, state: ThompsonState, goals: npt.NDArray[np.int64], values: Array
    ) -> ThompsonState:
        """The values join those of their goals."""
        del goals
        found = list(state.values)
        for goal in np.flatnonzero(~np.isnan(values)):
            found[goal] = np.append(found[goal], values[goal])[-self.window :]
        return state._replace(values=tuple(found))

    def forget(
        self, state: ThompsonState, goals: npt.NDArray[np.bool_], untried: float
    ) -> ThompsonState:
        """No values of these goals."""
        return ThompsonState(forgotten(state.values, goals), untried)

    def probabilities(self, state: ThompsonState) -> Array:
        """The chance of each goal to draw the largest, mixed with uniform."""
        untried = np.array([state.untried])
        samples = tuple(v if v.size else untried for v in state.values)
        if self.absolute:
            samples = tuple(np.abs(s) for s in samples)
        return distributions.mixed_with_uniform(probability_of_largest(samples), self.epsilon)
