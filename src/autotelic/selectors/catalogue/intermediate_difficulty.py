"""Goals of intermediate difficulty (GoalGAN)."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class IntermediateDifficulty(ComposedSelector):
    """Goals neither too hard nor too easy: success in [low, high], mixed with uniform.

    Success at a goal is the mean over its `neighbours` nearest goals that were tried, itself included,
    each with its last `window` visits. So a goal never tried is judged by those beside it. The reference
    trains a generator (GoalGAN) on the goals so labelled; goals of a finite set need none.

    Args:
        low, high: 0.1 and 0.9 are the reference's.
        neighbours: how many goals are asked.
        window: how many visits of each.
        epsilon: the share of practice that is spread evenly, ours; the reference takes a third from goals
            that were of intermediate difficulty earlier.
        competence: "success", or "certainty" for the mean q(g|s).
        reached: whether goals reached on the way count as visited, and successful.

    Reference: Florensa et al. (2018), Automatic Goal Generation for Reinforcement Learning Agents.

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = IntermediateDifficulty(neighbours=1, epsilon=0.3)
    >>> state = selector.init(num_goals=3)
    >>> for goal, success in [(0, 1.0), (2, 0.5)]:
    ...     outcome = VisitOutcome(
    ...         goal, [[0.4, 0.3, 0.3]] * 2, success=success, achieved=[[0.0]],
    ...         places=[[0.0], [3.0], [4.0]],
    ...     )
    ...     state = selector.update(state, outcome)
    >>> selector.selection_probabilities(state)  # mastered, like its neighbour, 0.5
    array([0.1 , 0.45, 0.45])
    """

    version = 3
    shell_name = "intermediate-difficulty"

    low: float = 0.1
    high: float = 0.9
    neighbours: int = 3
    window: int = 5
    epsilon: float = 0.2
    competence: str = "success"
    reached: bool = False

    def parts(self) -> Parts:
        """Success among neighbours, within the band."""
        signal = signals.NeighbourSuccess(
            self.competence, self.neighbours, self.window, reached=self.reached
        )
        return Parts(signal, rules.Band(self.epsilon, low=self.low, high=self.high))
