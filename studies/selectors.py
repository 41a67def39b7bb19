"""Which selector learns a diverse set of skills fastest? The catalogue on 2D navigation.

    python -m studies.selectors --part sweep
    python -m studies.selectors --part finalists

Every selector with its defaults, with independent and with low-variance draws, its goals held for an
epoch (1000 steps) and for an episode (100 steps). What the sweep suggests is tested on fresh seeds.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
from autotelic.selectors import (
    AbsoluteLearningProgress,
    CompetenceProgress,
    ComposedSelector,
    Curious,
    DiversityProgress,
    Exp3S,
    GoalSelector,
    Learnability,
    LearnedPrior,
    RemainingError,
    RoundRobin,
    TeacherStudent,
    Uniform,
    VariationalControl,
)
from autotelic.training.setting import Setting
from studies.command import main
from studies.study import Arm, Study

DURATIONS: Mapping[str, Setting] = {
    "goals held for 1000 steps": paper.NAVIGATION_2D,
    "goals held for 100 steps": replace(paper.NAVIGATION_2D, steps_per_goal=100),
}
BASELINES: Mapping[str, GoalSelector] = {"uniform": Uniform(), "round-robin": RoundRobin()}
# Uniform with low-variance draws is round-robin. Windows of progress are a quarter of the steps that
# a goal is held: the paper's 250 and 250 of 1000.
CATALOGUE: Mapping[str, ComposedSelector] = {
    "DP": DiversityProgress(temperature=0.1),
    "DP, previous visit": DiversityProgress(temperature=0.1, reference="previous_visit"),
    "DP, probe": DiversityProgress(temperature=0.1, reference="probe"),
    "VIC": VariationalControl(),
    "learned prior": LearnedPrior(),
    "CURIOUS": Curious(),
    "competence progress": CompetenceProgress(),
    "ALP": AbsoluteLearningProgress(),
    "teacher-student": TeacherStudent(),
    "EXP3.S": Exp3S(),
    "learnability": Learnability(),
    "remaining error": RemainingError(),
}
FINALISTS: Mapping[str, GoalSelector] = {
    "DP": CATALOGUE["DP"],
    "DP, low variance": replace(CATALOGUE["DP"], draw="low_variance"),
}
"""What the sweep suggests, chosen before the fresh seeds were trained."""


def with_draws(selectors: Mapping[str, ComposedSelector]) -> dict[str, GoalSelector]:
    """Every selector with independent and with low-variance draws."""
    found: dict[str, GoalSelector] = {}
    for name, selector in selectors.items():
        found[name] = selector
        found[f"{name}, low variance"] = replace(selector, draw="low_variance")
    return found


def arms(selectors: Mapping[str, GoalSelector]) -> tuple[Arm, ...]:
    """The baselines and these selectors, for each of the durations."""
    return tuple(
        Arm(name, setting, selector, condition)
        for condition, setting in DURATIONS.items()
        for name, selector in {**BASELINES, **selectors}.items()
    )


STUDIES = {
    "sweep": Study(
        name="selectors_sweep",
        question="Which selectors of the catalogue learn fastest, with which draws and goal durations?",
        arms=arms(with_draws(CATALOGUE)),
        seeds=tuple(range(5)),
        epochs=100,
        baselines=tuple(BASELINES),
    ),
    "finalists": Study(
        name="selectors_finalists",
        question="Do the best selectors of the sweep beat the baselines on seeds they were not chosen by?",
        arms=arms(FINALISTS),
        seeds=tuple(range(100, 110)),
        epochs=100,
        baselines=tuple(BASELINES),
    ),
}

if __name__ == "__main__":
    sys.exit(main("selectors", STUDIES, flag="part"))
