"""Places in goal space: the sample kept of them, their density, and the selectors made from it."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autotelic as at
from autotelic.selectors import VisitOutcome, places, state_from_json, state_to_json
from autotelic.selectors.signals import Rarity, within_reach

LINE = np.array([[0.0], [1.0], [2.0], [3.0]])


def visit(reached: Any, goals: Any = LINE, goal: int = 0, **evidence: Any):
    goals = np.asarray(goals)
    return VisitOutcome(
        goal, np.full((2, len(goals)), 1 / len(goals)), achieved=reached, places=goals, **evidence
    )


def test_density_of_two_samples_by_hand():
    """Samples at -1 and 1: deviation 1, so a bandwidth of 0.5 is 0.5 wide. At 0 both are two widths
    away, at 1 one is none and the other four: exp(-2) and (1 + exp(-8)) / 2, over 0.5 sqrt(2 pi).
    """
    found = np.exp(places.log_density(np.array([[0.0], [1.0]]), np.array([[-1.0], [1.0]]), 0.5))
    height = 1.0 / (0.5 * np.sqrt(2 * np.pi))
    assert found == pytest.approx([np.exp(-2.0) * height, (1 + np.exp(-8.0)) / 2 * height])


@given(st.integers(0, 1000), st.floats(0.1, 1.0), st.floats(0.1, 10.0))
@settings(max_examples=20, deadline=None)
def test_a_density_integrates_to_one_in_any_unit(seed: int, bandwidth: float, unit: float):
    samples = unit * np.random.default_rng(seed).normal(size=(10, 1))
    grid = unit * np.linspace(-12, 12, 4001)
    density = np.exp(places.log_density(grid[:, None], samples, bandwidth))
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("dimensions", [1, 2, 7])
@pytest.mark.parametrize("kind", ["spread", "grid", "one place", "far away"])
def test_neighbours_of_many_goals_are_those_of_all_distances(dimensions: int, kind: str):
    """With more goals than are looked at together."""
    generator = np.random.default_rng(0)
    goals = generator.random((places.BLOCK + 300, dimensions))
    others = generator.random((700, dimensions))
    if kind == "grid":
        goals, others = np.round(9 * goals), np.round(9 * others)
    elif kind == "one place":
        others[:] = others[0]
    elif kind == "far away":
        others += 1e6
    squares = ((goals[:, None] - others) ** 2).sum(axis=2)
    found = places.nearest(goals, others, 3)
    assert all(len(set(row)) == 3 for row in found.tolist())
    expected = np.sort(squares, axis=1)[:, :3]
    chosen = np.sort(np.take_along_axis(squares, found, axis=1), axis=1)
    np.testing.assert_allclose(chosen, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dimensions", [1, 2, 7])
def test_the_spacing_of_many_goals_is_that_of_all_distances(dimensions: int):
    goals = np.random.default_rng(1).random((places.BLOCK + 300, dimensions))
    squares = ((goals[:, None] - goals) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert places.spacing(goals) == pytest.approx(np.sqrt(np.median(squares.min(axis=1))))


def test_the_spacing_of_goals_that_stay_is_computed_once(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def distances(a: Any, b: Any) -> Any:
        asked.append(len(a) * len(b))
        return ((a[:, None] - b) ** 2).sum(axis=2)

    goals = np.random.default_rng(2).random((2000, 2))
    monkeypatch.setattr(places, "squared_distances", distances)
    first = places.spacing(goals)
    assert sum(asked) < 2000 * 2000  # not all with all
    number = len(asked)
    assert places.spacing(goals.copy()) == first and len(asked) == number
    goals[0] += 1.0  # goals that move are looked at anew
    places.spacing(goals)
    assert len(asked) > number


def test_samples_at_one_place_have_a_density():
    found = places.log_density(np.array([[5.0, 5.0], [6.0, 5.0]]), np.full((3, 2), 5.0), 1.0)
    assert np.exp(found) == pytest.approx(np.array([1.0, np.exp(-0.5)]) / (2 * np.pi))


def test_nowhere_that_was_reached_is_less_dense_than_one_sample_alone():
    samples = np.array([[0.0], [0.0], [0.0], [100.0]])
    alone = places.log_density(np.array([[100.0]]), samples, 0.01)
    assert places.log_density_of_one(samples, 0.01) == pytest.approx(alone[0])


def test_a_reservoir_keeps_each_place_with_the_same_chance():
    kept = np.zeros(60)
    for start in range(400):  # the numbers that decide follow from how many were seen
        reservoir = places.Reservoir(np.full((10, 1), -1.0), 10 + start)
        reservoir = places.sampled(reservoir, np.arange(60.0)[:, None], 10)
        inside = reservoir.places[reservoir.places >= 0].astype(int)
        kept[inside] += 1
        assert reservoir.seen == 70 + start and len(reservoir.places) == 10
    # Later ones among equals: 10 of 70 to 10 of 470 each, whatever their order of arrival.
    expected = sum(10 / (70 + start) for start in range(400))
    assert kept[:30].mean() == pytest.approx(expected, rel=0.1)
    assert kept[30:].mean() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("part", [1, 100, 1000])
def test_what_a_reservoir_keeps_is_as_late_as_all_that_was_seen(part: int):
    reservoir = places.nothing_reached()
    for start in range(0, 1000, part):
        seen = np.arange(start, start + part, dtype=float)[:, None]
        reservoir = places.sampled(reservoir, seen, capacity=50)
    kept = reservoir.places[:, 0]
    assert len(np.unique(kept)) == 50
    # Of 50 uniform numbers below 1000 the mean has the deviation 289 / sqrt(50) = 41.
    assert abs(kept.mean() - 499.5) < 3 * 41


def test_a_density_in_the_plane_by_hand():
    """Samples at (0, 0) and (2, 2): deviation 1 along both axes, and a squared distance of 8."""
    samples = np.array([[0.0, 0.0], [2.0, 2.0]])
    found = np.exp(places.log_density(samples[:1], samples, 1.0))
    assert found == pytest.approx((1 + np.exp(-4.0)) / 2 / (2 * np.pi))


def test_the_spacing_of_goals_is_a_distance():
    assert places.spacing(np.array([[0.0], [2.0], [5.0]])) == 2.0  # of 2, 2 and 3


def test_squared_distances_in_the_plane():
    found = places.squared_distances(np.array([[1.0, 2.0]]), np.array([[4.0, 6.0], [1.0, 3.0]]))
    np.testing.assert_allclose(found, [[25.0, 1.0]])


def test_a_reservoir_is_full_before_anything_is_dropped():
    first = places.sampled(places.nothing_reached(), np.arange(3.0)[:, None], 5)
    both = places.sampled(first, np.arange(3.0, 5.0)[:, None], 5)
    assert both.places.ravel().tolist() == [0, 1, 2, 3, 4]
    assert first.places.ravel().tolist() == [0, 1, 2]


def test_another_dimension_is_refused():
    state = at.Frontier().init(4)
    state = at.Frontier().update(state, visit([[0.0]]))
    with pytest.raises(ValueError, match="1 entries each so far, and now 2"):
        at.Frontier().update(state, visit([[0.0, 0.0]], np.zeros((4, 2))))


def test_how_near_is_near_follows_the_spacing_and_the_cutoff_of_distances():
    """Goals at 0, 4, 8 and 12. Half the spacing is 2, unless a cutoff says otherwise; one of values does
    not.
    """
    values = dict(values_before=np.zeros(4), values_after=np.arange(4.0))
    for signal, end, missed in (
        (Rarity(), 10.0, 0),
        (Rarity(), 9.9, 1),
        (Rarity(cutoff=1.0), 8.0, 0),
        (Rarity(cutoff=0.25), 10.0, 1),
        (Rarity("value", cutoff=1.0), 9.9, 1),
    ):
        state, _ = signal.update(signal.init(4), visit([[end]], 4 * LINE, goal=3, **values))
        assert state.missed.tolist() == [0, 0, 0, missed]


def test_a_visit_in_vain_leaves_the_state_before_it_as_it_was():
    signal = Rarity()
    first, _ = signal.update(signal.init(4), visit([[0.0]], goal=3))
    second, _ = signal.update(first, visit([[0.0]], goal=3))
    assert (first.missed[3], second.missed[3]) == (1, 2)


def test_a_goal_is_within_reach_at_half_the_spacing():
    selector = at.Frontier()
    state = selector.update(selector.init(4), visit([[0.0], [1.5]]))
    assert (selector.selection_probabilities(state) > 0).tolist() == [True, True, True, False]
    # What came near once stays within reach; a goal that none came near does not.
    for _ in range(3):
        state = selector.update(state, visit(np.zeros((2000, 1))))
    assert (selector.selection_probabilities(state) > 0).tolist() == [True, True, True, False]


def test_the_nearest_goal_counts_when_none_is_within_reach():
    selector = at.Frontier()
    state = selector.update(selector.init(4), visit([[-5.0]]))
    assert selector.selection_probabilities(state).tolist() == [1, 0, 0, 0]


def test_values_decide_what_is_within_reach():
    values = dict(values_before=np.zeros(4), values_after=[1.0, 2.0, 3.0, 4.0])
    for within, cutoff, expected in (
        ("value", 2.5, [False, False, True, True]),
        ("value_quantile", 0.3, [False, True, True, True]),  # the quantile is 1.9
        ("value", 9.0, [False, False, False, True]),  # none: the best
    ):
        selector = at.Frontier(within=within, cutoff=cutoff)
        assert selector.evidence == {"achieved", "values"}
        state = selector.update(selector.init(4), visit([[0.0]], **values))
        assert (selector.selection_probabilities(state) > 0).tolist() == expected
    assert within_reach(np.array([1.0, 1.0]), 2.0).tolist() == [True, True]


@pytest.mark.parametrize(
    ("within", "cutoff", "after", "expected"),
    [
        ("value", -3.0, [-3.5, -3.0, -2.5, 0.0], [False, True, True, True]),
        ("value", -3.0, [-3.1, -9.0, 2.9, 3.1], [False, False, True, True]),
        ("value_quantile", None, [0.0, 1.0, 2.0, 3.0], [False, True, True, True]),  # it is 0.9
    ],
)
def test_values_from_the_cutoff_on_or_but_the_lowest_3_in_10_are_within_reach(
    within: str, cutoff: float | None, after: list[float], expected: list[bool]
):
    signal = Rarity(within, cutoff)
    values = dict(values_before=np.zeros(4), values_after=after)
    _, found = signal.update(signal.init(4), visit([[0.0]], **values))
    assert np.isfinite(found).tolist() == expected


@pytest.mark.parametrize("selector", [at.Frontier(sharpness=0.5), at.SkewFit(alpha=-0.5)])
def test_probability_is_the_inverse_root_of_the_density(selector: Any):
    reached = np.repeat(LINE[:3], [6, 3, 1], axis=0)
    state = selector.update(selector.init(4), visit(reached))
    density = np.exp(places.log_density(LINE[:3], reached, 0.1))
    expected = density**-0.5 / (density**-0.5).sum()
    assert selector.selection_probabilities(state) == pytest.approx([*expected, 0.0])
    # Far apart compared with the kernel, the density is in the ratio of the visits.
    assert density / density.sum() == pytest.approx([0.6, 0.3, 0.1], rel=1e-3)


def test_a_goal_a_little_off_counts_as_reached_once():
    selector = at.Frontier(sharpness=1.0)
    reached = np.array([[0.0], [0.0], [1.0], [1.0], [2.4]])  # three goals, the last by 0.4
    state = selector.update(selector.init(4), visit(reached))
    assert selector.selection_probabilities(state)[:3] == pytest.approx([0.25, 0.25, 0.5], rel=1e-3)


def test_a_visit_in_vain_counts_as_time_spent_there_by_hand():
    """Of eight places four are at 0, three at 1 and one at 3. One of two visits, to 3, came not near it:
    the densities are 4, 3 and 1 + 8/2 eighths.
    """
    selector = at.Frontier(sharpness=1.0)
    state = selector.update(selector.init(4), visit([[0.0], [0.0], [1.0], [3.0]]))
    state = selector.update(state, visit([[0.0], [0.0], [1.0], [1.0]], goal=3))
    weights = np.array([1 / 4, 1 / 3, 0.0, 1 / 5])
    expected = weights / weights.sum()
    assert selector.selection_probabilities(state) == pytest.approx(expected, rel=1e-6)
    assert state.signal.missed.tolist() == [0, 0, 0, 1] and state.signal.visits == 2
    # One that comes near, if not quite there, is not in vain; nor does an exchanged goal keep its own.
    state = selector.update(state, visit([[0.0], [2.6]], goal=3))
    assert state.signal.missed[3] == 1
    gone = np.arange(4) == 3
    assert selector.update(state, visit([[0.0]], goal=3, replaced=gone)).signal.missed[3] == 0


@pytest.mark.parametrize("selector", [at.Frontier(), at.SkewFit()], ids=["frontier", "skew-fit"])
def test_a_goal_touched_once_and_never_again_does_not_take_all_practice(selector: Any):
    """The first visit comes by the last goal, by luck; later ones reach any goal but that."""
    curriculum = at.Curriculum(selector, num_goals=4, seed=0)
    even, counts = np.full((2, 4), 0.25), np.zeros(4)
    for number in range(240):
        goal = curriculum.select()
        end = 3 if number == 0 else goal if goal < 3 else 1
        walked = np.repeat(np.arange(end + 1.0), 3)[:, None]
        curriculum.update(even, achieved=walked, places=LINE)
        counts[goal] += number >= 120
    assert 0 < counts[3] < 60  # of 120; and it is not given up


def test_a_frontier_resumes_exactly():
    selector, generator = at.Frontier(), np.random.default_rng(0)
    state = selector.init(4)
    outcomes = [visit(generator.normal(size=(300, 1))) for _ in range(12)]
    for outcome in outcomes[:6]:
        state = selector.update(state, outcome)
    text = json.dumps(state_to_json(selector, state), allow_nan=False)
    restored = state_from_json(selector, json.loads(text))
    for outcome in outcomes[6:]:
        state, restored = selector.update(state, outcome), selector.update(restored, outcome)
    assert restored.signal.reached.seen == 3600 and len(restored.signal.reached.places) == 1000
    assert np.array_equal(restored.signal.reached.places, state.signal.reached.places)
    assert np.array_equal(
        selector.selection_probabilities(restored), selector.selection_probabilities(state)
    )


def test_a_new_goal_is_judged_by_what_was_reached_earlier():
    selector = at.Frontier()
    state = selector.update(selector.init(4), visit([[0.0], [7.0]]))
    moved = np.array([[0.0], [1.0], [2.0], [7.0]])
    replaced = np.array([False, False, False, True])
    state = selector.update(state, visit([[0.0]], moved, replaced=replaced))
    assert selector.selection_probabilities(state)[3] > 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: at.SkewFit(alpha=0.0), "alpha must be below 0"),
        (lambda: at.SkewFit(alpha=-1.5), "alpha must lie in"),
        (lambda: at.Frontier(sharpness=0.0), "sharpness must be greater"),
        (lambda: at.Frontier(within="luck"), "unknown within 'luck'"),
        (lambda: at.Frontier(within="value_quantile", cutoff=2.0), "cutoff must lie in"),
        (lambda: Rarity(cutoff=-0.1), r"cutoff must lie in \[0, inf\]"),
        (lambda: at.Frontier(within="value"), "within is 'value', and cutoff None; say from which"),
        (lambda: Rarity("value_quantile", cutoff=-0.1), r"cutoff must lie in \[0, 1\]"),
        (lambda: Rarity(bandwidth=0.0), "bandwidth must be greater"),
    ],
)
def test_bad_settings_are_refused(make: Any, message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_value_may_be_any_number_and_the_rest_is_as_documented():
    assert Rarity("value", cutoff=-9.0).cutoff == -9.0
    assert Rarity() == Rarity("distance", cutoff=None, bandwidth=0.1)


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"achieved": [[0.0]]}, "come together, got achieved alone"),
        ({"achieved": [[0.0]], "places": [[0.0, 1.0]] * 2}, r"got \(1, 1\) and \(2, 2\)"),
        ({"achieved": [0.0], "places": [[0.0]] * 2}, r"got \(1,\) and \(2, 1\)"),
        ({"achieved": np.empty((0, 1)), "places": [[0.0]] * 2}, "at least one row"),
        (
            {"achieved": [[0.0]], "places": [[0.0]] * 3},
            r"each of the 2 goals, got the shape \(3, 1\)",
        ),
        ({"achieved": [[0.0], [np.nan]], "places": [[0.0]] * 2}, "achieved must be finite; row 1"),
        ({"achieved": [[0.0]], "places": [[0.0], [np.inf]]}, "places must be finite; row 1"),
        ({"value_spread": [0.1, -0.1]}, "value_spread must not be negative, got -0.1"),
        ({"value_spread": [0.1]}, "value_spread must hold a finite number for each goal"),
        ({"replaced": [True]}, r"replaced must be booleans .* shape \(1,\)"),
        ({"replaced": [1, 0]}, "replaced must be booleans .* dtype int64"),
        ({"reached": [True]}, r"reached must be booleans .* shape \(1,\)"),
    ],
)
def test_bad_evidence_is_refused(evidence: Any, message: str):
    with pytest.raises(ValueError, match=message):
        VisitOutcome(0, [[0.5, 0.5]] * 2, **evidence)
    curriculum = at.Curriculum(at.Uniform(), num_goals=2)
    curriculum.select()
    with pytest.raises(ValueError, match=message):
        curriculum.update([[0.5, 0.5]] * 2, **evidence)


def test_missing_places_are_asked_for():
    curriculum = at.Curriculum(at.Frontier(), num_goals=2)
    curriculum.select()
    with pytest.raises(ValueError, match="needs the argument achieved and places"):
        curriculum.update([[0.5, 0.5]] * 2)
    curriculum.update([[0.5, 0.5]] * 2, achieved=[[0.0]], places=[[0.0], [1.0]])
    assert curriculum.selection_probabilities.tolist() == [1.0, 0.0]
