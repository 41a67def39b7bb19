"""Goals by absolute learning progress (RIAC, ALP-GMM)."""

from dataclasses import dataclass

from autotelic import _validate
from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts

ESTIMATORS = ("previous_visit", "halves")


@dataclass(frozen=True)
class AbsoluteLearningProgress(ComposedSelector):
    """Goals in proportion to absolute learning progress, mixed with uniform, after two rounds.

    ALP is |c - c at the previous visit| (`estimator="previous_visit"`, as in ALP-GMM with the
    nearest previous task being the goal itself) or |mean of the recent half - mean of the half
    before| over the last 2 x `window` visits (`estimator="halves"`, as in RIAC). Two rounds of
    every goal stand for the random bootstrap of the references: the first change can only be seen
    at the second visit. With `reached` goals reached on the way count as visited, and successful.

    References: Baranes and Oudeyer (2013), SAGG-RIAC; Portelas et al. (2019), ALP-GMM.

    >>> selector = AbsoluteLearningProgress()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    version = 3
    shell_name = "alp"

    estimator: str = "previous_visit"
    window: int = 10
    epsilon: float = 0.2
    competence: str = "certainty"
    reached: bool = False

    def parts(self) -> Parts:
        """|Gain| or the gap between halves, in proportion."""
        _validate.choice("estimator", self.estimator, ESTIMATORS)
        gain = signals.Gain(self.competence, reached=self.reached)
        halves = signals.HalvesGap(self.competence, window=self.window, reached=self.reached)
        signal = gain if self.estimator == "previous_visit" else halves
        return Parts(signal, rules.EpsilonProportional(self.epsilon, absolute=True), warm_up=2)
