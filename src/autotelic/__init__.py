"""Goal selection and skill discovery for intrinsically motivated reinforcement learning.

Importing this package needs NumPy alone. What needs more (training, figures) is loaded when it is
first used.
"""

from importlib import import_module
from typing import Any

from autotelic import progress as progress
from autotelic import simulation as simulation
from autotelic._version import __version__ as __version__
from autotelic.curriculum import Curriculum as Curriculum
from autotelic.selectors import AbsoluteLearningProgress as AbsoluteLearningProgress
from autotelic.selectors import CompetenceProgress as CompetenceProgress
from autotelic.selectors import Curious as Curious
from autotelic.selectors import DiversityProgress as DiversityProgress
from autotelic.selectors import EpochOutcome as EpochOutcome
from autotelic.selectors import Exp3S as Exp3S
from autotelic.selectors import GoalSelector as GoalSelector
from autotelic.selectors import Learnability as Learnability
from autotelic.selectors import LearnedPrior as LearnedPrior
from autotelic.selectors import LowVariance as LowVariance
from autotelic.selectors import RemainingError as RemainingError
from autotelic.selectors import RoundRobin as RoundRobin
from autotelic.selectors import Selector as Selector
from autotelic.selectors import TeacherStudent as TeacherStudent
from autotelic.selectors import Uniform as Uniform
from autotelic.selectors import VariationalControl as VariationalControl
from autotelic.selectors import bandits as bandits
from autotelic.selectors import check_selector as check_selector
from autotelic.selectors import competence as competence
from autotelic.selectors import effective_number_of_skills as effective_number_of_skills
from autotelic.selectors import rules as rules
from autotelic.selectors import signals as signals

# name -> (module, attribute or None for the module itself, the extra that brings its packages)
_LAZY: dict[str, tuple[str, str | None, str]] = {
    "train": ("autotelic.training.train", "train", "train"),
    "load": ("autotelic.runs.run", "load", "train"),
    "Setting": ("autotelic.learner.setting", "Setting", "train"),
    "agents": ("autotelic.agents", None, "train"),
    "objectives": ("autotelic.objectives", None, "train"),
    "sample_trajectories": ("autotelic.evaluation.rollouts", "sample_trajectories", "train"),
    "paper": ("autotelic.paper", None, "train"),
    "environments": ("autotelic.environments", None, "train"),
    "evaluation": ("autotelic.evaluation", None, "all"),
    "evaluate": ("autotelic.evaluation.evaluate", "evaluate", "all"),
    "figures": ("autotelic.figures", None, "report"),
    "report": ("autotelic.report", None, "all"),
}


def __getattr__(name: str) -> Any:
    """Load a part on first use; a missing package is refused with the command that installs it."""
    if name not in _LAZY:
        raise AttributeError(f"module 'autotelic' has no attribute {name!r}")
    module_name, attribute, extra = _LAZY[name]
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "autotelic":
            raise
        raise ModuleNotFoundError(
            f"autotelic.{name} needs the package {error.name!r}: pip install 'autotelic[{extra}]'",
            name=error.name,
        ) from error
    value = module if attribute is None else getattr(module, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LAZY))
