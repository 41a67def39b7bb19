"""EXP3.S, an adversarial bandit, on learning progress."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class Exp3S(ComposedSelector):
    """EXP3.S, an adversarial bandit, rewarded with the goal's own progress within the visit.

    The published step size is 1e-3, for hundreds of thousands of draws. An agent's visits are
    hundreds, so the default is 0.3 / |G|, see `rules.ExponentialWeights`; a larger one follows noise.
    Rewards are scaled to [-1, 1] by the 20 % and 80 % quantiles of the last 1000. `offset` and
    `smoothing` are in steps, by default a quarter of those that a goal is held.

    Reference: Graves et al. (2017), Automated Curriculum Learning for Neural Networks; Auer et al.
    (2002).

    >>> selector = Exp3S()
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    shell_name = "exp3s"

    step_size: float | None = None
    epsilon: float = 0.05
    bias: float = 0.0
    offset: int | None = None
    smoothing: int | None = None

    def parts(self) -> Parts:
        """Own-goal learning progress, by exponential weights."""
        signal = signals.Progress(
            self.offset, self.smoothing, normalization="none", attribution="own_goal"
        )
        return Parts(signal, rules.ExponentialWeights(self.step_size, self.epsilon, self.bias))
