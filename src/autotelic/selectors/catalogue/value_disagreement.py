"""VDS: goals whose value the critics disagree about."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class ValueDisagreement(ComposedSelector):
    """Goals in proportion to the disagreement of an ensemble of critics about their value (VDS).

    p(g) proportional to the spread (`value_spread`, a standard deviation over the ensemble) of V(s_0, g)
    from a start state: it is small for goals mastered, and for goals that nothing is known to lead to.
    Uniform if all critics agree. The reference has three critics and draws from 1000 candidates.

    Args:
        epsilon: the share of practice that is spread evenly.

    Reference: Zhang, Abbeel and Pinto (2020), Automatic Curriculum Learning through Value Disagreement.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = ValueDisagreement()
    >>> outcome = VisitOutcome(0, [[0.5, 0.5]] * 2, value_spread=[0.1, 0.3])
    >>> state = selector.update(selector.init(num_goals=2), outcome)
    >>> selector.selection_probabilities(state)
    array([0.25, 0.75])
    """

    shell_name = "value-disagreement"

    epsilon: float = 0.0

    def parts(self) -> Parts:
        """The spread of all goals as it is now, in proportion."""
        return Parts(signals.ValueSpread(), rules.EpsilonProportional(self.epsilon))
