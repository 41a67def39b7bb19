"""Goals by the regret of their values (RSD)."""

from dataclasses import dataclass

from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts


@dataclass(frozen=True)
class ValueRegret(ComposedSelector):
    """Goals whose value has just risen, and goals of high value: a softmax of both as z-scores.

    p(g) = softmax(score / temperature), score = zscore(V_after - V_before) + value_weight zscore(V_after).

    V(s_0, g) is the agent's value of following a goal from the state that the visit began in, for every
    goal, before and after the visit (`values_before`, `values_after`; with `train` they come from an
    agent that gives values). What a visit added to it is the regret of not having known how. It looks
    at values alone, not at posteriors.

    The reference trains a generator of skills by REINFORCE on the same score; for discrete skills by 100
    steps from a fresh start each time, without an entropy bonus. The softmax is where the natural
    gradient of E[score] arrives from a uniform start, followed for the time 1 / temperature. It also
    differs in this: scores are of all goals, not of a sample drawn from p; the regret is of one visit,
    not of all training since the generator's last; s_0 is where the visit began, not the task's first
    state. The population of generators, which is for continuous skills, is left out.

    Args:
        temperature: of the softmax; lower is greedier. Scores have a standard deviation of 2 at most.
        value_weight: of the values beside what they gained; 1 is the reference's, 0 leaves them out.

    Reference: Zhang et al. (2025), Efficient Skill Discovery via Regret-Aware Optimization (RSD).

    >>> from autotelic.selectors.base import VisitOutcome
    >>> selector = ValueRegret()
    >>> outcome = VisitOutcome(
    ...     0, [[0.5, 0.3, 0.2]] * 2, values_before=[1.0, 1.0, 1.0], values_after=[1.0, 2.0, 3.0]
    ... )
    >>> state = selector.update(selector.init(num_goals=3), outcome)
    >>> selector.values(state).round(3) + 0.0
    array([-2.,  0.,  2.])
    >>> selector.selection_probabilities(state).round(3)
    array([0.016, 0.117, 0.867])
    """

    shell_name = "value-regret"

    temperature: float = 1.0
    value_weight: float = 1.0

    def parts(self) -> Parts:
        """Regret and value of all goals as they are now, then a softmax."""
        return Parts(signals.ValueRegret(self.value_weight), rules.Softmax(self.temperature))
