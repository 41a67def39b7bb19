"""Bidirectional learning progress."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class BidirectionalProgress(ComposedSelector):
    """Goals whose success of late differs from before, up or down, after a first round.

    Two running means of success, the one following c, the other the first; both are reweighted,
    r(p) = p (1 - w) / (p + w (1 - 2 p)), so that differences between small rates count for more. The
    distance between the two is made a standard score over goals, and p(g) is in proportion to its sigmoid.

    Args:
        rate: of the running means; 0.1 is that of published code.
        weight: w; 0.1 is the reference's.
        floor: the share of p(g) that is spread evenly, ours.
        competence: "success", or "certainty" for the mean q(g|s).

    Reference: Kanitscheider et al. (2021), Multi-task curriculum learning in a complex, visual,
    hard-exploration domain: Minecraft.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = BidirectionalProgress(floor=0.0)
    >>> state = selector.init(num_goals=2)
    >>> for goal, success in [(0, 0.0), (1, 0.5), (0, 0.5), (1, 0.5)]:
    ...     state = selector.update(state, VisitOutcome(goal, [[0.5, 0.5]] * 2, success=success))
    >>> selector.selection_probabilities(state).round(3)  # standard scores 1 and -1
    array([0.731, 0.269])
    """

    shell_name = "bidirectional-progress"

    rate: float = 0.1
    weight: float = 0.1
    floor: float = 0.1
    competence: str = "success"

    def parts(self) -> Parts:
        """The distance of two running means, by its standard score."""
        signal = signals.BidirectionalProgress(self.competence, self.rate, self.weight)
        return Parts(signal, rules.StandardScores(epsilon=self.floor), warm_up=1)
