"""Can a selector beat round-robin? Candidates on 2D navigation, by the seeds for design.

    python -m studies.candidates

Goals are held for one episode, so that there is much to learn from: 50 visits to each goal in 100
epochs, not 5. The reward's prior is uniform: what is practised more is not paid less for it. All draw
with low variance.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
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

SETTING = replace(
    paper.NAVIGATION_2D,
    steps_per_goal=100,
    objective=Diayn(reward_state="obs", reward_prior="uniform"),
)
DP = DiversityProgress(temperature=0.1, draw="low_variance")
PROBE = replace(DP, reference="probe")
REMAINING = RemainingError(draw="low_variance")

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

STUDY = Study(
    name="candidates",
    question="Which selectors could beat round-robin when goals are held for an episode?",
    arms=tuple(Arm(name, SETTING, selector) for name, selector in CANDIDATES.items()),
    seeds=tuple(range(5)),
    epochs=100,
    baselines=("uniform", "round-robin"),
)

if __name__ == "__main__":
    sys.exit(main("candidates", {"": STUDY}))
