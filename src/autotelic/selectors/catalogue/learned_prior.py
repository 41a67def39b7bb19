"""VIC as in DIAYN's code: p(g) fitted to the certainty of goals."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class LearnedPrior(ComposedSelector):
    """p(g) = softmax of the mean log q(g|s) over each goal's last `memory` steps; unseen goals
    count as chance.

    What DIAYN's code ran for its comparison with VIC. It is the exact maximiser of H(p) + sum_g
    p(g) mean log q(g|s), not REINFORCE; it collapses because goals that are rarely practised lose
    certainty. The memory is in steps, so with shorter visits it spans more of them.

    Reference: Eysenbach et al. (2019), Diversity is All You Need, Appendix E.2.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = LearnedPrior()
    >>> state = selector.update(selector.init(num_goals=2), VisitOutcome(0, [[0.9, 0.1]] * 2))
    >>> selector.selection_probabilities(state).round(3)  # 0.9 : 0.5
    array([0.643, 0.357])
    """

    shell_name = "learned-prior"

    memory: int = 1000

    def parts(self) -> Parts:
        """Remembered log q(g|s), then a softmax at temperature 1."""
        return Parts(signals.LogCertainty(self.memory), rules.Softmax(1.0))
