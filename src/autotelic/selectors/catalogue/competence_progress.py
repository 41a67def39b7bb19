"""The goal of the largest increase in competence."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class CompetenceProgress(ComposedSelector):
    """The goal of the largest average increase in competence, epsilon-greedy.

    V_g <- V_g + step_size (c - c at the previous visit - V_g), signed; goals never tried start at
    `optimism`. With `reached` goals reached on the way count as visited, and successful. In the spirit
    of the reference rather than its exact equations.

    Reference: Stout and Barto (2010), Competence Progress Intrinsic Motivation.

    >>> selector = CompetenceProgress()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    shell_name = "competence-progress"

    step_size: float = 0.1
    epsilon: float = 0.1
    optimism: float = 0.1
    competence: str = "certainty"
    reached: bool = False

    def parts(self) -> Parts:
        """Gain since the previous visit, averaged, epsilon-greedy."""
        signal = signals.Gain(self.competence, optimism=self.optimism, reached=self.reached)
        return Parts(signal, rules.EpsilonGreedy(self.epsilon, step_size=self.step_size))
