"""The sigmoid of standard scores."""

from dataclasses import dataclass

import numpy as np

from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.values import EpsilonRule


@dataclass(frozen=True)
class StandardScores(EpsilonRule):
    """p in proportion to sigmoid((V - mean) / deviation), or any goal with probability epsilon; uniform where
    values do not differ.
    """

    def preferred(self, values: Array) -> Array:
        """The sigmoid's share."""
        deviation = values.std()
        if deviation < 1e-12:
            return distributions.uniform(len(values))
        weights = 1.0 / (1.0 + np.exp(-(values - values.mean()) / deviation))
        return weights / weights.sum()
