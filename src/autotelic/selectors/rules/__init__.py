"""Rules: from one number a goal to p(g). Those that follow values share a file."""

from autotelic.selectors.rules.band import Band
from autotelic.selectors.rules.base import Rule
from autotelic.selectors.rules.even import Even
from autotelic.selectors.rules.exponential_weights import (
    ExponentialWeights,
    exp3s_weights,
    quantile_scaled,
)
from autotelic.selectors.rules.hold import Hold
from autotelic.selectors.rules.reinforce import Reinforce, policy_gradient
from autotelic.selectors.rules.smoothed import Smoothed
from autotelic.selectors.rules.standard_scores import StandardScores
from autotelic.selectors.rules.thompson import Thompson, probability_of_largest
from autotelic.selectors.rules.values import (
    EpsilonGreedy,
    EpsilonProportional,
    EpsilonRule,
    Softmax,
    TopShare,
    ValueRule,
    greedy,
    proportional,
    top,
)

__all__ = [
    "Band",
    "EpsilonGreedy",
    "EpsilonProportional",
    "EpsilonRule",
    "Even",
    "ExponentialWeights",
    "Hold",
    "Reinforce",
    "Rule",
    "Smoothed",
    "Softmax",
    "StandardScores",
    "Thompson",
    "TopShare",
    "ValueRule",
    "exp3s_weights",
    "greedy",
    "policy_gradient",
    "probability_of_largest",
    "proportional",
    "quantile_scaled",
    "top",
]
