"""What the loop hands on: evidence to the selector, log p(g) to the reward. Both are computed anew here."""

from typing import Any

import jax
import numpy as np
import pytest
from tiny_runs import GOALS, STEPS, tiny

from autotelic.learner.learner import learner_functions
from autotelic.learner.plan import Member, sizes_of
from autotelic.objectives import Context, Diayn
from autotelic.selectors import GoalSelector, VisitOutcome
from autotelic.training.crew import Crew
from autotelic.training.learners import Learners
from autotelic.training.program import Program

PRIOR = np.array([0.7, 0.2, 0.1])
FLOOR = 0.01
"""Large, so that leaving it out would show."""


class Spy(GoalSelector):
    """Goals in a fixed order, with a p(g) that is not what they are drawn from; notes its evidence."""

    def __init__(self, order: tuple[int, ...], probing: bool):
        self.order, self.probing = order, probing
        self.outcomes: list[Any] = []

    @property
    def evidence(self) -> frozenset[str]:
        return frozenset({"probe"} if self.probing else ())

    def init(self, num_goals: int) -> int:
        return 0

    def update(self, state: int, outcome: VisitOutcome) -> int:
        self.outcomes.append(outcome)
        return state + 1

    def selection_probabilities(self, state: int) -> np.ndarray:
        return np.eye(GOALS)[self.order[state % len(self.order)]]

    def prior(self, state: int) -> np.ndarray:
        return np.roll(PRIOR, state)


@pytest.fixture(scope="module")
def program(same_crews: None) -> Program:
    """The rewards of which depend on p(g) as it is now."""
    setting = tiny(objective=Diayn(reward_prior="current", prior_floor=FLOOR))
    environment = setting.make_environment()
    functions = learner_functions(setting, sizes_of(environment), epochs=4)
    program = Program(functions, environment, 1)
    program.compile(Learners(program, [0], [0]).state)
    return program


def crew_of(program: Program, spy: Spy) -> Crew:
    return Crew(Learners(program, [0], [0]), [Member(0, "spy", spy, 0)], spy.probing)


def discriminator_of(crew: Crew) -> Any:
    """A copy: the next visit takes over the learner's own arrays."""
    return jax.tree.map(lambda x: np.array(x[0]), crew.learners.state.discriminator)


def states_of_visit(crew: Crew, visit: int) -> np.ndarray:
    functions = crew.learners.program.functions
    rows = functions.layout.unpack(crew.learners.state.replay)
    steps = np.arange(visit * STEPS, (visit + 1) * STEPS)
    return np.asarray(rows["next_observation"])[0, steps % functions.capacity]


def mean_certainty(program: Program, discriminator: Any, states: np.ndarray, goal: int) -> float:
    objective = program.functions.setting.objective
    log_q = objective.log_posteriors(discriminator, Context(None, states, states))
    return float(np.exp(np.asarray(log_q, np.float64))[:, goal].mean())


def practise(crew: Crew) -> None:
    crew.practise()
    crew.take_in()


def test_probes_are_scored_by_the_discriminator_before_the_visit_and_by_that_after_it(
    program: Program,
):
    spy = Spy(order=(1, 2), probing=True)
    crew = crew_of(program, spy)
    practise(crew)
    kept = states_of_visit(crew, 0)  # of goal 1
    before = discriminator_of(crew)
    practise(crew)
    after = discriminator_of(crew)
    first, second = spy.outcomes
    assert (first.goal, second.goal) == (1, 2)
    assert np.isnan(first.probe_before).all() and np.isnan(first.probe_after).all()
    earlier, recent = (mean_certainty(program, q, kept, 1) for q in (before, after))
    assert abs(recent - earlier) > 1e-3  # or the two could not be told apart
    assert second.probe_before == pytest.approx([np.nan, earlier, np.nan], rel=1e-5, nan_ok=True)
    assert second.probe_after == pytest.approx([np.nan, recent, np.nan], rel=1e-5, nan_ok=True)


def practised(program: Program, goals: tuple[int, ...], priors: list[np.ndarray]) -> Any:
    """The learner that comes of these goals when the reward holds these log(p(g) + floor)."""
    learners = Learners(program, [0], [0])
    for visit, (goal, prior) in enumerate(zip(goals, priors, strict=True)):
        learners.run_visit(visit, [goal], np.log(prior + FLOOR)[None])
    return jax.tree.map(np.asarray, learners.state.agent)


def test_the_reward_holds_the_prior_and_not_what_goals_are_drawn_from(program: Program):
    goals = (1, 0)
    spy = Spy(goals, probing=False)
    crew = crew_of(program, spy)
    for _ in goals:
        practise(crew)
    found = jax.tree.leaves(jax.tree.map(np.asarray, crew.learners.state.agent))
    priors = [spy.prior(visit) for visit in range(len(goals))]
    drawn_from = [spy.selection_probabilities(visit) for visit in range(len(goals))]
    expected = jax.tree.leaves(practised(program, goals, priors))
    other = jax.tree.leaves(practised(program, goals, drawn_from))
    for array, same in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, same)
    assert any((array != different).any() for array, different in zip(found, other, strict=True))
