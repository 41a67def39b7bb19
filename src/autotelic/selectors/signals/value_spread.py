"""The disagreement of critics about a goal."""

from dataclasses import dataclass
from typing import Any

from autotelic._types import Array
from autotelic.selectors.base import VisitOutcome
from autotelic.selectors.signals.base import Signal


@dataclass(frozen=True)
class ValueSpread(Signal):
    """The spread over an ensemble of critics of V(s_0, g), of all goals at once, as it was passed."""

    @property
    def evidence(self) -> frozenset[str]:
        """The spread of all goals."""
        return frozenset({"value_spread"})

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, Array]:
        """The spread, [goals]."""
        assert outcome.value_spread is not None
        return state, outcome.value_spread
