"""Where does Diversity Progress' advantage come from? 2D navigation at the paper's setting.

    python -m studies.attribution

Each control takes one thing away: learning from p(g) (uniform), the variance of the schedule
(round-robin, low-variance draws), the link from progress to the goal (shuffled feedback), all
progress but the first round's order (first round only), and learning itself (a frozen agent: what
the selector does where there is nothing to see).
"""

import sys
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import paper
from autotelic.selectors import (
    DiversityProgress,
    RoundRobin,
    Selector,
    Uniform,
    competence,
    rules,
    signals,
)
from studies.command import main
from studies.study import Arm, Study

Array = npt.NDArray[np.float64]


class ShuffledState(NamedTuple):
    """The inner rule's state, and how many values there were."""

    rule: Any
    values: int


@dataclass(frozen=True)
class Shuffled(rules.Rule):
    """Gives the inner rule each value as another goal's: goal g's counts as goal sigma(g)'s.

    sigma is a random permutation, a new one for every |G| values, so that in the first round every
    goal gets one value; the same for all learners. The values, and how unequal p(g) is, are those of
    the inner rule; only what they tell about goals is lost.
    """

    rule: rules.Rule

    def init(self, num_goals: int, untried: float) -> ShuffledState:
        """No values yet."""
        return ShuffledState(self.rule.init(num_goals, untried), 0)

    def update(self, state: ShuffledState, goal: int, value: float) -> ShuffledState:
        """The value goes to the goal's partner."""
        num_goals = len(self.probabilities(state))
        partners = np.random.default_rng(state.values // num_goals).permutation(num_goals)
        inner = self.rule.update(state.rule, int(partners[goal]), value)
        return ShuffledState(inner, state.values + 1)

    def probabilities(self, state: ShuffledState) -> Array:
        """The inner rule's."""
        return self.rule.probabilities(state.rule)


# The paper's windows of Figure 1(a), a quarter of the 1000 steps each, and its lower temperature.
DP = DiversityProgress(temperature=0.1)
SHUFFLED = Selector(signals.Progress(), Shuffled(rules.Softmax(DP.temperature)), warm_up=1)
FIRST_ROUND_ONLY = Selector(competence.Competence(), rules.Even(), warm_up=1)

SETTING = paper.NAVIGATION_2D
# Uniform with low-variance draws is round-robin, goal by goal.
SELECTORS = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "DP": DP,
    "DP, low variance": replace(DP, draw="low_variance"),
    "DP, shuffled": SHUFFLED,
    "DP, shuffled, low variance": replace(SHUFFLED, draw="low_variance"),
    "first round, then uniform": FIRST_ROUND_ONLY,
}
FROZEN = {name: SELECTORS[name] for name in ("DP", "DP, low variance")}

STUDY = Study(
    name="attribution",
    question="Where does the advantage of Diversity Progress over independent uniform draws come from?",
    arms=(
        *(Arm(name, SETTING, selector) for name, selector in SELECTORS.items()),
        *(
            Arm(f"{name}, nothing learned", replace(SETTING, frozen=True), selector, "frozen agent")
            for name, selector in FROZEN.items()
        ),
    ),
    seeds=tuple(range(10)),
    epochs=100,
    baselines=("uniform", "round-robin"),
)

if __name__ == "__main__":
    sys.exit(main("attribution", {"": STUDY}))
