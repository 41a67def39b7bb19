"""The paper's selector and the ones it is compared with, each a signal, a rule and a warm-up."""

import math
from dataclasses import dataclass, field

from autotelic.selectors import bandits, competence, rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Uniform(ComposedSelector):
    """Every goal with the same probability, always: DIAYN's selector.

    Reference: Eysenbach et al. (2019), Diversity is All You Need.

    >>> selector = Uniform()
    >>> selector.selection_probabilities(selector.init(num_goals=4))
    array([0.25, 0.25, 0.25, 0.25])
    """

    def parts(self) -> Parts:
        """Nothing that is learned changes p(g); the certainty is recorded."""
        return Parts(competence.Competence(), rules.Even())


@dataclass(frozen=True)
class RoundRobin(ComposedSelector):
    """Every goal once a round, in random order, for ever: uniform selection without its variance.

    The control that a learned selector has to beat: Diversity Progress begins with one such round.

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = RoundRobin()
    >>> state = selector.update(selector.init(num_goals=3), EpochOutcome(1, [[0.2, 0.5, 0.3]] * 2))
    >>> selector.selection_probabilities(state)
    array([0.5, 0. , 0.5])
    """

    def parts(self) -> Parts:
        """Warm-up rounds without end."""
        return Parts(competence.Competence(), rules.Even(), warm_up=math.inf)


@dataclass(frozen=True)
class DiversityProgress(ComposedSelector):
    """Prefers goals whose practice improves discriminability: the paper's selector (Algorithm 1).

    A first round tries each goal once, in random order. From then on p(g) = softmax(dp /
    temperature), where dp_g is the Diversity Progress (Eq. 6) of the goal's last epoch.

    What to know before choosing settings (the derivations are in `autotelic.progress`): with
    `normalization="none"` DP equals 2/|G| times the pursued goal's own progress, at most 2/|G|, and
    temperatures such as 0.1 select almost uniformly; the paper's own settings 750 + 250 and 900 +
    100 fill a 1000-step epoch one sample over, and the earlier window is cut accordingly; and
    progress within an epoch also sees the time within the episode, so choose an offset that is a
    multiple of the episode length, or another `reference`.

    Args:
        offset: tau, how many steps earlier the comparison lies; by default a quarter of the steps
            that a goal is held (250 of the paper's 1000).
        smoothing: eta, the length of the two windows in steps; by default the same quarter. offset
            + smoothing must not exceed the steps that a goal is held.
        temperature: of the softmax; lower is greedier.
        normalization: of the learning progress: "relative", "l2", "l1", "max", "total", "none",
            "minmax".
        absolute: the mean of |progress|, so that forgetting counts too.
        reference: "within_epoch" (the paper), "previous_visit" or "probe" (which needs
            `probe_before` and `probe_after`).
        window: "truncate" or "half_open".
        attribution: "mean_over_goals" (the paper) or "own_goal".

    Reference: Lintunen, Ady and Guckelsberger (2024), Diversity Progress for Goal Selection in
    Discriminability-Motivated RL.

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = DiversityProgress(offset=2, smoothing=1, temperature=0.1)
    >>> state = selector.init(num_goals=2)
    >>> learned = [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.9, 0.1]]
    >>> stuck = [[0.5, 0.5]] * 4
    >>> state = selector.update(state, EpochOutcome(0, learned))
    >>> state = selector.update(state, EpochOutcome(1, stuck))
    >>> selector.values(state).round(3)
    array([0.364, 0.   ])
    >>> selector.selection_probabilities(state).round(3)
    array([0.974, 0.026])
    """

    offset: int | None = None
    smoothing: int | None = None
    temperature: float = 0.1
    normalization: str = "relative"
    absolute: bool = False
    reference: str = "within_epoch"
    window: str = "truncate"
    attribution: str = "mean_over_goals"

    def parts(self) -> Parts:
        """Eq. 6, then a softmax, after a first round."""
        signal = signals.Progress(
            offset=self.offset,
            smoothing=self.smoothing,
            normalization=self.normalization,
            absolute=self.absolute,
            attribution=self.attribution,
            reference=self.reference,
            window=self.window,
        )
        return Parts(signal, rules.Softmax(self.temperature), warm_up=1)


