"""The selector that knows when to step back."""

from dataclasses import dataclass, field

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts

FLOOR = 0.1


@dataclass(frozen=True)
class AutoSelector(ComposedSelector):
    """Goals whose success is an open question; every goal alike as long as none differs from another.

    How it decides, after a first round:

    1. It counts successes and failures of each goal. Earlier visits to the goal count less and less, so
       about three are seen; what is known of any goal fades by half in `memory` rounds of |G| visits.
    2. If the success rates of goals do not differ by more than chance (a chi-square test of homogeneity),
       it steps back: every goal alike, which with its low-variance draws is round-robin.
    3. Otherwise p(g) is in proportion to how open it is whether the goal succeeds: (q (1 - q))^3 with the
       success rate q, to which a fifth of a success and a tenth of a failure are added. That is large at
       goals that succeed at times, because they are being learned or forgotten, and at goals of which
       little is known; small at goals mastered and goals that never succeed.
    4. Goals given up and goals mastered are visited again when what is known of them has faded, and a
       tenth of practice is spread evenly, always.

    It takes the success of a visit where that is given, and otherwise its competence or mean certainty.
    A candidate: its constants were chosen with a simulated learner (`autotelic.simulation`).

    Args:
        memory: in rounds; shorter returns sooner to goals given up.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = AutoSelector()
    >>> state = selector.init(num_goals=3)
    >>> for goal, success in [(0, 1.0), (1, 0.5), (2, 0.0)] * 4:
    ...     outcome = VisitOutcome(goal, [[0.4, 0.3, 0.3]] * 2, success=success)
    ...     state = selector.update(state, outcome)
    >>> selector.selection_probabilities(state).round(2)  # mastered, open, hopeless
    array([0.04, 0.91, 0.05])
    """

    shell_name = "auto"

    memory: float = 10.0
    draw: str = field(default="low_variance", kw_only=True)

    def parts(self) -> Parts:
        """Openness of all goals, in proportion, after a first round."""
        signal = signals.OpenQuestion(self.memory)
        return Parts(signal, rules.EpsilonProportional(FLOOR), warm_up=1)
