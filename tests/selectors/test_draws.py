"""Low-variance draws: by hand on small numbers, and the bounds under any sequence of p(g)."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import autotelic as at
from autotelic.selectors import VisitOutcome, describe, from_description, label, parse_method
from autotelic.selectors.draws import LowVariance, bounds, most_owed, settled
from autotelic.selectors.spelling import NAMES

GENERATOR = np.random.default_rng(0)


def practised(curriculum: at.Curriculum, epochs: int, steps: int = 4) -> list[int]:
    """The goals of so many epochs, each with posteriors of its own."""
    rng = np.random.default_rng(1)
    goals = []
    for _ in range(epochs):
        goals.append(curriculum.select())
        weights = rng.exponential(size=(steps, curriculum.num_goals))
        posteriors = weights / weights.sum(axis=1, keepdims=True)
        curriculum.update(posteriors)
    return goals


def test_three_goals_by_hand():
    """p = (5/8, 1/4, 1/8): in eight epochs five, two and one visits, in this order."""
    p, deficits, goals = np.array([0.625, 0.25, 0.125]), np.zeros(3), []
    for _ in range(8):
        goals.append(most_owed(deficits, p, GENERATOR))
        deficits = settled(deficits, p, goals[-1])
        if len(goals) == 2:
            assert deficits.tolist() == [0.25, -0.5, 0.25]
    # Owed: 0.625 0.25 0.125 | 0.25 0.5 0.25 | 0.875 -0.25 0.375 | 0.5 0 0.5 (a tie: the likelier)
    # | 0.125 0.25 0.625 | 0.75 0.5 -0.25 | 0.375 0.75 -0.125 | 1 0 0
    assert goals == [0, 1, 0, 0, 2, 0, 1, 0]
    assert deficits.tolist() == [0.0, 0.0, 0.0]


def test_ties_of_equal_probability_are_left_to_the_generator():
    uniform = np.full(3, 1 / 3)
    drawn = Counter(most_owed(np.array([0.0, 0.5, 0.5]), uniform, GENERATOR) for _ in range(400))
    assert set(drawn) == {1, 2}
    assert 140 < drawn[1] < 260  # six standard deviations


def test_a_goal_that_is_owed_comes_though_its_probability_is_0():
    deficits = settled(np.zeros(2), np.array([0.6, 0.4]), 0)
    assert deficits == pytest.approx([-0.4, 0.4])
    assert most_owed(np.array([-0.8, 0.8]), np.array([1.0, 0.0]), GENERATOR) == 1


def test_the_bounds_are_attained():
    assert bounds(1) == (0.0, 0.0)
    assert bounds(4) == pytest.approx((-3 / 4, 1 / 2 + 1 / 3 + 1 / 4))
    deficits, left = np.zeros(4), np.ones(4, bool)
    for epoch in range(4):  # p uniform over the goals not yet chosen
        goal = most_owed(deficits, left / left.sum(), GENERATOR)
        deficits = settled(deficits, left / left.sum(), goal)
        left[goal] = False
        if epoch == 0:
            assert deficits.min() == -3 / 4
    assert not left.any()  # each came once: a first round stays a first round
    assert deficits.max() == pytest.approx(bounds(4)[1])


def distributions(num_goals: int) -> st.SearchStrategy[np.ndarray]:
    weights = st.sampled_from([0.0, 0.0, 1e-9, 0.1, 1.0, 1.0, 3.0])

    def normalized(rows: np.ndarray) -> np.ndarray:
        rows = rows + (rows.sum(axis=1, keepdims=True) == 0)
        return rows / rows.sum(axis=1, keepdims=True)

    return arrays(np.float64, (40, num_goals), elements=weights).map(normalized)


@given(st.integers(1, 7).flatmap(distributions))
def test_no_sequence_of_probabilities_leaves_the_bounds(sequence: np.ndarray):
    low, high = bounds(sequence.shape[1])
    deficits, counts = np.zeros(sequence.shape[1]), np.zeros(sequence.shape[1])
    for p in sequence:
        goal = most_owed(deficits, p, GENERATOR)
        deficits = settled(deficits, p, goal)
        counts[goal] += 1
        assert deficits.min() >= low - 1e-7
        assert deficits.max() <= high + 1e-7
    np.testing.assert_allclose(sequence.sum(axis=0) - counts, deficits, atol=1e-9)


@given(st.integers(2, 6), st.integers(1, 5), st.data())
@example(6, 5, None)
def test_an_adversary_who_sees_the_deficits_does_not_leave_the_bounds(
    num_goals: int, favoured: int, data: Any
):
    """p is uniform over the goals owed the most, so that all but one of them are owed more."""
    low, high = bounds(num_goals)
    deficits = np.zeros(num_goals)
    for _ in range(60):
        best = np.argsort(deficits)[-min(favoured, num_goals) :]
        p = np.zeros(num_goals)
        p[best] = 1 / len(best)
        if data is not None and data.draw(st.booleans()):
            p = np.full(num_goals, 1 / num_goals)
        deficits = settled(deficits, p, most_owed(deficits, p, GENERATOR))
        assert low - 1e-9 <= deficits.min() and deficits.max() <= high + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_every_selector_of_the_catalogue_has_the_draw(name: str):
    selector = NAMES[name](draw="low_variance")  # pyright: ignore[reportCallIssue]
    at.check_selector(selector, steps=100)
    assert parse_method(f"{name}:draw=low_variance")[1] == selector
    own = NAMES[name]() == selector  # what goes without saying is not in the label
    assert label(selector) == (name if own else f"{name}:draw=low_variance")
    assert from_description(json.loads(json.dumps(describe(selector)))) == selector


@pytest.mark.parametrize(
    "selector",
    [
        at.LowVariance(at.DiversityProgress()),
        at.LowVariance(at.DiversityProgress(reference="probe", temperature=1e-300)),
        at.DiversityProgress(temperature=1e-300, draw="low_variance"),
        at.TeacherStudent(variant="naive", window=3, draw="low_variance"),
        at.Learnability(epsilon=0.0, draw="low_variance"),
        at.Selector(at.signals.LogCertainty(), at.rules.Even(), warm_up=3, draw="low_variance"),
    ],
    ids=repr,
)
def test_contract(selector: at.GoalSelector):
    assert selector.low_variance
    at.check_selector(selector, steps=40)


def test_uniform_with_low_variance_is_round_robin():
    uniform = practised(at.Curriculum(at.Uniform(draw="low_variance"), num_goals=7, seed=3), 70)
    assert uniform == practised(at.Curriculum(at.RoundRobin(), num_goals=7, seed=3), 70)
    again = at.RoundRobin(draw="low_variance")
    assert uniform == practised(at.Curriculum(again, num_goals=7, seed=3), 70)


def test_nothing_is_owed_after_the_first_round():
    curriculum = at.Curriculum(at.DiversityProgress(draw="low_variance"), num_goals=20, seed=0)
    assert sorted(practised(curriculum, 20)) == list(range(20))
    np.testing.assert_allclose(curriculum.state.deficits, 0.0, atol=1e-12)


def test_a_held_goal_is_held_at_a_tie_as_well():
    selector = at.TeacherStudent(variant="naive", window=3, draw="low_variance")
    goals = practised(at.Curriculum(selector, num_goals=5, seed=0), 60)
    assert all(len(set(goals[start : start + 3])) == 1 for start in range(0, 60, 3))


def test_counts_follow_probabilities_that_change():
    selector = at.DiversityProgress(temperature=0.05, draw="low_variance")
    curriculum = at.Curriculum(selector, num_goals=4, seed=0)
    practised(curriculum, 4)
    cumulated, counts = np.zeros(4), np.zeros(4)
    low, high = bounds(4)
    for _ in range(50):
        cumulated += curriculum.selection_probabilities
        counts[practised(curriculum, 1)] += 1
        assert low - 1e-9 <= (cumulated - counts).min() and (cumulated - counts).max() <= high


@dataclass(frozen=True)
class Own(at.GoalSelector):
    """A selector of one's own: p proportional to 1, 2, 3, ..."""

    scale: float = 1.0

    def init(self, num_goals: int) -> int:
        return num_goals

    def update(self, state: int, outcome: VisitOutcome) -> int:
        return state

    def selection_probabilities(self, state: int) -> Any:
        weights = np.arange(1.0, state + 1)
        return weights / weights.sum()


