"""Which selector learns a diverse set of skills fastest? The catalogue on 2D navigation.

    python -m studies.selectors --part sweep
    python -m studies.selectors --part finalists
    python -m studies.selectors --part again

Every selector with its defaults, with independent and with low-variance draws, its goals held for an
epoch (1000 steps) and for an episode (100 steps). What the sweep suggests is tested on fresh seeds,
with the paper's agent and with a modern one. What the finalists show with the defaults is tested once
more, on further seeds: there independent draws and remaining error are ahead of round-robin.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
from autotelic.agents import Sac
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
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
    "remaining error": RemainingError(sharpness=2.0, draw="independent"),
}
FINALISTS: Mapping[str, GoalSelector] = {
    "DP, low variance": replace(CATALOGUE["DP"], draw="low_variance"),
    "remaining error": RemainingError(sharpness=2.0, draw="low_variance"),
}
"""What the sweep and `studies.candidates` suggest, chosen before the fresh seeds were trained."""

UNIFORM_PRIOR = replace(
    paper.NAVIGATION_2D, objective=Diayn(reward_state="obs", reward_prior="uniform")
)
MODERN = replace(
    paper.NAVIGATION_2D, agent=Sac(tune_entropy=False), objective=Diayn(), steps_per_goal=100
)
DEFAULTS = replace(MODERN, agent=Sac(tune_entropy=True), learning_rate=1e-3)
FINAL_SETTINGS: Mapping[str, Setting] = {
    "the paper's agent, goals held for 1000 steps": UNIFORM_PRIOR,
    "the paper's agent, goals held for 100 steps": replace(UNIFORM_PRIOR, steps_per_goal=100),
    "SAC, goals held for 100 steps": MODERN,
    "the library's defaults: SAC, tuned entropy, learning rate 1e-3, 100 steps": DEFAULTS,
}
"""Where they are compared: the reward's prior is uniform, so that a selector decides what is practised
and not what is paid."""


def with_draws(selectors: Mapping[str, ComposedSelector]) -> dict[str, GoalSelector]:
    """Every selector with independent and with low-variance draws."""
    found: dict[str, GoalSelector] = {}
    for name, selector in selectors.items():
        found[name] = selector
        found[f"{name}, low variance"] = replace(selector, draw="low_variance")
    return found


def arms(settings: Mapping[str, Setting], selectors: Mapping[str, GoalSelector]) -> tuple[Arm, ...]:
    """The baselines and these selectors, in each of the settings."""
    return tuple(
        Arm(name, setting, selector, condition)
        for condition, setting in settings.items()
        for name, selector in {**BASELINES, **selectors}.items()
    )


STUDIES = {
    "sweep": Study(
        name="selectors_sweep",
        question="Which selectors of the catalogue learn fastest, with which draws and goal durations?",
        arms=arms(DURATIONS, with_draws(CATALOGUE)),
        seeds=tuple(range(5)),
        epochs=100,
        baselines=tuple(BASELINES),
    ),
    "finalists": Study(
        name="selectors_finalists",
        question="Do the best selectors of the sweep beat the baselines on seeds they were not chosen by?",
        arms=arms(FINAL_SETTINGS, FINALISTS),
        seeds=tuple(range(100, 110)),
        epochs=100,
        baselines=tuple(BASELINES),
    ),
    "again": Study(
        name="selectors_again",
        question="Are independent draws and remaining error ahead of round-robin with the defaults?",
        arms=tuple(
            Arm(name, DEFAULTS, selector)
            for name, selector in {
                **BASELINES,
                "remaining error": FINALISTS["remaining error"],
            }.items()
        ),
        seeds=tuple(range(110, 123)),
        epochs=100,
        baselines=tuple(BASELINES),
    ),
}

if __name__ == "__main__":
    sys.exit(main("selectors", STUDIES, flag="part"))
