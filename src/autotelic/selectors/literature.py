"""Selectors of the wider literature on learning progress and curricula, for a finite set of goals.

Competence is the mean certainty q(g|s) over the epoch, or with `competence="success"` the success
rate that you pass. An epoch is the time that a goal is held, a visit to that goal: every `window`
here counts visits, not steps, and spans fewer steps where goals are held for fewer.
"""

from dataclasses import dataclass

from autotelic import _validate
from autotelic.selectors import bandits, competence, rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts

TEACHERS = ("online", "naive", "window", "sampling")
ESTIMATORS = ("previous_visit", "halves")


@dataclass(frozen=True)
class Curious(ComposedSelector):
    """Goals in proportion to their absolute change of competence, mixed with uniform.

    CP = |sum of the recent w - sum of the w before| / 2w with w = min(n // 2, window), and 0 until
    n > 2; p = epsilon / |G| + (1 - epsilon) CP / sum CP. (The factor 1/2 cancels and is left out
    here.) The window of 300 is the published one, for queues of many episodes; with one value an
    epoch it makes CP compare the two halves of everything seen.

    Reference: Colas et al. (2019), CURIOUS: Intrinsically Motivated Modular Multi-Goal
    Reinforcement Learning.

    >>> selector = Curious(window=10)
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    window: int = 300
    epsilon: float = 0.4
    competence: str = "certainty"

    def parts(self) -> Parts:
        """The gap between two halves of the history, in proportion."""
        signal = competence.HalvesGap(self.competence, window=self.window)
        return Parts(signal, rules.EpsilonProportional(self.epsilon))


@dataclass(frozen=True)
class CompetenceProgress(ComposedSelector):
    """The goal of the largest average increase in competence, epsilon-greedy.

    V_g <- V_g + step_size (c - c at the previous visit - V_g), signed; goals never tried start at
    `optimism`. In the spirit of the reference rather than its exact equations.

    Reference: Stout and Barto (2010), Competence Progress Intrinsic Motivation.

    >>> selector = CompetenceProgress()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    step_size: float = 0.1
    epsilon: float = 0.1
    optimism: float = 0.1
    competence: str = "certainty"

    def parts(self) -> Parts:
        """Gain since the previous visit, averaged, epsilon-greedy."""
        signal = competence.Gain(self.competence, optimism=self.optimism)
        return Parts(signal, rules.EpsilonGreedy(self.epsilon, step_size=self.step_size))


