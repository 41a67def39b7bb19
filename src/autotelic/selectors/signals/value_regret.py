"""Regret of values: by how much does the agent hold a goal to be worth more than before?"""

from dataclasses import dataclass
from typing import Any

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.signals.base import Signal

# RSD's: numbers that differ by less count as equal, and one goal has nothing to stand out from.
SMALLEST_DEVIATION = 1e-6


def value_regret(values_before: Array, values_after: Array) -> Array:
    """V_after(s_0, g) - V_before(s_0, g): what was gained, and so was missing before; [goals]."""
    return values_after - values_before


def standard_scores(values: Array) -> Array:
    """(v - mean) / (standard deviation + 1e-6), the deviation that of a sample; [goals] -> [goals].

    >>> import numpy as np
    >>> standard_scores(np.array([1.0, 2.0, 3.0])).round(3) + 0.0
    array([-1.,  0.,  1.])
    """
    centred = values - values.mean()
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return centred / (deviation + SMALLEST_DEVIATION)


@dataclass(frozen=True)
class ValueRegret(Signal):
    """zscore(V_after - V_before) + value_weight zscore(V_after), of all goals at once.

    V(s_0, g) is what the agent holds following each goal to be worth, from the state that the visit
    began in; z-scores are taken over the goals.

    Args:
        value_weight: of the values themselves beside what they gained; 1 is RSD's, 0 leaves them out.
    """

    value_weight: float = 1.0

    def __post_init__(self) -> None:
        _validate.number("value_weight", self.value_weight, minimum=0.0)

    @property
    def evidence(self) -> frozenset[str]:
        """Values of all goals before and after the visit."""
        return frozenset({"values"})

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, Array]:
        """The scores of all goals, [goals]."""
        before, after = outcome.values_before, outcome.values_after
        assert before is not None and after is not None
        regret = standard_scores(value_regret(before, after))
        return state, regret + self.value_weight * standard_scores(after)
