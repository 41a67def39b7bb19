"""Skew-Fit: goals met, towards uniform."""

from dataclasses import dataclass

from autotelic import _validate
from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class SkewFit(ComposedSelector):
    """Goals met so far, with p(g) proportional to density^alpha.

    The density is that of the places reached, as with `Frontier`; a goal is met once some place reached
    lies within half the spacing of goals. The reference weighs *samples* of the states met by
    density^alpha, which for alpha = -1 makes their distribution uniform. With goals that are themselves
    a sample of states met it is just that. Goals of a list or a grid are spread by whoever made it: then
    alpha -> 0 is what makes practice even over those met, and -1 prefers the rarer. A visit to a goal that
    does not come near it counts as time spent there, as with `Frontier`.

    Args:
        alpha: in [-1, 0); -1 is the reference's for most of its tasks (the values are quoted from memory).
        bandwidth: of the kernel, in standard deviations of the places reached.

    Reference: Pong et al. (2020), Skew-Fit: State-Covering Self-Supervised Reinforcement Learning.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = SkewFit(alpha=-0.5, bandwidth=1.0)
    >>> reached = [[0.0], [0.0], [0.0], [1.0]]
    >>> outcome = VisitOutcome(0, [[0.6, 0.4]] * 2, achieved=reached, places=[[0.0], [1.0]])
    >>> state = selector.update(selector.init(num_goals=2), outcome)
    >>> selector.selection_probabilities(state).round(3)
    array([0.386, 0.614])
    """

    version = 3
    shell_name = "skew-fit"

    alpha: float = -1.0
    bandwidth: float = 0.1

    def parts(self) -> Parts:
        """Rarity, by a softmax of its logarithm."""
        _validate.number("alpha", self.alpha, minimum=-1.0, maximum=0.0)
        if self.alpha == 0:
            raise ValueError("alpha must be below 0, got 0: use Uniform for every goal alike")
        return Parts(signals.Rarity(bandwidth=self.bandwidth), rules.Softmax(-1.0 / self.alpha))
