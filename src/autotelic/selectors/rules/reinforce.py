"""REINFORCE on the logits of p(g)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._documents import Count
from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.base import Rule


def policy_gradient(probabilities: Array, goal: int) -> Array:
    """d log p(goal) / d logits = onehot(goal) - p; [goals] -> [goals]."""
    gradient = -probabilities
    gradient[goal] += 1.0
    return gradient


class ReinforceState(NamedTuple):
    """Logits of p(g) [goals], the running mean of the reward, and the number of rewards in it."""

    logits: Array
    baseline: float
    visits: Count


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
        visits = state.visits + 1
        baseline = state.baseline + (reward - state.baseline) / visits
        return ReinforceState(state.logits + step * policy_gradient(p, goal), baseline, visits)

    def learn(
        self, state: ReinforceState, goals: npt.NDArray[np.int64], values: Array
    ) -> ReinforceState:
        """One step for all of these goals, from the same p and with the same baseline."""
        goals = goals[~np.isnan(values[goals])]
        p = self.probabilities(state)
        gained = values[goals] - np.log(distributions.positive(p)[goals]) - state.baseline
        steps, visits = self.learning_rate * gained, state.visits + len(goals)
        logits = state.logits - p * steps.sum()
        logits[goals] += steps
        baseline = state.baseline + float(gained.sum()) / max(visits, 1)
        return ReinforceState(logits, baseline, visits)

    def forget(
        self, state: ReinforceState, goals: npt.NDArray[np.bool_], untried: float
    ) -> ReinforceState:
        """These goals get the mean probability."""
        del untried
        return state._replace(logits=distributions.levelled(state.logits, goals))

    def probabilities(self, state: ReinforceState) -> Array:
        """softmax(logits)."""
        return distributions.softmax(state.logits)