@dataclass(frozen=True)
class VariationalControl(ComposedSelector):
    """Reinforces p(g) with the reward of the skills, log q(g|s) - log p(g), by REINFORCE with a
    baseline: VIC.

    logits += learning_rate (r - b) (onehot_g - p), with r the epoch's mean reward and b the running
    mean of r. No rate is published for one step an epoch. At the default a goal that keeps earning
    one nat more than the mean doubles its odds in one to two visits; at 0.1 p(g) would hardly move
    in the hundreds of epochs of a run. Expect p(g) to collapse to a few goals.

    Reference: Gregor, Rezende and Wierstra (2016), Variational Intrinsic Control, Algorithm 1, with
    p(g) in place of p(g|s_0).

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = VariationalControl()
    >>> state = selector.update(selector.init(num_goals=2), EpochOutcome(0, [[0.9, 0.1]] * 2))
    >>> selector.selection_probabilities(state).round(3)
    array([0.573, 0.427])
    """

    learning_rate: float = 0.5

    def parts(self) -> Parts:
        """The mean log q(g|s) of the epoch, by REINFORCE."""
        return Parts(signals.LogCertainty(), bandits.Reinforce(self.learning_rate))


@dataclass(frozen=True)
class LearnedPrior(ComposedSelector):
    """p(g) = softmax of the mean log q(g|s) over each goal's last `memory` steps; unseen goals
    count as chance.

    What DIAYN's code ran for its comparison with VIC. It is the exact maximiser of H(p) + sum_g
    p(g) mean log q(g|s), not REINFORCE; it collapses because goals that are rarely practised lose
    certainty. The memory is in steps, so with shorter visits it spans more of them.

    Reference: Eysenbach et al. (2019), Diversity is All You Need, Appendix E.2.

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = LearnedPrior()
    >>> state = selector.update(selector.init(num_goals=2), EpochOutcome(0, [[0.9, 0.1]] * 2))
    >>> selector.selection_probabilities(state).round(3)  # 0.9 : 0.5
    array([0.643, 0.357])
    """

    memory: int = 1000

    def parts(self) -> Parts:
        """Remembered log q(g|s), then a softmax at temperature 1."""
        return Parts(signals.LogCertainty(self.memory), rules.Softmax(1.0))


@dataclass(frozen=True)
class RemainingError(ComposedSelector):
    """Goals in proportion to what is left to learn of them, (1 - c) ** sharpness, mixed with uniform,
    after a first round, with low-variance draws.

    c is the goal's mean certainty q(g|s). With `fresh` it is judged anew for every goal after every
    epoch, on states kept of the goal's last visit (which needs `probe_after`): a goal that another
    has become confused with is seen at once. Otherwise c is that of the goal's last visit.

    Args:
        sharpness: 1 is nearer to uniform, 4 keeps to the least certain goals.
        epsilon: the share of practice that is spread evenly.
        fresh: whether to judge goals that are not being practised.
        competence: "certainty", or "success" for the success rate that you pass (not `fresh`).

    >>> from autotelic.selectors.base import EpochOutcome
    >>> selector = RemainingError(sharpness=1.0, epsilon=0.0, fresh=False)
    >>> state = selector.init(num_goals=2)
    >>> state = selector.update(state, EpochOutcome(0, [[0.9, 0.1]] * 2))
    >>> state = selector.update(state, EpochOutcome(1, [[0.7, 0.3]] * 2))
    >>> selector.selection_probabilities(state)  # 0.1 : 0.7
    array([0.125, 0.875])
    """

    sharpness: float = 2.0
    epsilon: float = 0.1
    fresh: bool = True
    competence: str = "certainty"
    draw: str = field(default="low_variance", kw_only=True)

    def parts(self) -> Parts:
        """1 - c, in proportion, after a first round."""
        signal = competence.RemainingError(self.competence, self.sharpness, self.fresh)
        return Parts(signal, rules.EpsilonProportional(self.epsilon), warm_up=1)
