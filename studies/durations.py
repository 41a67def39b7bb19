"""How long should a goal be held?

    python -m studies.durations --environment navigation2d

2D navigation has episodes of 100 steps: from ten of them, the paper's duration, to a tenth of one, in
rounds. With fewer steps than an episode's, goals change on the way: a skill then also starts where
another has led.
"""

import sys
from dataclasses import replace

from autotelic import paper
from autotelic.agents import Sac
from autotelic.objectives import Diayn
from autotelic.selectors import RoundRobin
from studies.command import main
from studies.study import Arm, Study

DURATIONS = (1000, 200, 100, 50, 20, 10)
SETTINGS = {
    "the paper's agent": paper.NAVIGATION_2D,
    "modern SAC": replace(paper.NAVIGATION_2D, agent=Sac(tune_entropy=False), objective=Diayn()),
}

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
    )
}

if __name__ == "__main__":
    sys.exit(main("durations", STUDIES, flag="environment"))
