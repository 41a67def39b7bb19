"""Does it hold elsewhere? The paper's future work, on 2D navigation, one change at a time.

python -m studies.robustness
"""

import sys
from dataclasses import replace
from typing import Any

from autotelic import paper
from autotelic.agents import GmmSac
from autotelic.learner.setting import Setting
from autotelic.selectors import DiversityProgress, RemainingError, RoundRobin, Uniform
from studies.command import main
from studies.study import Arm, Study

STANDARD = paper.NAVIGATION_2D

SELECTORS = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "DP, low variance": DiversityProgress(temperature=0.1, draw="low_variance"),
    "remaining error": RemainingError(),
}


def elsewhere(**options: Any) -> Setting:
    """The standard setting in another 2D navigation."""
    return replace(STANDARD, environment_options=options)


def entropy(scale: float) -> Setting:
    """The standard setting with another reward for entropy."""
    return replace(STANDARD, agent=GmmSac(components=4, entropy_scale=scale))


CONDITIONS = {
    "standard (entropy 0.1, 20 goals)": STANDARD,
    # The noise of a step is as large as the largest step along an axis.
    "noisy transitions": elsewhere(noise=0.05),
    "random start": elsewhere(random_start=True),
    "no resets": elsewhere(resets=False),
    "entropy 0": entropy(0.0),
    "entropy 0.01": entropy(0.01),
    "entropy 1": entropy(1.0),
    "5 goals": replace(STANDARD, num_goals=5),
    "50 goals": replace(STANDARD, num_goals=50),
}

STUDY = Study(
    name="robustness",
    question="Do the differences between selectors survive noise, other starts, a life without resets, "
    "other entropy scales and other numbers of goals?",
    arms=tuple(
        Arm(name, setting, selector, condition)
        for condition, setting in CONDITIONS.items()
        for name, selector in SELECTORS.items()
    ),
    seeds=tuple(range(5)),
    epochs=100,
    baselines=("uniform", "round-robin"),
)

if __name__ == "__main__":
    sys.exit(main("robustness", {"": STUDY}))
