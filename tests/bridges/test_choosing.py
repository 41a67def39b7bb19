"""A selector told by competence: what it learns from episodes, and which evidence it needs."""

import json
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.bridges.choosing import GoalChooser, posteriors_of


def test_posteriors_give_the_goal_its_competence():
    rows = posteriors_of(2, np.array([0.0, 0.25, 1.0]), 4)
    np.testing.assert_allclose(rows[:, 2], [0.0, 0.25, 1.0])
    np.testing.assert_allclose(rows[:, 0], [1 / 3, 0.25, 0.0])
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert posteriors_of(0, np.array([0.5]), 3).shape == (2, 3)
    np.testing.assert_array_equal(posteriors_of(0, np.array([0.2]), 1), [[1.0], [1.0]])


def test_round_robin_leaves_out_what_was_pursued():
    chooser = GoalChooser(at.RoundRobin(), 4, seed=0)
    chooser.learn(2, [0.1, 0.2])
    chooser.learn(0, [1.0])
    np.testing.assert_allclose(chooser.probabilities, [0, 0.5, 0, 0.5])
    assert {chooser.choose() for _ in range(50)} == {1, 3}


def test_a_selector_by_competence_prefers_the_goal_that_improves():
    chooser = GoalChooser(at.Curious(), 2, seed=0)
    for success in np.linspace(0, 1, 12):
        chooser.learn(0, [success, success])
        chooser.learn(1, [0.4, 0.4])
    # The goal that stands still has its share of the 40 % that are spread evenly.
    np.testing.assert_allclose(chooser.probabilities, [0.8, 0.2])


class Listening(at.Uniform):
    """Uniform; remembers what it is told."""

    heard: list[Any] = []  # noqa: RUF012

    def update(self, state: Any, outcome: Any) -> Any:
        self.heard.append(outcome)
        return super().update(state, outcome)


def test_the_last_step_is_the_success_unless_it_is_given():
    chooser = GoalChooser(Listening(), 2)
    chooser.learn(1, [0.5, 0.0, 1.0])
    chooser.learn(0, [0.5, 0.5], success=0.75)
    first, second = Listening.heard
    assert (first.goal, first.success, first.competence) == (1, 1.0, 0.5)
    assert (second.goal, second.success, second.competence) == (0, 0.75, 0.5)
    np.testing.assert_allclose(first.posteriors[:, 1], [0.5, 0.0, 1.0])


def test_a_saved_chooser_goes_on_alike():
    chooser, other = (GoalChooser(at.Curious(), 3, seed=seed) for seed in (0, 9))
    chooser.learn(1, [0.1, 0.9])
    other.load_state_dict(json.loads(json.dumps(chooser.state_dict())))
    assert [chooser.choose() for _ in range(20)] == [other.choose() for _ in range(20)]
    with pytest.raises(ValueError):
        GoalChooser(at.Uniform(), 3).load_state_dict(chooser.state_dict())


@pytest.mark.parametrize("competences", [[], [[0.5]], [np.nan], [1.5, 0.5], [-0.1, 0.5]])
def test_what_is_no_competence_is_refused(competences: list[float]):
    with pytest.raises(ValueError, match="competences must"):
        GoalChooser(at.Uniform(), 2).learn(0, competences)


def test_selectors_that_need_more_are_refused():
    with pytest.raises(ValueError, match="ValueRegret needs values, which episodes of another"):
        GoalChooser(at.ValueRegret(), 3)
    with pytest.raises(TypeError, match=r"make one: Uniform\(\)"):
        GoalChooser(at.Uniform, 3)  # type: ignore[arg-type]
