"""Goals whose value lies within limits."""

from dataclasses import dataclass

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions
from autotelic.selectors.rules.values import EpsilonRule


@dataclass(frozen=True)
class Band(EpsilonRule):
    """Uniform over the goals with low <= V <= high, or over all if there is none; any goal with
    probability epsilon.
    """

    low: float = 0.1
    high: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("low", self.low)
        _validate.number("high", self.high, minimum=self.low)

    def preferred(self, values: Array) -> Array:
        """Uniform over the band."""
        inside = (values >= self.low) & (values <= self.high)
        return (
            distributions.uniform_over(inside)
            if inside.any()
            else distributions.uniform(len(values))
        )
