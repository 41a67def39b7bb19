"""DIAYN's selector: every goal alike."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Uniform(ComposedSelector):
    """Every goal with the same probability, always: DIAYN's selector.

    Reference: Eysenbach et al. (2019), Diversity is All You Need.

    >>> selector = Uniform()
    >>> selector.selection_probabilities(selector.init(num_goals=4))
    array([0.25, 0.25, 0.25, 0.25])
    """

    version = 3
    shell_name = "diayn"

    def parts(self) -> Parts:
        """Nothing that is learned changes p(g); the certainty is recorded."""
        return Parts(signals.Competence(), rules.Even())
