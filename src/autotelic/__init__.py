"""Goal selection and skill discovery for intrinsically motivated reinforcement learning.

Importing this package loads none of its parts: each is loaded when it is first used. Selectors need NumPy
alone; training and figures need more.
"""

import warnings as _warnings
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from autotelic._version import __version__

if _TYPE_CHECKING:  # for editors and type checkers; `__getattr__` loads them when they are used
    from autotelic import (
        agents,
        downstream,
        environments,
        evaluation,
        figures,
        objectives,
        paper,
        presets,
        progress,
        report,
        simulation,
    )
    from autotelic.curriculum import Curriculum
    from autotelic.evaluation.evaluate import evaluate
    from autotelic.evaluation.rollouts import sample_trajectories
    from autotelic.learner.setting import Setting
    from autotelic.objectives.check import check_objective
    from autotelic.resume import check_resume
    from autotelic.runs.run import Runs, load
    from autotelic.selectors import (
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
        GoalSelector,
        IntermediateDifficulty,
        Learnability,
        LearnedPrior,
        LowVariance,
        Mopps,
        RemainingError,
        RoundRobin,
        Selector,
        SkewFit,
        TeacherStudent,
        Uniform,
        ValueDisagreement,
        ValueRegret,
        VariationalControl,
        VisitOutcome,
        check_selector,
        effective_number_of_skills,
        rules,
        signals,
    )
    from autotelic.skills import SkillFileError, Skills
    from autotelic.training.train import train

__all__ = [
    "AbsoluteLearningProgress",
    "AlpGmm",
    "AutoSelector",
    "BidirectionalProgress",
    "CompetenceProgress",
    "Curious",
    "Curriculum",
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
    "RemainingError",
    "RoundRobin",
    "Runs",
    "Selector",
    "Setting",
    "SkewFit",
    "SkillFileError",
    "Skills",
    "TeacherStudent",
    "Uniform",
    "ValueDisagreement",
    "ValueRegret",
    "VariationalControl",
    "VisitOutcome",
    "__version__",
    "agents",
    "check_objective",
    "check_resume",
    "check_selector",
    "downstream",
    "effective_number_of_skills",
    "environments",
    "evaluate",
    "evaluation",
    "figures",
    "load",
    "objectives",
    "paper",
    "presets",
    "progress",
    "report",
    "rules",
    "sample_trajectories",
    "signals",
    "simulation",
    "train",
]

# name -> (module, attribute or None for the module itself, the extra that brings its packages)
_LAZY: dict[str, tuple[str, str | None, str]] = {
    "Curriculum": ("autotelic.curriculum", "Curriculum", ""),
    "Runs": ("autotelic.runs.run", "Runs", "train"),
    "Setting": ("autotelic.learner.setting", "Setting", "train"),
    "SkillFileError": ("autotelic.skills", "SkillFileError", ""),
    "Skills": ("autotelic.skills", "Skills", ""),
    "agents": ("autotelic.agents", None, "train"),
    "check_objective": ("autotelic.objectives.check", "check_objective", "train"),
    "check_resume": ("autotelic.resume", "check_resume", ""),
    "downstream": ("autotelic.downstream", None, "train"),
    "environments": ("autotelic.environments", None, "train"),
    "evaluate": ("autotelic.evaluation.evaluate", "evaluate", "all"),
    "evaluation": ("autotelic.evaluation", None, "all"),
    "figures": ("autotelic.figures", None, "report"),
    "load": ("autotelic.runs.run", "load", "train"),
    "objectives": ("autotelic.objectives", None, "train"),
    "paper": ("autotelic.paper", None, "train"),
    "presets": ("autotelic.presets", None, "train"),
    "progress": ("autotelic.progress", None, ""),
    "report": ("autotelic.report", None, "all"),
    "sample_trajectories": ("autotelic.evaluation.rollouts", "sample_trajectories", "train"),
    "selectors": ("autotelic.selectors", None, ""),
    "simulation": ("autotelic.simulation", None, ""),
    "skills": ("autotelic.skills", None, ""),
    "train": ("autotelic.training.train", "train", "train"),
}
# What is left is about selectors.
_LAZY |= {name: ("autotelic.selectors", name, "") for name in __all__ if name not in _LAZY}


# name until version 0.1 -> (its module, attribute or None for the module itself, its name now)
_RENAMED: dict[str, tuple[str, str | None, str]] = {
    "EpochOutcome": ("autotelic.selectors", "VisitOutcome", "VisitOutcome"),
    "bandits": ("autotelic.selectors.rules", None, "rules"),
    "competence": ("autotelic.selectors.signals", None, "signals"),
}


def __getattr__(name: str) -> object:
    """Load a part on first use; a missing package is refused with the command that installs it."""
    if name in _RENAMED:
        module_name, attribute, now = _RENAMED[name]
        _warnings.warn(
            f"autotelic.{name} is autotelic.{now} since version 0.2",
            DeprecationWarning,
            stacklevel=2,
        )
        module = _import_module(module_name)
        return module if attribute is None else getattr(module, attribute)
    if name not in _LAZY:
        raise AttributeError(f"module 'autotelic' has no attribute {name!r}")
    module_name, attribute, extra = _LAZY[name]
    try:
        module = _import_module(module_name)
    except ModuleNotFoundError as error:
        if not extra or error.name is None or error.name.split(".")[0] == "autotelic":
            raise
        raise ModuleNotFoundError(
            f"autotelic.{name} needs the package {error.name!r}: pip install 'autotelic[{extra}]'",
            name=error.name,
        ) from error
    value = module if attribute is None else getattr(module, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
