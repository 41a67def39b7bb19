"""What a composed selector takes from its parts, and that it leaves states alone."""

import math
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome, rules, signals

EVEN = np.full((4, 2), 0.5)


def composed(**changes: Any) -> at.Selector:
    values: dict[str, Any] = {
        "signal": signals.Progress(offset=2, smoothing=1),
        "rule": rules.Softmax(temperature=1.0),
    }
    return at.Selector(**{**values, **changes})


@pytest.mark.parametrize(("warm_up", "expected"), [(0, False), (1, True), (2, True)])
def test_there_is_a_first_round_if_there_is_a_warm_up(warm_up: int, expected: bool):
    assert composed(warm_up=warm_up).first_round is expected


@pytest.mark.parametrize("draw", ["independent", "low_variance"])
def test_something_is_owed_with_low_variance_alone(draw: str):
    selector = composed(draw=draw)
    assert selector.low_variance == (draw == "low_variance")
    state = selector.update(selector.init(2), VisitOutcome(0, EVEN))
    # Half a visit was each goal's due, and goal 0 had the whole.
    expected = [-0.5, 0.5] if draw == "low_variance" else [0.0, 0.0]
    np.testing.assert_allclose(state.deficits, expected)


def test_goals_and_steps_are_not_taken_for_each_other():
    composed().check(num_goals=1, steps=4)
    with pytest.raises(ValueError, match="steps must be at least 2"):
        composed().check(num_goals=4, steps=1)
    with pytest.raises(ValueError, match="exceeds the 2 steps"):
        composed().check(num_goals=4, steps=2)


def test_caution_is_the_signals():
    # Windows of a quarter of the 40 steps lie 10 apart: two episodes of 5, but not one of 40.
    quarters = composed(signal=signals.Progress())
    assert quarters.caution(steps=40, episode_length=5) == ""
    assert "within one episode of 40 steps" in quarters.caution(steps=40, episode_length=40)


@pytest.mark.parametrize(
    ("signal", "outcome", "message"),
    [
        (signals.Progress(offset=2, smoothing=1), VisitOutcome(0, np.full((4, 3), 1 / 3)), "2"),
        (
            signals.Progress(reference="probe"),
            VisitOutcome(0, EVEN),
            "probe_before and probe_after",
        ),
        (signals.Progress(offset=2, smoothing=1), VisitOutcome(0, EVEN[:2]), "exceeds the 2 steps"),
    ],
)
def test_a_visit_that_does_not_fit_is_refused(signal: Any, outcome: VisitOutcome, message: str):
    selector = composed(signal=signal)
    with pytest.raises(ValueError, match=message):
        selector.update(selector.init(2), outcome)


def test_states_are_left_as_they_were():
    selector = composed()
    before = selector.init(2)
    first = selector.update(before, VisitOutcome(0, EVEN))
    selector.update(first, VisitOutcome(0, EVEN))
    assert before.counts.tolist() == [0, 0] and first.counts.tolist() == [1, 0]
    selector.values(first)[:] = 9.0
    np.testing.assert_array_equal(first.values, [0.0, np.nan])


def test_in_rounds_without_end_a_new_goal_joins_the_present_one():
    selector = composed(warm_up=math.inf)
    state = selector.init(3)
    even = np.full((4, 3), 1 / 3)
    for goal in (0, 1, 2, 0, 1):
        state = selector.update(state, VisitOutcome(goal, even))
    replaced = np.array([True, False, False])
    state = selector.update(state, VisitOutcome(1, even, replaced=replaced))
    # Goal 1 had two visits and one more; goal 0 is new, as if it had come once, like goal 2.
    assert state.counts.tolist() == [1, 3, 1]


@pytest.mark.parametrize(
    ("part", "message"), [("signal", "signal must be a Signal"), ("rule", "rule must be a Rule")]
)
def test_a_part_of_another_kind_is_refused(part: str, message: str):
    with pytest.raises(TypeError, match=message):
        composed(**{part: "softmax"})


class LongVisits(signals.Competence):
    """Looks at a visit's length before the first, and relies on it."""

    def check(self, steps: int) -> None:
        if steps < 4:
            raise ValueError(f"{steps} steps are too few")


def test_a_signal_of_your_own_is_asked_whether_each_visit_is_long_enough():
    selector = composed(signal=LongVisits())
    state = selector.update(selector.init(2), VisitOutcome(0, EVEN))
    with pytest.raises(ValueError, match="3 steps are too few"):
        selector.update(state, VisitOutcome(0, EVEN[:3]))
