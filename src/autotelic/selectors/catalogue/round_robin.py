"""Every goal once a round: the control that a learned selector has to beat."""

import math
from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class RoundRobin(ComposedSelector):
    """Every goal once a round, in random order, for ever: uniform selection without its variance.

    The control that a learned selector has to beat: Diversity Progress begins with one such round.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = RoundRobin()
    >>> state = selector.update(selector.init(num_goals=3), VisitOutcome(1, [[0.2, 0.5, 0.3]] * 2))
    >>> selector.selection_probabilities(state)
    array([0.5, 0. , 0.5])
    """

    version = 3
    shell_name = "round-robin"

    def parts(self) -> Parts:
        """Warm-up rounds without end."""
        return Parts(signals.Competence(), rules.Even(), warm_up=math.inf)
