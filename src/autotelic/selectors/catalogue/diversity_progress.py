"""The paper's selector."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class DiversityProgress(ComposedSelector):
    """Prefers goals whose practice improves discriminability: the paper's selector (Algorithm 1).

    A first round tries each goal once, in random order. From then on p(g) = softmax(dp /
    temperature), where dp_g is the Diversity Progress (Eq. 6) of the goal's last visit.

    What to know before choosing settings (the derivations are in `autotelic.progress`): with
    `normalization="none"` DP equals 2/|G| times the pursued goal's own progress, at most 2/|G|, and
    temperatures such as 0.1 select almost uniformly; the paper's own settings 750 + 250 and 900 +
    100 fill a 1000-step visit one sample over, and the earlier window is cut accordingly; and
    progress within a visit also sees the time within the episode, so choose an offset that is a
    multiple of the episode length, or another `reference`.

    Args:
        offset: tau, how many steps earlier the comparison lies; by default a quarter of the steps
            that a goal is held (250 of the paper's 1000).
        smoothing: eta, the length of the two windows in steps; by default the same quarter. offset
            + smoothing must not exceed the steps that a goal is held.
        temperature: of the softmax; lower is greedier.
        normalization: of the learning progress, see `autotelic.progress.normalize`: "relative",
            "relative_old", "total", "l1", "l2", "max", "std" and "running" are readings of the
            paper's Appendix C.4; "none" and "minmax" are there for comparison.
        absolute: the mean of |progress|, so that forgetting counts too.
        reference: "within_epoch" (the paper), "previous_visit" or "probe" (which needs
            `probe_before` and `probe_after`).
        window: "truncate" or "half_open".
        attribution: "mean_over_goals" (the paper) or "own_goal".

    Reference: Lintunen, Ady and Guckelsberger (2024), Diversity Progress for Goal Selection in
    Discriminability-Motivated RL.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = DiversityProgress(offset=2, smoothing=1, temperature=0.1)
    >>> state = selector.init(num_goals=2)
    >>> learned = [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.9, 0.1]]
    >>> stuck = [[0.5, 0.5]] * 4
    >>> state = selector.update(state, VisitOutcome(0, learned))
    >>> state = selector.update(state, VisitOutcome(1, stuck))
    >>> selector.values(state).round(3)
    array([0.364, 0.   ])
    >>> selector.selection_probabilities(state).round(3)
    array([0.974, 0.026])
    """

    version = 3
    shell_name = "dp"

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
