"""MEGA: the rarest goals within reach."""

from dataclasses import dataclass

from autotelic import _validate
from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Frontier(ComposedSelector):
    """Goals within reach where the learner has seldom been: p(g) proportional to density^-sharpness.

    The density is a kernel estimate from a sample of the places reached so far (`achieved`), with a
    Gaussian kernel on standardised axes, at the places of the goals. A goal is within reach if some place
    reached lies no further from it than half the spacing of goals; with a critic, if its value is high
    enough (`within`).

    MEGA draws 500 of the places reached as candidates, leaves out those of low value, and pursues the one
    of lowest density. Here the candidates are the goals of a finite set, and p(g) tends to MEGA's choice
    as the sharpness grows. MEGA adapts its cut-off by the success of late; ours stays. As with MEGA, a
    goal that the learner never came near is not practised: exploring on the way has to lead there. If at
    first none is within reach, the nearest is practised alone; mix in other goals where that may happen.
    A visit to a goal that does not come near it counts as time spent there, so that a goal touched once and
    never again is left for others.

    Args:
        sharpness: 0 is uniform over the goals within reach, 1 the inverse of the density.
        within: "distance", "value" or "value_quantile": what says that a goal is within reach.
        cutoff: of it, by default 0.5 times the spacing of goals, or the 0.3 quantile of values. A value
            must be given: MEGA's -3, of rewards -1 and 0, is 47 of `Reach`'s 0 and 1 at a discount of 0.98.
        bandwidth: of the kernel, in standard deviations of the places reached; 0.1 is MEGA's.

    Reference: Pitis et al. (2020), Maximum Entropy Gain Exploration for Long Horizon Multi-goal
    Reinforcement Learning.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = Frontier(sharpness=1.0, bandwidth=1.0)
    >>> reached = [[0.0], [0.0], [0.0], [1.0]]  # thrice at the first goal, once at the second
    >>> outcome = VisitOutcome(
    ...     0, [[0.4, 0.3, 0.3]] * 2, achieved=reached, places=[[0.0], [1.0], [2.0]]
    ... )
    >>> state = selector.update(selector.init(num_goals=3), outcome)
    >>> selector.selection_probabilities(state).round(3)  # the third is out of reach
    array([0.282, 0.718, 0.   ])
    """

    version = 3
    shell_name = "frontier"

    sharpness: float = 2.0
    within: str = "distance"
    cutoff: float | None = None
    bandwidth: float = 0.1

    def parts(self) -> Parts:
        """Rarity, by a softmax of its logarithm."""
        _validate.number("sharpness", self.sharpness, above=0.0)
        signal = signals.Rarity(self.within, self.cutoff, self.bandwidth)
        return Parts(signal, rules.Softmax(1.0 / self.sharpness))
