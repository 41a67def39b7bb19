"""Which goal next? Selectors made of a signal, a rule and a warm-up; NumPy only."""

from autotelic.selectors import rules, signals
from autotelic.selectors.base import GoalSelector, VisitOutcome, check_posteriors
from autotelic.selectors.catalogue import (
    AbsoluteLearningProgress,
    AlpGmm,
    AutoSelector,
    BidirectionalProgress,
    CompetenceProgress,
    Curious,
    DiversityProgress,
    Exp3S,
    FailureCounts,
    Frontier,
    IntermediateDifficulty,
    Learnability,
    LearnedPrior,
    Mopps,
    RemainingError,
    RoundRobin,
    SkewFit,
    TeacherStudent,
    Uniform,
    ValueDisagreement,
    ValueRegret,
    VariationalControl,
)
from autotelic.selectors.check import check_selector
from autotelic.selectors.composition import ComposedSelector, Parts, Selector
from autotelic.selectors.distributions import effective_number_of_skills
from autotelic.selectors.draws import LowVariance
from autotelic.selectors.spelling import describe, from_description, label, parse_method
from autotelic.selectors.state import state_from_json, state_to_json

__all__ = [
    "AbsoluteLearningProgress",
    "AlpGmm",
    "AutoSelector",
    "BidirectionalProgress",
    "CompetenceProgress",
    "ComposedSelector",
    "Curious",
    "DiversityProgress",
    "Exp3S",
    "FailureCounts",
    "Frontier",
    "GoalSelector",
    "IntermediateDifficulty",
    "Learnability",
    "LearnedPrior",
    "LowVariance",
    "Mopps",
    "Parts",
    "RemainingError",
    "RoundRobin",
    "Selector",
    "SkewFit",
    "TeacherStudent",
    "Uniform",
    "ValueDisagreement",
    "ValueRegret",
    "VariationalControl",
    "VisitOutcome",
    "check_posteriors",
    "check_selector",
    "describe",
    "effective_number_of_skills",
    "from_description",
    "label",
    "parse_method",
    "rules",
    "signals",
    "state_from_json",
    "state_to_json",
]
