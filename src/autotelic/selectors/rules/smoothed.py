"""Shares of sums over neighbouring goals."""

from dataclasses import dataclass

import numpy as np

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors.rules.values import ValueRule


@dataclass(frozen=True)
class Smoothed(ValueRule):
    """p in proportion to sum_i kept^i (V_{g+i} + extra / |G|), over i = 0 to `width` - 1; beyond the last
    goal it counts again.

    Goals are the segments of a motion in order: one that fails is practised from a little before.
    """

    extra: float = 0.1
    kept: float = 0.8
    width: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("extra", self.extra, above=0.0)
        _validate.number("kept", self.kept, above=0.0, maximum=1.0)
        _validate.integer("width", self.width, minimum=1)

    def weigh(self, values: Array) -> Array:
        """The shares."""
        raised = values + self.extra / len(values)
        padded = np.append(raised, np.full(self.width - 1, raised[-1]))
        weights = np.convolve(padded, self.kept ** np.arange(self.width)[::-1], mode="valid")
        return weights / weights.sum()
