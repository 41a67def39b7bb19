"""What a visit may hold, and what a selector is before it says anything of itself."""

from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome

EVEN = np.full((3, 2), 0.5)


@pytest.mark.parametrize(
    ("posteriors", "message"),
    [
        (np.empty((2, 0)), "posteriors need one column a goal, got none"),
        (EVEN * 0.99, "row 0 sums to 0.99"),
        ([[0.5, 0.5], [0.2, 0.2]], "row 1 sums to 0.4"),
    ],
)
def test_posteriors_over_no_goal_or_over_some_of_them_are_refused(posteriors: Any, message: str):
    with pytest.raises(ValueError, match=message):
        VisitOutcome(0, posteriors)


def test_a_probability_a_little_over_1_is_1_and_others_stay():
    found = VisitOutcome(0, np.array([[1.0005, 0.0], [0.25, 0.75]])).posteriors
    assert found.tolist() == [[1.0, 0.0], [0.25, 0.75]]


@pytest.mark.parametrize(
    ("goal", "error", "message"),
    [
        (-1, ValueError, "goal must be at least 0, got -1"),
        (2, ValueError, "goal 2 is not among the 2 goals"),
        (0.0, TypeError, "goal must be an integer"),
    ],
)
def test_a_goal_that_is_none_of_the_posteriors_is_refused(
    goal: Any, error: type[Exception], message: str
):
    with pytest.raises(error, match=message):
        VisitOutcome(goal, EVEN)
    assert [VisitOutcome(first_or_last, EVEN).goal for first_or_last in (0, 1)] == [0, 1]


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"values_before": [0.0, np.nan]}, "values_before must hold a finite number"),
        ({"achieved": np.empty((1, 0)), "places": np.empty((2, 0))}, r"got \(1, 0\) and \(2, 0\)"),
        (
            {"achieved": [[0.0, 1.0], [2.0, np.nan]], "places": np.zeros((2, 2))},
            "achieved must be finite; row 1",
        ),
    ],
)
def test_numbers_that_are_none_and_places_in_no_space_are_refused(evidence: Any, message: str):
    with pytest.raises(ValueError, match=message):
        VisitOutcome(0, EVEN, **evidence)


def test_certainties_may_be_0_and_1_and_unknown():
    found = VisitOutcome(0, EVEN, probe_before=[0.0, 1.0], probe_after=[np.nan, 0.0])
    np.testing.assert_array_equal(found.probe_before, [0.0, 1.0])
    np.testing.assert_array_equal(found.probe_after, [np.nan, 0.0])


def test_lists_are_kept_as_arrays():
    evidence: dict[str, Any] = {
        "probe_before": [0, 1],
        "probe_after": [0, 1],
        "values_before": [1, 2],
        "values_after": [1, 2],
        "achieved": [[1]],
        "places": [[1], [2]],
        "value_spread": [0, 3],
    }
    outcome = VisitOutcome(0, [[0, 1], [1, 0]], **evidence)
    for name in ("posteriors", *evidence):
        assert getattr(outcome, name).dtype == np.float64, name


class Own(at.GoalSelector):
    """Says no more than a selector must."""

    def init(self, num_goals: int) -> int:
        return num_goals

    def update(self, state: int, outcome: VisitOutcome) -> int:
        return state

    def selection_probabilities(self, state: int) -> Any:
        return np.full(state, 1 / state)


def test_a_selector_asks_for_nothing_and_promises_nothing_by_itself():
    assert Own().evidence == frozenset()
    assert Own().first_round is False
    assert Own().caution(10, 10) == ""
    assert Own.version == 1  # its saved states say so


def test_a_selector_is_for_one_goal_or_more_and_for_two_steps_or_more():
    Own().check(num_goals=1, steps=2)
    for goals, steps, message in ((0, 2, "num_goals must be at least 1"), (1, 1, "steps must be")):
        with pytest.raises(ValueError, match=message):
            Own().check(goals, steps)


def test_goals_on_the_way_are_those_reached_beside_the_one_pursued_and_still_there():
    even = np.full((2, 4), 0.25)
    assert not VisitOutcome(0, even).on_the_way.any()
    reached, gone = np.array([True, True, True, False]), np.array([False, True, False, False])
    outcome = VisitOutcome(0, even, reached=reached, replaced=gone)
    assert outcome.on_the_way.tolist() == [False, False, True, False]


@pytest.mark.parametrize(("count", "error"), [(0, ValueError), (2.5, TypeError)])
def test_success_is_a_mean_over_one_episode_at_least(count: Any, error: type[Exception]):
    assert VisitOutcome(0, np.full((2, 4), 0.25)).count == 1
    with pytest.raises(error, match="count"):
        VisitOutcome(0, np.full((2, 4), 0.25), success=0.5, count=count)
