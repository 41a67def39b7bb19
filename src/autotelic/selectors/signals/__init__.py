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
from autotelic.selectors.signals.value_regret import ValueRegret, standard_scores, value_regret

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
    "ValueRegret",
    "halves_gap",
    "slope",
    "standard_scores",
    "value_regret",
]
