"""CURIOUS: goals by their absolute change of competence."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Curious(ComposedSelector):
    """Goals in proportion to their absolute change of competence, mixed with uniform.

    CP = |sum of the recent w - sum of the w before| / 2w with w = min(n // 2, window), and 0 until
    n > 2; p = epsilon / |G| + (1 - epsilon) CP / sum CP. (The factor 1/2 cancels and is left out
    here.) The window of 300 is the published one, for queues of many episodes; with one value a
    visit it makes CP compare the two halves of everything seen. With `reached` goals reached on the way
    count as visited, and successful.

    Reference: Colas et al. (2019), CURIOUS: Intrinsically Motivated Modular Multi-Goal
    Reinforcement Learning.

    >>> selector = Curious(window=10)
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    version = 3
    shell_name = "curious"

    window: int = 300
    epsilon: float = 0.4
    competence: str = "certainty"
    reached: bool = False

    def parts(self) -> Parts:
        """The gap between two halves of the history, in proportion."""
        signal = signals.HalvesGap(self.competence, window=self.window, reached=self.reached)
        return Parts(signal, rules.EpsilonProportional(self.epsilon))
