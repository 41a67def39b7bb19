"""Does it hold at the paper's scale? Half-Cheetah and Ant, 20 goals, 300 hidden units.

    python -m studies.paper_scale --environment half_cheetah
    python -m studies.paper_scale --environment ant

Diversity Progress has the settings of the paper's figures: Figure 3's for Half-Cheetah, Figure 1(c)'s
for Ant.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
from autotelic.learner.setting import Setting
from autotelic.selectors import GoalSelector, LearnedPrior, RemainingError, RoundRobin, Uniform
from studies.command import main
from studies.study import Arm, Study

SHORT_VISITS: Mapping[str, GoalSelector] = {
    "round-robin, 100 steps": RoundRobin(),
    "remaining error, 100 steps": RemainingError(),
}
"""The best of the study of selectors, chosen before the seeds below were trained: goals held for 100
steps, in rounds or by what is left to learn, the reward's prior uniform."""


def study(
    name: str, setting: Setting, progress: GoalSelector, seeds: int, evaluate_every: int
) -> Study:
    """The same comparison in one of the environments."""
    selectors = {
        "uniform": Uniform(),
        "round-robin": RoundRobin(),
        "DP": progress,
        "learned prior": LearnedPrior(),
    }
    uniform_prior = replace(setting.objective, reward_prior="uniform")  # type: ignore[type-var]
    short = replace(setting, steps_per_goal=100, objective=uniform_prior)
    return Study(
        name=f"paper_scale_{name}",
        question=f"Which selector learns fastest in {setting.environment} at the paper's scale?",
        arms=(
            *(Arm(name, setting, selector) for name, selector in selectors.items()),
            *(Arm(name, short, selector) for name, selector in SHORT_VISITS.items()),
        ),
        seeds=tuple(range(200, 200 + seeds)),
        epochs=100,
        baselines=("uniform", "round-robin", "round-robin, 100 steps"),
        evaluate_every=evaluate_every,
    )


# A measurement takes 200 episodes of every learner, so there are fewer of them than in 2D.
STUDIES = {
    "half_cheetah": study(
        "half_cheetah",
        paper.HALF_CHEETAH,
        paper.FIGURES["fig3"].methods["DIAYN+DP"],
        seeds=5,
        evaluate_every=20,
    ),
    "ant": study(
        "ant", paper.ANT, paper.FIGURES["fig1c"].methods["DP, T = 0.1"], seeds=3, evaluate_every=25
    ),
}

if __name__ == "__main__":
    sys.exit(main("paper_scale", STUDIES, flag="environment"))
