"""Which goal next? Selectors made of a signal, a rule and a warm-up; NumPy only."""

from autotelic.selectors import bandits as bandits
from autotelic.selectors import competence as competence
from autotelic.selectors import rules as rules
from autotelic.selectors import signals as signals
from autotelic.selectors.base import EpochOutcome as EpochOutcome
from autotelic.selectors.base import GoalSelector as GoalSelector
from autotelic.selectors.base import check_posteriors as check_posteriors
from autotelic.selectors.catalogue import DiversityProgress as DiversityProgress
from autotelic.selectors.catalogue import LearnedPrior as LearnedPrior
from autotelic.selectors.catalogue import RemainingError as RemainingError
from autotelic.selectors.catalogue import RoundRobin as RoundRobin
from autotelic.selectors.catalogue import Uniform as Uniform
from autotelic.selectors.catalogue import VariationalControl as VariationalControl
from autotelic.selectors.check import check_selector as check_selector
from autotelic.selectors.composition import ComposedSelector as ComposedSelector
from autotelic.selectors.composition import Parts as Parts
from autotelic.selectors.composition import Selector as Selector
from autotelic.selectors.distributions import (
    effective_number_of_skills as effective_number_of_skills,
)
from autotelic.selectors.draws import LowVariance as LowVariance
from autotelic.selectors.literature import AbsoluteLearningProgress as AbsoluteLearningProgress
from autotelic.selectors.literature import CompetenceProgress as CompetenceProgress
from autotelic.selectors.literature import Curious as Curious
from autotelic.selectors.literature import Exp3S as Exp3S
from autotelic.selectors.literature import Learnability as Learnability
from autotelic.selectors.literature import TeacherStudent as TeacherStudent
from autotelic.selectors.spelling import describe as describe
from autotelic.selectors.spelling import from_description as from_description
from autotelic.selectors.spelling import label as label
from autotelic.selectors.spelling import parse_method as parse_method
from autotelic.selectors.state import state_from_json as state_from_json
from autotelic.selectors.state import state_to_json as state_to_json
