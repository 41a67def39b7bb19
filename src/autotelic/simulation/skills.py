"""A simulated learner: what selectors see of a real one, in NumPy and in milliseconds.

Goals differ in difficulty, practice raises a goal's certainty, neighbouring goals are confused,
what is not practised is forgotten, and a discriminator favours the goals it is shown often. The
last is the feedback that makes a learned p(g) collapse: a goal rarely practised loses certainty,
hence probability, hence practice.

    logits of q(.|s) while goal k is pursued, at step t:
        own goal     skill_k(t)
        neighbour j  confusion * skill_k(t)
        every goal   + frequency * log(share_j |G|) + noise

The defaults are chosen so that these effects can be seen within some hundred epochs. It shows how
selectors behave, not which one trains a real agent best.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autotelic import _streams, _validate
from autotelic._types import Array
from autotelic.selectors.base import GoalSelector, VisitOutcome
from autotelic.selectors.catalogue import (
    DiversityProgress,
    LearnedPrior,
    Uniform,
    VariationalControl,
)
from autotelic.selectors.distributions import effective_number_of_skills


class LearnerState(NamedTuple):
    """What the learner can do, skill [goals], and what it practised, share [goals] (sum 1)."""

    skill: Array
    share: Array


@dataclass(frozen=True)
class SimulatedLearner:
    """The learner's settings.

    Args:
        num_goals: |G|.
        steps: of an epoch.
        ceiling: the skill (a logit) that practice tends to.
        rate: how much of the way to the ceiling one epoch covers, for the easiest goal.
        hardest: the rate of the hardest goal as a share of the easiest one's.
        confusion: how much of a goal's skill its two neighbours get.
        forgetting: the share of skill lost in an epoch without practice.
        frequency: how strongly the discriminator favours goals practised often; 1 is Bayes' rule.
        memory: the number of epochs over which that frequency is counted.
        noise: standard deviation of the logits.
    """

    num_goals: int = 20
    steps: int = 1000
    ceiling: float = 7.0
    rate: float = 0.7
    hardest: float = 0.1
    confusion: float = 0.3
    forgetting: float = 0.02
    frequency: float = 1.0
    memory: float = 20.0
    noise: float = 0.5

    def __post_init__(self) -> None:
        _validate.integer("num_goals", self.num_goals, minimum=1)
        _validate.integer("steps", self.steps, minimum=2)
        _validate.number("ceiling", self.ceiling, above=0.0)
        for name in ("rate", "hardest", "confusion", "forgetting"):
            _validate.number(name, getattr(self, name), minimum=0.0, maximum=1.0)
        _validate.number("frequency", self.frequency, minimum=0.0)
        _validate.number("memory", self.memory, above=1.0)
        _validate.number("noise", self.noise, minimum=0.0)

    def init(self) -> LearnerState:
        """No skill, all goals practised alike."""
        return LearnerState(np.zeros(self.num_goals), np.full(self.num_goals, 1.0 / self.num_goals))

    def rates(self) -> Array:
        """The learning rate of each goal, from the easiest to the hardest, [goals]."""
        return self.rate * np.geomspace(1.0, max(self.hardest, 1e-6), self.num_goals)

    def run_epoch(
        self, state: LearnerState, goal: int, generator: np.random.Generator
    ) -> tuple[LearnerState, Array]:
        """Practise a goal for an epoch: the learner after it, and posteriors [steps, goals]."""
        remaining = (1.0 - self.rates()[goal]) ** (np.arange(self.steps) / self.steps)
        own = self.ceiling - (self.ceiling - state.skill[goal]) * remaining
        logits = self.noise * generator.standard_normal((self.steps, self.num_goals))
        logits += self.frequency * np.log(state.share * self.num_goals)
        for neighbour in {(goal - 1) % self.num_goals, (goal + 1) % self.num_goals} - {goal}:
            logits[:, neighbour] += self.confusion * own
        logits[:, goal] += own
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        posteriors = weights / weights.sum(axis=1, keepdims=True)

        skill = state.skill * (1.0 - self.forgetting)
        skill[goal] = own[-1]
        share = state.share * (1.0 - 1.0 / self.memory)
        share[goal] += 1.0 / self.memory
        return LearnerState(skill, share), posteriors

    def values(self, state: LearnerState) -> Array:
        """What an agent with these skills would hold each goal to be worth: log q(g|s) while it is
        pursued, without noise; [goals].
        """
        goals = np.arange(self.num_goals)
        gaps = (goals[:, None] - goals) % self.num_goals
        near = np.isin(gaps, [1, self.num_goals - 1]) & (gaps != 0)
        logits = self.frequency * np.log(state.share * self.num_goals)
        logits = logits + state.skill[:, None] * (np.eye(self.num_goals) + self.confusion * near)
        own = logits[goals, goals]
        largest = logits.max(axis=1, keepdims=True)
        return own - largest[:, 0] - np.log(np.exp(logits - largest).sum(axis=1))


DEMONSTRATION: Mapping[str, GoalSelector] = {
    "DIAYN": Uniform(),
    "VIC (REINFORCE)": VariationalControl(),
    "VIC (learned prior)": LearnedPrior(),
    "DP, T = 0.1": DiversityProgress(offset=750, smoothing=250, temperature=0.1),
    "DP, T = 0.3": DiversityProgress(offset=750, smoothing=250, temperature=0.3),
}


def effective_skills_curves(
    selectors: Mapping[str, GoalSelector] = DEMONSTRATION,
    learner: SimulatedLearner | None = None,
    *,
    epochs: int = 200,
    seeds: int = 5,
) -> dict[str, Array]:
    """The effective number of skills before each selection, [seeds, epochs] for each selector.

    >>> curves = effective_skills_curves(
    ...     {"DIAYN": Uniform()}, SimulatedLearner(num_goals=4, steps=10), epochs=3, seeds=1
    ... )
    >>> curves["DIAYN"].round(6)
    array([[4., 4., 4.]])
    """
    learner = SimulatedLearner() if learner is None else learner
    _validate.integer("epochs", epochs, minimum=1)
    _validate.integer("seeds", seeds, minimum=1)
    for label, selector in selectors.items():
        selector.check(learner.num_goals, learner.steps)
        missing = selector.evidence - {"values"}
        if missing:
            raise ValueError(
                f"{label}: a simulated learner has posteriors and values alone to show, and this selector "
                f"needs {', '.join(sorted(missing))}; leave it out"
            )
    curves = {label: np.empty((seeds, epochs)) for label in selectors}
    for label, selector in selectors.items():
        for seed in range(seeds):
            goal_generator = _streams.generator("goals", seed)
            generator = _streams.generator("simulated learner", seed)
            state, learner_state = selector.init(learner.num_goals), learner.init()
            for epoch in range(epochs):
                probabilities = selector.selection_probabilities(state)
                curves[label][seed, epoch] = effective_number_of_skills(probabilities)
                goal = selector.select(state, goal_generator)
                before = learner.values(learner_state)
                learner_state, posteriors = learner.run_epoch(learner_state, goal, generator)
                outcome = VisitOutcome(
                    goal,
                    posteriors,
                    values_before=before,
                    values_after=learner.values(learner_state),
                )
                state = selector.update(state, outcome)
    return curves
