"""Where does Diversity Progress' advantage come from? 2D navigation at the paper's setting.

    python -m studies.attribution

Each control takes one thing away: learning from p(g) (uniform), the variance of the schedule
(round-robin, low-variance draws), the link from progress to the goal (shuffled feedback), and all
progress but the first round's order (first round only). Shuffled feedback can only show something where
p(g) departs from uniform, so three readings that are made to depart are shuffled too. Learning itself is
taken away after 50 epochs: what of the signal is left when trained skills no longer change? Episodes
have 100 steps, so windows 250 steps apart lie at different times within an episode, and windows 500
steps apart at the same.
"""

import sys
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _streams, paper
from autotelic.selectors import (
    DiversityProgress,
    RoundRobin,
    Selector,
    Uniform,
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
        partners = _streams.generator("shuffled feedback", state.values // num_goals).permutation(
            num_goals
        )
        inner = self.rule.update(state.rule, int(partners[goal]), value)
        return ShuffledState(inner, state.values + 1)

    def probabilities(self, state: ShuffledState) -> Array:
        """The inner rule's."""
        return self.rule.probabilities(state.rule)


# The paper's windows of Figure 1(a), a quarter of the 1000 steps each, and its lower temperature.
DP = DiversityProgress(temperature=0.1)
FIRST_ROUND_ONLY = Selector(signals.Competence(), rules.Even(), warm_up=1)
SAME_TIME = replace(DP, offset=500, smoothing=250)
DEPARTING = {
    "DP, T = 0.015": replace(DP, temperature=0.015),
    "DP, own goal, T = 0.04": replace(DP, attribution="own_goal", temperature=0.04),
    "DP, previous visit, T = 0.03": replace(DP, reference="previous_visit", temperature=0.03),
    "DP, T = 0.01": replace(DP, temperature=0.01),
}
"""Temperatures at which p(g) effectively holds 15 of the 20 goals or fewer; at T = 0.015 just above."""


def shuffled(selector: DiversityProgress) -> Selector:
    """The same selector with its feedback credited to other goals."""
    signal, rule, warm_up = selector.parts()
    return Selector(signal, Shuffled(rule), warm_up, draw=selector.draw)


SETTING = paper.NAVIGATION_2D
LOW_VARIANCE = replace(DP, draw="low_variance")
# Uniform with low-variance draws is round-robin, goal by goal.
SELECTORS = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "DP": DP,
    "DP, low variance": LOW_VARIANCE,
    "DP, shuffled": shuffled(DP),
    "DP, shuffled, low variance": shuffled(LOW_VARIANCE),
    "first round, then uniform": FIRST_ROUND_ONLY,
    "DP, offset 500": SAME_TIME,
    **{
        name: chosen
        for arm, selector in DEPARTING.items()
        for name, chosen in {arm: selector, f"{arm}, shuffled": shuffled(selector)}.items()
    },
}
FREEZE_AFTER = 50
FROZEN = {
    "DP, never learned": Arm("DP, never learned", replace(SETTING, frozen=True), DP, "frozen"),
    **{
        f"{name}, frozen after {FREEZE_AFTER} epochs": Arm(
            f"{name}, frozen after {FREEZE_AFTER} epochs",
            replace(SETTING, freeze_after=FREEZE_AFTER),
            SELECTORS[name],
            "frozen",
        )
        for name in ("DP", "DP, offset 500", "DP, previous visit, T = 0.03")
    },
}

STUDY = Study(
    name="attribution",
    question="Where does the advantage of Diversity Progress over independent uniform draws come from?",
    arms=(
        *(Arm(name, SETTING, selector) for name, selector in SELECTORS.items()),
        *FROZEN.values(),
    ),
    seeds=tuple(range(10)),
    epochs=100,
    baselines=("uniform", "round-robin"),
)

if __name__ == "__main__":
    sys.exit(main("attribution", {"": STUDY}))
