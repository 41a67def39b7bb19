"""Can a selector beat round-robin? Candidates on 2D navigation, by the seeds for design.

    python -m studies.candidates --agent paper
    python -m studies.candidates --agent modern
    python -m studies.candidates --agent fast

Goals are held for one episode, so that there is much to learn from: 50 visits to each goal in 100
epochs, not 5. The reward's prior is uniform: what is practised more is not paid less for it. All draw
with low variance.
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

PAPER_AGENT = replace(
    paper.NAVIGATION_2D,
    steps_per_goal=100,
    objective=Diayn(reward_state="obs", reward_prior="uniform"),
)
MODERN_AGENT = replace(PAPER_AGENT, agent=Sac(tune_entropy=False), objective=Diayn())
FAST_AGENT = replace(MODERN_AGENT, learning_rate=1e-3)
DP = DiversityProgress(temperature=0.1, draw="low_variance")
PROBE = replace(DP, reference="probe")
REMAINING = RemainingError(sharpness=1.0, draw="low_variance")

CANDIDATES: Mapping[str, GoalSelector] = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "DP": DP,
    "DP, T 0.02": replace(DP, temperature=0.02),
    "DP, probe": PROBE,
    "DP, probe, T 0.02": replace(PROBE, temperature=0.02),
    "DP, previous visit, absolute": replace(DP, reference="previous_visit", absolute=True),
    "remaining error": REMAINING,
    "remaining error, half uniform": replace(REMAINING, epsilon=0.5),
    "remaining error, squared": replace(REMAINING, sharpness=2.0),
    "remaining error, squared, half uniform": replace(REMAINING, sharpness=2.0, epsilon=0.5),
    "remaining error, last visit": replace(REMAINING, fresh=False),
}
WITH_MODERN_AGENT: Mapping[str, GoalSelector] = {
    name: CANDIDATES[name]
    for name in (
        *("uniform", "round-robin", "DP", "DP, probe"),
        *("remaining error", "remaining error, squared"),
    )
}
SHARPENED: Mapping[str, GoalSelector] = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    **{
        f"remaining error ** {sharpness}": replace(REMAINING, sharpness=float(sharpness))
        for sharpness in (1, 2, 4, 8)
    },
    "remaining error ** 2, independent draws": RemainingError(sharpness=2.0, draw="independent"),
    "remaining error ** 2, last visit": replace(REMAINING, sharpness=2.0, fresh=False),
}
"""How sharp, and is it the low variance, or that every goal is judged anew?"""


def study(name: str, agent: str, setting: Setting, candidates: Mapping[str, GoalSelector]) -> Study:
    """These candidates with one of the agents."""
    return Study(
        name=name,
        question=f"Which selectors could beat round-robin when goals are held for an episode? With {agent}.",
        arms=tuple(Arm(name, setting, selector) for name, selector in candidates.items()),
        seeds=tuple(range(5)),
        epochs=100,
        baselines=("uniform", "round-robin"),
    )


STUDIES = {
    "paper": study("candidates", "the paper's agent", PAPER_AGENT, CANDIDATES),
    "modern": study("candidates_modern", "a modern SAC", MODERN_AGENT, WITH_MODERN_AGENT),
    "fast": study(
        "candidates_fast", "a SAC that learns three times as fast", FAST_AGENT, SHARPENED
    ),
}

if __name__ == "__main__":
    sys.exit(main("candidates", STUDIES, flag="agent"))
