"""Signals: what did practising a goal yield? One file a kind; those of competence share theirs."""

from autotelic.selectors.signals.base import Signal
from autotelic.selectors.signals.beta_posterior import BetaPosterior, chances_of_nearest
from autotelic.selectors.signals.bidirectional import BidirectionalProgress, reweighted
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
from autotelic.selectors.signals.failures import FailureCounts
from autotelic.selectors.signals.log_certainty import LogCertainty
from autotelic.selectors.signals.mixture_progress import (
    MixtureProgress,
    mixture_weights,
    progress_at,
)
from autotelic.selectors.signals.neighbour_success import NeighbourSuccess, neighbour_means
from autotelic.selectors.signals.open_frontier import OpenFrontier, towards_the_edge
from autotelic.selectors.signals.open_question import OpenQuestion, openness, unlikeness
from autotelic.selectors.signals.progress import Progress
from autotelic.selectors.signals.rarity import Rarity, within_reach
from autotelic.selectors.signals.value_regret import ValueRegret, standard_scores, value_regret
from autotelic.selectors.signals.value_spread import ValueSpread

__all__ = [
    "BetaPosterior",
    "BidirectionalProgress",
    "Competence",
    "FailureCounts",
    "Gain",
    "HalvesGap",
    "LogCertainty",
    "MixtureProgress",
    "NeighbourSuccess",
    "OpenFrontier",
    "OpenQuestion",
    "Progress",
    "Rarity",
    "RemainingError",
    "Signal",
    "Slope",
    "SuccessVariance",
    "ValueRegret",
    "ValueSpread",
    "chances_of_nearest",
    "halves_gap",
    "mixture_weights",
    "neighbour_means",
    "openness",
    "progress_at",
    "reweighted",
    "slope",
    "standard_scores",
    "towards_the_edge",
    "unlikeness",
    "value_regret",
    "within_reach",
]