def test_a_selector_of_ones_own_is_wrapped():
    curriculum = at.Curriculum(at.LowVariance(Own()), num_goals=3, seed=0)
    assert Counter(practised(curriculum, 60)) == {0: 10, 1: 20, 2: 30}
    np.testing.assert_allclose(curriculum.selection_probabilities, [1 / 6, 1 / 3, 1 / 2])
    np.testing.assert_allclose(curriculum.prior, [1 / 6, 1 / 3, 1 / 2])
    with pytest.raises(TypeError, match=r"selector must be a GoalSelector.*make one: Own\(\)"):
        at.LowVariance(Own)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class ThreeToOne(Own):
    """Goal 0 three times as often as goal 1."""

    def selection_probabilities(self, state: int) -> Any:
        return np.array([0.75, 0.25])


def test_a_wrapped_selector_begins_with_nothing_owed_and_ties_go_to_the_likelier_goal():
    selector = at.LowVariance(ThreeToOne())
    assert selector.init(2).deficits.tolist() == [0, 0]
    # After goal 0 both are owed 1/2; the likelier comes again. Then goal 1 is owed 3/4.
    for seed in range(4):
        assert practised(at.Curriculum(selector, 2, seed=seed), 8) == [0, 0, 1, 0] * 2


def test_a_wrapped_selector_refuses_what_it_refuses_by_itself():
    selector = at.LowVariance(at.DiversityProgress(offset=900, smoothing=150))
    with pytest.raises(ValueError, match=r"offset 900 \+ smoothing 150 = 1050 exceeds"):
        selector.check(num_goals=20, steps=1000)


