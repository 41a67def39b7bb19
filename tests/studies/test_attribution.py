"""The controls take away what they say, and nothing else."""

import numpy as np
import pytest

from autotelic.curriculum import Curriculum
from autotelic.selectors import GoalSelector, RoundRobin, Uniform, check_selector, rules
from studies.attribution import FIRST_ROUND_ONLY, SELECTORS, Shuffled


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_keeps_the_contract(name: str) -> None:
    check_selector(SELECTORS[name])


def test_shuffled_values_are_the_same_values_of_other_goals() -> None:
    rule, shuffled = rules.Softmax(0.5), Shuffled(rules.Softmax(0.5))
    values = np.linspace(-1.0, 1.0, 20)
    state, other = rule.init(20, 0.0), shuffled.init(20, 0.0)
    moved = 0
    for round_ in range(3):
        for goal, value in enumerate(values):
            state = rule.update(state, goal, value + round_)
            other = shuffled.update(other, goal, value + round_)
        # A round gives every goal one value, so p(g) is as unequal as without shuffling.
        np.testing.assert_allclose(
            np.sort(shuffled.probabilities(other)), np.sort(rule.probabilities(state))
        )
        moved += int((other.rule != state).sum())
    assert moved > 50  # of 60: one of 20 stays in a random permutation, on average


def test_partners_change_from_round_to_round() -> None:
    shuffled = Shuffled(rules.Softmax(0.5))
    state = shuffled.init(20, 0.0)
    orders = []
    for _ in range(2):
        for goal in range(20):
            state = shuffled.update(state, goal, float(goal))
        orders.append(list(state.rule))
    assert orders[0] != orders[1]


def goals_of(selector: GoalSelector, epochs: int) -> list[int]:
    curriculum = Curriculum(selector, num_goals=4, seed=3)
    goals = []
    for _ in range(epochs):
        goals.append(curriculum.select())
        curriculum.update(np.full((8, 4), 0.25))
    return goals


def test_uniform_with_low_variance_draws_is_round_robin() -> None:
    assert goals_of(Uniform(draw="low_variance"), 40) == goals_of(RoundRobin(), 40)


def test_after_the_first_round_any_goal_may_come() -> None:
    goals = goals_of(FIRST_ROUND_ONLY, 204)
    assert sorted(goals[:4]) == [0, 1, 2, 3]
    rounds = [sorted(goals[i : i + 4]) == [0, 1, 2, 3] for i in range(4, 204, 4)]
    assert sum(rounds) < 15  # of 50; uniform draws make 4! / 4^4 = 9 % of them
