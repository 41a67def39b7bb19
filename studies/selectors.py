"""Does a selector learn a diverse set of skills faster than round-robin? 2D navigation, fresh seeds.

    python -m studies.selectors

With the paper's agent and with a modern one, goals held for an epoch (1000 steps) and for an episode (100
steps). The two selectors beside the baselines were the best of the catalogue on the seeds for design.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
from autotelic.agents import Sac
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.selectors import (
    DiversityProgress,
    GoalSelector,
    RemainingError,
    RoundRobin,
    Uniform,
)
from studies.command import main
from studies.study import Arm, Study

BASELINES: Mapping[str, GoalSelector] = {"uniform": Uniform(), "round-robin": RoundRobin()}
# Uniform with low-variance draws is round-robin.
FINALISTS: Mapping[str, GoalSelector] = {
    "DP, low variance": DiversityProgress(temperature=0.1, draw="low_variance"),
    "remaining error": RemainingError(sharpness=2.0, draw="low_variance"),
}
"""Chosen before the fresh seeds were trained."""

UNIFORM_PRIOR = replace(
    paper.NAVIGATION_2D, objective=Diayn(reward_state="obs", reward_prior="uniform")
)
MODERN = replace(
    paper.NAVIGATION_2D, agent=Sac(tune_entropy=False), objective=Diayn(), steps_per_goal=100
)
DEFAULTS = replace(MODERN, agent=Sac(tune_entropy=True), learning_rate=1e-3)
SETTINGS: Mapping[str, Setting] = {
    "the paper's agent, goals held for 1000 steps": UNIFORM_PRIOR,
    "the paper's agent, goals held for 100 steps": replace(UNIFORM_PRIOR, steps_per_goal=100),
    "SAC, goals held for 100 steps": MODERN,
    "the library's defaults: SAC, tuned entropy, learning rate 1e-3, 100 steps": DEFAULTS,
}
"""Where they are compared: the reward's prior is uniform, so that a selector decides what is practised
and not what is paid."""

STUDY = Study(
    name="selectors_finalists",
    question="Do the best selectors beat the baselines on seeds they were not chosen by?",
    arms=tuple(
        Arm(name, setting, selector, condition)
        for condition, setting in SETTINGS.items()
        for name, selector in {**BASELINES, **FINALISTS}.items()
    ),
    seeds=tuple(range(100, 110)),
    epochs=100,
    baselines=tuple(BASELINES),
)

if __name__ == "__main__":
    sys.exit(main("selectors", {"": STUDY}))
