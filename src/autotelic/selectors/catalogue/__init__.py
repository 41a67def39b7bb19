"""Named selectors, one file each. The shell's name is declared on the class (`shell_name`)."""

from autotelic.selectors.catalogue.absolute_learning_progress import AbsoluteLearningProgress
from autotelic.selectors.catalogue.alp_gmm import AlpGmm
from autotelic.selectors.catalogue.auto import AutoSelector
from autotelic.selectors.catalogue.bidirectional_progress import BidirectionalProgress
from autotelic.selectors.catalogue.competence_progress import CompetenceProgress
from autotelic.selectors.catalogue.curious import Curious
from autotelic.selectors.catalogue.diversity_progress import DiversityProgress
from autotelic.selectors.catalogue.exp3s import Exp3S
from autotelic.selectors.catalogue.failure_counts import FailureCounts
from autotelic.selectors.catalogue.frontier import Frontier
from autotelic.selectors.catalogue.intermediate_difficulty import IntermediateDifficulty
from autotelic.selectors.catalogue.learnability import Learnability
from autotelic.selectors.catalogue.learned_prior import LearnedPrior
from autotelic.selectors.catalogue.mopps import Mopps
from autotelic.selectors.catalogue.remaining_error import RemainingError
from autotelic.selectors.catalogue.round_robin import RoundRobin
from autotelic.selectors.catalogue.skew_fit import SkewFit
from autotelic.selectors.catalogue.teacher_student import TeacherStudent
from autotelic.selectors.catalogue.uniform import Uniform
from autotelic.selectors.catalogue.value_disagreement import ValueDisagreement
from autotelic.selectors.catalogue.value_regret import ValueRegret
from autotelic.selectors.catalogue.variational_control import VariationalControl

__all__ = [
    "AbsoluteLearningProgress",
    "AlpGmm",
    "AutoSelector",
    "BidirectionalProgress",
    "CompetenceProgress",
    "Curious",
    "DiversityProgress",
    "Exp3S",
    "FailureCounts",
    "Frontier",
    "IntermediateDifficulty",
    "Learnability",
    "LearnedPrior",
    "Mopps",
    "RemainingError",
    "RoundRobin",
    "SkewFit",
    "TeacherStudent",
    "Uniform",
    "ValueDisagreement",
    "ValueRegret",
    "VariationalControl",
]
