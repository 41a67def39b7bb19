"""Signals: what did practising a goal yield? One file a kind; those of competence share theirs."""

from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.competence import (
    Competence,
    Gain,
    HalvesGap,
    RemainingError,
    Slope,
    SuccessVariance,
    halves_gap,
    slope,
)
from autotelic.selectors.signals.log_certainty import LogCertainty
from autotelic.selectors.signals.progress import Progress

__all__ = [
    "Competence",
    "Gain",
    "HalvesGap",
    "LogCertainty",
    "Progress",
    "RemainingError",
    "Signal",
    "Slope",
    "SuccessVariance",
    "halves_gap",
    "slope",
]
