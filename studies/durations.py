"""How long should a goal be held?

    python -m studies.durations --environment navigation2d
    python -m studies.durations --environment half_cheetah
    python -m studies.durations --environment ant

2D navigation has episodes of 100 steps: from ten of them, the paper's duration, to a tenth of one, in
rounds. With fewer steps than an episode's, goals change on the way: a skill then also starts where
another has led. Half-Cheetah has episodes of 1000 steps and learns far more slowly, so that only the
durations that 2D does not rule out are compared, with the agent of the library's defaults. In Ant the
question is whether the default duration suits it: with the paper's agent 100 steps turned out worse
than 1000 there (paper_scale), unlike in 2D.
"""

import sys
from dataclasses import replace

from autotelic import paper
from autotelic.agents import Sac
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.selectors import RoundRobin
from studies.command import main
from studies.study import Arm, Study

DURATIONS = (1000, 200, 100, 50, 20, 10)
SETTINGS = {
    "the paper's agent": paper.NAVIGATION_2D,
    "modern SAC": replace(paper.NAVIGATION_2D, agent=Sac(tune_entropy=False), objective=Diayn()),
}


def with_defaults(
    name: str, environment: str, durations: tuple[int, ...], epochs: int, evaluate_every: int
) -> Study:
    """A few durations in a large environment, with the agent of the library's defaults."""
    setting = Setting(environment=environment, hidden_units=300)
    return Study(
        name=f"durations_{name}",
        question=f"How long should a goal be held in {environment}?",
        arms=tuple(
            Arm(f"{steps} steps", replace(setting, steps_per_goal=steps), RoundRobin())
            for steps in durations
        ),
        seeds=tuple(range(5)),
        epochs=epochs,
        baselines=("100 steps",),
        evaluate_every=evaluate_every,
    )


STUDIES = {
    "navigation2d": Study(
        name="durations",
        question="How long should a goal be held?",
        arms=tuple(
            Arm(f"{steps} steps", replace(setting, steps_per_goal=steps), RoundRobin(), condition)
            for condition, setting in SETTINGS.items()
            for steps in DURATIONS
        ),
        seeds=tuple(range(5)),
        epochs=100,
        baselines=("1000 steps",),
    ),
    "half_cheetah": with_defaults("half_cheetah", "HalfCheetah-v5", (200, 100, 50), 20, 10),
    "ant": with_defaults("ant", "Ant-v5", (1000, 100), 60, 15),
}

if __name__ == "__main__":
    sys.exit(main("durations", STUDIES, flag="environment"))