@pytest.mark.parametrize(
    "selector", [at.DiversityProgress(draw="low_variance"), at.LowVariance(Own())]
)
def test_a_saved_curriculum_goes_on_with_the_same_goals(selector: at.GoalSelector):
    whole = at.Curriculum(selector, num_goals=5, seed=2)
    practised(whole, 13)
    saved = json.loads(json.dumps(whole.state_dict()))
    resumed = at.Curriculum(selector, num_goals=5, seed=9)
    resumed.load_state_dict(saved)
    assert practised(resumed, 20) == practised(whole, 20)


def test_the_state_of_another_draw_or_of_another_inner_selector_is_refused():
    saved = at.Curriculum(at.Uniform(draw="low_variance"), num_goals=3).state_dict()
    with pytest.raises(ValueError, match=r"draw='low_variance' \(here 'independent'\)"):
        at.Curriculum(at.Uniform(), num_goals=3).load_state_dict(saved)
    saved = at.Curriculum(at.LowVariance(Own()), num_goals=3).state_dict()
    with pytest.raises(ValueError, match="scale"):
        at.Curriculum(at.LowVariance(Own(2.0)), num_goals=3).load_state_dict(saved)


def test_the_state_of_another_version_of_the_inner_selector_is_refused(
    monkeypatch: pytest.MonkeyPatch,
):
    saved = json.loads(json.dumps(at.Curriculum(at.LowVariance(Own()), num_goals=3).state_dict()))
    monkeypatch.setattr(Own, "version", 7)
    with pytest.raises(ValueError, match="version"):
        at.Curriculum(at.LowVariance(Own()), num_goals=3).load_state_dict(saved)


class Pretender(at.LowVariance):
    """Draws independently, and says that it does not."""

    def select(self, state: Any, generator: np.random.Generator) -> int:
        return self.selector.select(state.selector, generator)


def test_check_selector_catches_draws_of_too_much_variance():
    with pytest.raises(ValueError, match=r"cumulated shares less its visits must lie in"):
        at.check_selector(Pretender(Own()), steps=5)


def test_an_unknown_draw_is_refused():
    with pytest.raises(ValueError, match="unknown draw 'low'; choose from independent, low_var"):
        at.Uniform(draw="low")


def test_what_the_selector_says_of_its_windows_is_said_of_the_draw():
    inner = at.DiversityProgress(offset=50, smoothing=25)
    said = LowVariance(inner).caution(1000, 100)
    assert said == inner.caution(1000, 100) and "100 steps" in said
    assert LowVariance(at.Uniform()).caution(1000, 100) == ""