@dataclass(frozen=True)
class AbsoluteLearningProgress(ComposedSelector):
    """Goals in proportion to absolute learning progress, mixed with uniform, after two rounds.

    ALP is |c - c at the previous visit| (`estimator="previous_visit"`, as in ALP-GMM with the
    nearest previous task being the goal itself) or |mean of the recent half - mean of the half
    before| over the last 2 x `window` visits (`estimator="halves"`, as in RIAC). Two rounds of
    every goal stand for the random bootstrap of the references: the first change can only be seen
    at the second visit.

    References: Baranes and Oudeyer (2013), SAGG-RIAC; Portelas et al. (2019), ALP-GMM.

    >>> selector = AbsoluteLearningProgress()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    estimator: str = "previous_visit"
    window: int = 10
    epsilon: float = 0.2
    competence: str = "certainty"

    def parts(self) -> Parts:
        """|Gain| or the gap between halves, in proportion."""
        _validate.choice("estimator", self.estimator, ESTIMATORS)
        halves = competence.HalvesGap(self.competence, window=self.window)
        signal = competence.Gain(self.competence) if self.estimator == "previous_visit" else halves
        return Parts(signal, rules.EpsilonProportional(self.epsilon, absolute=True), warm_up=2)


@dataclass(frozen=True)
class TeacherStudent(ComposedSelector):
    """Teacher-student curriculum learning (TSCL): the goal whose competence rises fastest.

    * `online`: Q_g <- Q_g + step_size (c - c at the previous visit - Q_g), from c = 0.
    * `naive`: holds a goal for `window` visits in a row, then Q_g <- Q_g + step_size (slope of
      those visits - Q_g).
    * `window`: slope over the goal's last `window` visits; 1, optimistic, until there are two.
    * `sampling`: Thompson sampling from the goal's last `window` gains; 1, optimistic, until there
      is one.

    The policy on Q (or |Q| if `absolute`) is epsilon-greedy, or a softmax if a `temperature` is
    given (TSCL uses 4e-4).

    Reference: Matiisen et al. (2017), Teacher-Student Curriculum Learning.

    >>> selector = TeacherStudent(variant="sampling")
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    variant: str = "online"
    step_size: float = 0.1
    epsilon: float = 0.1
    window: int = 10
    absolute: bool = False
    temperature: float | None = None
    competence: str = "certainty"

    def parts(self) -> Parts:
        """The variant's signal, and its rule."""
        _validate.choice("variant", self.variant, TEACHERS)
        if self.variant == "sampling":
            if self.temperature is not None:
                raise ValueError(
                    'variant="sampling" draws by Thompson sampling and takes no temperature, '
                    f"got {self.temperature}"
                )
            signal = competence.Gain(self.competence, start=0.0, optimism=1.0)
            return Parts(signal, bandits.Thompson(self.window, self.epsilon, self.absolute))
        if self.variant == "online":
            return Parts(competence.Gain(self.competence, start=0.0), self._policy(self.step_size))
        if self.variant == "naive":
            signal = competence.Slope(self.competence, window=self.window, optimism=0.0)
            return Parts(signal, rules.Hold(self._policy(self.step_size), times=self.window))
        return Parts(
            competence.Slope(self.competence, window=self.window), self._policy(step_size=1.0)
        )

    def _policy(self, step_size: float) -> rules.Rule:
        if self.temperature is None:
            return rules.EpsilonGreedy(self.epsilon, step_size=step_size, absolute=self.absolute)
        return rules.Softmax(self.temperature, step_size=step_size, absolute=self.absolute)


@dataclass(frozen=True)
class Exp3S(ComposedSelector):
    """EXP3.S, an adversarial bandit, rewarded with the goal's own progress within the epoch.

    The published step size is 1e-3, for hundreds of thousands of draws; an agent's epochs are
    hundreds, so the default is 0.1. Rewards are scaled to [-1, 1] by the 20 % and 80 % quantiles of
    the last 1000. `offset` and `smoothing` are in steps, by default a quarter of those that a goal
    is held.

    Reference: Graves et al. (2017), Automated Curriculum Learning for Neural Networks; Auer et al.
    (2002).

    >>> selector = Exp3S()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    step_size: float = 0.1
    epsilon: float = 0.05
    bias: float = 0.0
    offset: int | None = None
    smoothing: int | None = None

    def parts(self) -> Parts:
        """Own-goal learning progress, by exponential weights."""
        signal = signals.Progress(
            self.offset, self.smoothing, normalization="none", attribution="own_goal"
        )
        return Parts(signal, bandits.ExponentialWeights(self.step_size, self.epsilon, self.bias))


@dataclass(frozen=True)
class Learnability(ComposedSelector):
    """Goals neither mastered nor hopeless: the best `share` by c (1 - c), mixed with uniform.

    Reference: Rutherford et al. (2024), No Regrets: Investigating and Improving Regret
    Approximations for Curriculum Discovery (sampling for learnability).

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = Learnability(share=0.5)
    >>> state = selector.init(num_goals=2)
    >>> state = selector.update(state, EpochOutcome(0, [[1.0, 0.0]] * 2))  # mastered
    >>> selector.selection_probabilities(state)
    array([0.25, 0.75])
    """

    share: float = 0.25
    epsilon: float = 0.5
    competence: str = "certainty"

    def parts(self) -> Parts:
        """c (1 - c), the top share of it."""
        return Parts(
            competence.SuccessVariance(self.competence),
            rules.TopShare(self.epsilon, share=self.share),
        )
