"""What robot simulators do: a baseline."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class FailureCounts(ComposedSelector):
    """Goals in proportion to their failures of late: what code for legged and humanoid robots does. **A
    baseline, to compare with; do not train by it.**

    F <- (1 - rate) F + rate (failures of this step), and p(g) in proportion to F + ratio / |G|, smoothed over
    the goals that follow. Results that are told between two draws are a step; simulators take a step
    whether or not any episode ended.

    It follows counts and not rates: what is practised more fails more and is practised more, and an
    impossible goal takes most practice. `ratio` is no floor: its share of p(g) is ratio / (sum F + ratio),
    44 % with 64 environments and 1 % with 4,096. `check_selector` refuses `FailureCounts` if that is
    called a floor.

    Args:
        rate: of the running mean; 0.001 is mjlab's.
        ratio: added to the counts of all goals together; 0.1 is mjlab's.
        kept: weight of the next goal's failures, and of those after it by its powers; 0.8.
        width: of that smoothing in goals; 1 is none.

    Reference: mjlab, whole_body_tracking (`_adaptive_sampling`).

    >>> from autotelic import Curriculum
    >>> curriculum = Curriculum(FailureCounts(rate=0.1), num_goals=2)
    >>> goals = curriculum.select(2)
    >>> curriculum.update([0, 1], success=[1.0, 0.0], counts=[1, 9])
    >>> curriculum.selection_probabilities  # 0 + 0.05 : 0.9 + 0.05
    array([0.05, 0.95])
    """

    shell_name = "failure-counts"

    rate: float = 0.001
    ratio: float = 0.1
    kept: float = 0.8
    width: int = 1

    def parts(self) -> Parts:
        """Counts of failures, smoothed."""
        rule = rules.Smoothed(extra=self.ratio, kept=self.kept, width=self.width)
        return Parts(signals.FailureCounts(self.rate), rule)
