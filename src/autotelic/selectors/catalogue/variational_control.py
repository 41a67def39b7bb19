"""VIC: p(g) reinforced with the reward of the skills."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class VariationalControl(ComposedSelector):
    """Reinforces p(g) with the reward of the skills, log q(g|s) - log p(g), by REINFORCE with a
    baseline: VIC.

    logits += learning_rate (r - b) (onehot_g - p), with r the visit's mean reward and b the running
    mean of r. No rate is published for one step a visit. At the default a goal that keeps earning
    one nat more than the mean doubles its odds in one to two visits; at 0.1 p(g) would hardly move
    in the hundreds of visits of a run. Expect p(g) to collapse to a few goals.

    Reference: Gregor, Rezende and Wierstra (2016), Variational Intrinsic Control, Algorithm 1, with
    p(g) in place of p(g|s_0).

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = VariationalControl()
    >>> state = selector.update(selector.init(num_goals=2), VisitOutcome(0, [[0.9, 0.1]] * 2))
    >>> selector.selection_probabilities(state).round(3)
    array([0.573, 0.427])
    """

    shell_name = "vic"

    learning_rate: float = 0.5

    def parts(self) -> Parts:
        """The mean log q(g|s) of the visit, by REINFORCE."""
        return Parts(signals.LogCertainty(), rules.Reinforce(self.learning_rate))
