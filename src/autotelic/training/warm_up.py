"""Goals before learning begins: in rounds, each goal once, and the same for all methods of a seed.

Nothing is learned until `first_update` steps are collected, so a selector that were asked and told
from the first visit on would rank goals by noise (in Half-Cheetah half of its first round).
"""

from typing import NamedTuple

import numpy as np

from autotelic import _streams
from autotelic.selectors.distributions import uniform_over


class Choice(NamedTuple):
    """A goal, and the distribution [goals] it was drawn from: uniform over those left in the round."""

    goal: int
    selection: np.ndarray


def choose(seed: int, visit: int, num_goals: int) -> Choice:
    """The goal of a visit: a function of the learner's seed and the visit's number alone."""
    turn, place = divmod(visit, num_goals)
    order = _streams.generator("warm-up goals", seed, turn).permutation(num_goals)
    left = np.zeros(num_goals, bool)
    left[order[place:]] = True
    return Choice(int(order[place]), uniform_over(left))
