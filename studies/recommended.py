"""What do the library's defaults give, all together? On seeds that nothing was chosen by.

    python -m studies.recommended --environment navigation2d
    python -m studies.recommended --environment half_cheetah
    python -m studies.recommended --environment ant

The defaults are a modern SAC, the reward on the next state, goals held for 100 steps; beside them the
paper's agent, reward and duration with independent uniform draws. Few epochs: the question is speed.
"""

import sys
from dataclasses import replace

from autotelic import paper
from autotelic.learner.setting import Setting
from autotelic.selectors import RemainingError, RoundRobin, Uniform
from studies.command import main
from studies.study import Arm, Study

SELECTORS = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "remaining error": RemainingError(),
}
THE_PAPER = "the paper's setting, uniform"


def study(name: str, the_paper: Setting, seeds: range, epochs: int, evaluate_every: int) -> Study:
    """The defaults with each selector, and the paper's setting, in one of the environments."""
    defaults = Setting(environment=the_paper.environment, hidden_units=the_paper.hidden_units)
    # What "auto" stands for today, so that runs from before another choice are not taken for these.
    defaults = replace(defaults, steps_per_goal=defaults.steps_per_visit)
    return Study(
        name=f"recommended_{name}",
        question=f"How fast do the library's defaults learn in {the_paper.environment}?",
        arms=(
            *(Arm(name, defaults, selector) for name, selector in SELECTORS.items()),
            Arm(THE_PAPER, the_paper, Uniform()),
        ),
        seeds=tuple(seeds),
        epochs=epochs,
        baselines=("round-robin", THE_PAPER),
        evaluate_every=evaluate_every,
    )


STUDIES = {
    "navigation2d": study("navigation2d", paper.NAVIGATION_2D, range(100, 110), 40, 2),
    "half_cheetah": study("half_cheetah", paper.HALF_CHEETAH, range(200, 205), 25, 5),
    "ant": study("ant", paper.ANT, range(200, 203), 25, 5),
}

if __name__ == "__main__":
    sys.exit(main("recommended", STUDIES, flag="environment"))
