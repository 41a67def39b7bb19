"""Goals by what is left to learn of them."""

from dataclasses import dataclass, field

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class RemainingError(ComposedSelector):
    """Goals in proportion to what is left to learn of them, (1 - c) ** sharpness, mixed with uniform,
    after a first round, with low-variance draws.

    c is the goal's mean certainty q(g|s). With `fresh` it is judged anew for every goal after every
    visit, on states kept of the goal's last visit (which needs `probe_after`): a goal that another
    has become confused with is seen at once. Otherwise c is that of the goal's last visit.

    Args:
        sharpness: 1 is nearer to uniform, 4 keeps to the least certain goals.
        epsilon: the share of practice that is spread evenly.
        fresh: whether to judge goals that are not being practised.
        competence: "certainty", or "success" for the success rate that you pass (not `fresh`).
        reached: whether goals reached on the way count as visited, and successful.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = RemainingError(sharpness=1.0, epsilon=0.0, fresh=False)
    >>> state = selector.init(num_goals=2)
    >>> state = selector.update(state, VisitOutcome(0, [[0.9, 0.1]] * 2))
    >>> state = selector.update(state, VisitOutcome(1, [[0.7, 0.3]] * 2))
    >>> selector.selection_probabilities(state)  # 0.1 : 0.7
    array([0.125, 0.875])
    """

    shell_name = "remaining-error"

    sharpness: float = 2.0
    epsilon: float = 0.1
    fresh: bool = True
    competence: str = "certainty"
    reached: bool = False
    draw: str = field(default="low_variance", kw_only=True)

    def parts(self) -> Parts:
        """1 - c, in proportion, after a first round."""
        signal = signals.RemainingError(
            self.competence, self.sharpness, self.fresh, reached=self.reached
        )
        return Parts(signal, rules.EpsilonProportional(self.epsilon), warm_up=1)
