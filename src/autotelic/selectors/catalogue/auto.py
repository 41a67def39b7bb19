"""The selector that knows when to step back."""

from dataclasses import dataclass, field

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class AutoSelector(ComposedSelector):
    """Goals whose success is an open question, at the edge of what was reached where goals are places; every
    goal alike as far as none differs from another.

    How it decides, after a first round:

    1. It counts successes and failures of each goal. Earlier visits to the goal count less and less, so
       about five are seen. A goal that was reached on the way to another has succeeded in half a visit.
       What is known of any goal fades by half in `memory` rounds of |G| visits.
    2. p(g) is in proportion to how open it is whether the goal succeeds: (q (1 - q))^4 with the success
       rate q, to which a fifth of a success and a tenth of a failure are added. That is large at goals
       that succeed at times, because they are being learned or forgotten; middling at goals of which
       little is known; small at goals mastered and goals that never succeed.
    3. It steps back from that towards every goal alike, by the share of the differences between goals
       that chance explains. If success rates differ no more than by chance, it is nearly round-robin.
       Chance is the less the more episodes a visit has (`count`), and where success is graded it is
       told by how success varies. However much goals differ, some practice stays even, so that none is
       given up for good: a ninth, and an eighteenth at least where many goals are reached on the way or
       visits have several episodes.
    4. Where goals have places (`achieved`, `places`), half of practice goes by that. The other half goes
       by that over the density of places reached, among goals that some place reached is near to: to the
       edge of what was reached. Half of what step 3 leaves even stays even.

    It takes the success of a visit where that is given, and otherwise its competence or mean certainty;
    `reached`, the goals reached on the way, and places, where they are given. Its constants were chosen
    with a simulated learner (`autotelic.simulation`).

    Args:
        memory: in rounds; shorter returns sooner to goals given up.
        reached: whether goals reached on the way count, where they are given.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = AutoSelector()
    >>> state = selector.init(num_goals=3)
    >>> for goal, success in [(0, 1.0), (1, 0.5), (2, 0.0)] * 4:
    ...     outcome = VisitOutcome(goal, [[0.4, 0.3, 0.3]] * 2, success=success, count=2)
    ...     state = selector.update(state, outcome)
    >>> selector.selection_probabilities(state).round(2)  # mastered, open, hopeless
    array([0.05, 0.9 , 0.05])
    """

    version = 5
    shell_name = "auto"

    memory: float = 10.0
    reached: bool = True
    draw: str = field(default="low_variance", kw_only=True)

    def parts(self) -> Parts:
        """Openness and rarity of all goals, in proportion, after a first round."""
        rule = rules.EpsilonProportional(epsilon=0.0)  # the signal has its even part
        return Parts(signals.OpenFrontier(self.memory, self.reached), rule, warm_up=1)
