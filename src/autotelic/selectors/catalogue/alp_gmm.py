"""ALP-GMM: where in goal space competence changes."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class AlpGmm(ComposedSelector):
    """Where in goal space competence changes, by mixtures of Gaussians over place and progress (ALP-GMM).

    Absolute learning progress (ALP) of a visit is |c - c at the nearest earlier place|, of all earlier
    ones, and 0 until there are more than five. Every `refit`
    visits a mixture is fitted to (place, ALP) of as many last ones, with 2 to `largest` Gaussians by
    Akaike's criterion. A Gaussian is drawn in proportion to its mean ALP, a goal in proportion to its
    density there; with probability epsilon any goal. Uniform before the first fit. The reference draws
    tasks from the Gaussian itself; here goals are of a finite set.

    Args:
        refit: 250 visits are the reference's.
        largest: number of Gaussians.
        epsilon: 0.2 is the reference's.
        competence: "success", or "certainty" for the mean q(g|s).
        reached: whether goals reached on the way count as visited, and successful.

    Reference: Portelas et al. (2020), Teacher algorithms for curriculum learning of Deep RL in
    continuously parameterized environments.

    >>> selector = AlpGmm()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    version = 3
    shell_name = "alp-gmm"

    refit: int = 250
    largest: int = 10
    epsilon: float = 0.2
    competence: str = "success"
    reached: bool = False

    def parts(self) -> Parts:
        """The mixture's shares, mixed with uniform."""
        signal = signals.MixtureProgress(
            self.competence, self.refit, self.largest, reached=self.reached
        )
        return Parts(signal, rules.EpsilonProportional(self.epsilon))
