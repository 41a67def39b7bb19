"""Sampling for learnability: goals neither mastered nor hopeless."""

from dataclasses import dataclass
from typing import ClassVar

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Learnability(ComposedSelector):
    """Goals neither mastered nor hopeless: the best `share` by c (1 - c), mixed with uniform.

    c is a mean over the goal's last `window` visits: by default one, or ten where visits have success,
    which one episode has or has not: of a single one c (1 - c) is always 0. With `reached` goals reached
    on the way count as visited, and successful.

    Reference: Rutherford et al. (2024), No Regrets: Investigating and Improving Regret
    Approximations for Curriculum Discovery (sampling for learnability).

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = Learnability(share=0.5)
    >>> state = selector.init(num_goals=2)
    >>> state = selector.update(state, VisitOutcome(0, [[1.0, 0.0]] * 2))  # mastered
    >>> selector.selection_probabilities(state)
    array([0.25, 0.75])
    """

    version: ClassVar[int] = 3
    shell_name = "learnability"

    share: float = 0.25
    epsilon: float = 0.5
    competence: str = "certainty"
    window: int | None = None
    reached: bool = False

    def parts(self) -> Parts:
        """c (1 - c), the top share of it."""
        return Parts(
            signals.SuccessVariance(self.competence, window=self.window, reached=self.reached),
            rules.TopShare(self.epsilon, share=self.share),
        )
