"""Selectors that share what they know between neighbours, and the one that knows when to step back."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autotelic as at
from autotelic.selectors import VisitOutcome, signals, state_from_json, state_to_json
from autotelic.selectors.base import Results
from autotelic.selectors.gaussian_mixture import Mixture, no_mixture
from autotelic.selectors.signals import mixture_progress
from autotelic.selectors.signals.open_question import OpenState, openness, unlikeness

LINE = np.arange(4.0)[:, None]


def visit(goal: int, success: float | None, goals: Any = LINE, **evidence: Any):
    even = np.full((2, len(goals)), 1 / len(goals))
    return VisitOutcome(goal, even, success=success, achieved=goals[:1], places=goals, **evidence)


def after(selector: at.GoalSelector, visits: Sequence[tuple[int, float]], goals: Any = LINE):
    state = selector.init(len(goals))
    for goal, success in visits:
        state = selector.update(state, visit(goal, success, goals))
    return state


def test_critics_who_agree_leave_every_goal_alike():
    selector = at.ValueDisagreement()
    state = selector.update(selector.init(4), visit(0, None, value_spread=np.zeros(4)))
    assert selector.selection_probabilities(state).tolist() == [0.25] * 4
    state = selector.update(state, visit(0, None, value_spread=[1.0, 0.0, 2.0, 1.0]))
    assert selector.selection_probabilities(state).tolist() == [0.25, 0.0, 0.5, 0.25]


def test_success_is_the_mean_of_the_nearest_goals_tried():
    known = np.array([1.0, np.nan, 0.0, np.nan])
    # One goal each: itself, a tie between 0 and 2 left out, itself, the goal 2.
    assert signals.neighbour_means(LINE, known, 1)[[0, 2, 3]].tolist() == [1.0, 0.0, 0.0]
    assert signals.neighbour_means(LINE, known, 5).tolist() == [0.5] * 4
    assert np.isnan(signals.neighbour_means(LINE, np.full(4, np.nan), 2)).all()


def test_neighbours_are_the_nearest_by_any_order_of_goals():
    generator = np.random.default_rng(0)
    for goals in (12, 300):  # few numbers NumPy sorts, of many it looks for the least
        places, known = generator.normal(size=(goals, 2)), generator.random(goals)
        nearest = np.array([np.linalg.norm(places - place, axis=1).argsort() for place in places])
        for number in (1, 2, 3, 12):
            expected = known[nearest[:, :number]].mean(axis=1)
            found = signals.neighbour_means(places, known, number)
            np.testing.assert_allclose(found, expected)


def test_goals_of_intermediate_difficulty_by_hand():
    selector = at.IntermediateDifficulty(neighbours=1, window=2, epsilon=0.0)
    assert selector.evidence == {"achieved", "success"}
    # The last two visits count: 1, 0.95, 0.5; the goal 3 borrows from 2.
    state = after(selector, [(0, 0.0), (0, 1.0), (0, 1.0), (1, 1.0), (1, 0.9), (2, 0.5)])
    assert selector.values(state) == pytest.approx([1.0, 0.95, 0.5, 0.5])
    assert selector.selection_probabilities(state).tolist() == [0.0, 0.0, 0.5, 0.5]
    # None in the band: every goal alike.
    state = after(selector, [(0, 1.0), (3, 0.0)])
    assert selector.selection_probabilities(state).tolist() == [0.25] * 4


def test_progress_is_that_since_the_nearest_earlier_place_and_the_last_of_several():
    earlier, competences = np.array([[0.0], [3.0], [0.0]]), np.array([0.1, 0.9, 0.4])
    assert signals.progress_at(np.array([0.5]), 1.0, earlier, competences) == pytest.approx(0.6)
    assert signals.progress_at(np.array([2.0]), 1.0, earlier, competences) == pytest.approx(0.1)
    assert signals.progress_at(np.array([2.0]), 0.5, earlier, competences) == pytest.approx(0.4)


def test_shares_of_a_mixture_by_hand():
    """Two Gaussians of deviation 1 at 0 and 3, of mean progress 0.1 and 0.3: drawn 1 : 3. Over the
    goals 0 and 3 each gives 1 : exp(-4.5) to its own and the other.
    """
    mixture = Mixture(
        np.array([0.5, 0.5]), np.array([[0.0, 0.1], [3.0, 0.3]]), np.tile(np.eye(2), (2, 1, 1))
    )
    near = 1 / (1 + np.exp(-4.5))
    expected = 0.25 * np.array([near, 1 - near]) + 0.75 * np.array([1 - near, near])
    found = signals.mixture_weights(np.array([[0.0], [3.0]]), mixture)
    assert found == pytest.approx(expected)
    flat = mixture._replace(means=np.array([[0.0, 0.0], [3.0, -0.1]]))  # no progress: alike
    assert signals.mixture_weights(np.array([[0.0], [3.0]]), flat) == pytest.approx([0.5, 0.5])


def test_shares_of_a_mixture_in_the_plane_follow_progress_and_not_place():
    """Two narrow Gaussians, each at a goal, of mean progress 0.3 and 0.1."""
    goals = np.array([[0.0, 9.0], [9.0, 0.0]])
    means = np.array([[0.0, 9.0, 0.3], [9.0, 0.0, 0.1]])
    mixture = Mixture(np.array([0.5, 0.5]), means, np.tile(np.eye(3), (2, 1, 1)))
    assert signals.mixture_weights(goals, mixture) == pytest.approx([0.75, 0.25])


def test_a_gaussian_far_from_every_goal_is_the_nearest_goals():
    mixture = Mixture(np.ones(1), np.array([[100.0, 0.1]]), np.eye(2)[None])
    found = signals.mixture_weights(np.array([[0.0], [300.0]]), mixture)
    assert found.tolist() == [1.0, 0.0]


def seen(signal: Any, successes: Sequence[float]):
    """The state after visits to one goal with these successes."""
    state = signal.init(4)
    for success in successes:
        state, _ = signal.update(state, visit(0, success))
    return state


def test_progress_needs_more_than_five_earlier_visits():
    """As in the published code, whose first progress is that of the seventh task."""
    state = seen(signals.MixtureProgress("success"), [0.0, 1.0, 0.0, 1.0, 0.25, 1.0, 0.5])
    assert state.progress.tolist() == [[0.0, 0.0]] * 6 + [[0.0, 0.5]]
    assert state.places.tolist() == [[0.0]] and state.competences.tolist() == [0.5]
    assert state.visits == 7


def test_a_place_is_remembered_however_many_visits_ago_it_was():
    """All earlier tasks are searched, and the state does not grow with them."""
    signal = signals.MixtureProgress("success", refit=250)
    state = seen(signal, [0.25, *[1.0] * 5])
    state, _ = signal.update(state, visit(1, 0.5))
    for _ in range(1200):
        state, _ = signal.update(state, visit(0, 1.0))
    state, _ = signal.update(state, visit(1, 0.75))
    assert state.progress[-1].tolist() == [1.0, 0.25]
    assert state.places.tolist() == [[0.0], [1.0]] and state.progress.shape == (250, 2)


def test_a_mixture_is_fitted_in_units_of_the_extent_of_goals(monkeypatch: pytest.MonkeyPatch):
    """Goals extend by 4, by 1/2 and not at all; progress stays as it is."""
    asked: list[Any] = []

    def fitted(rows: Any, numbers: Any, generator: Any) -> Mixture:
        asked.append((rows.tolist(), list(numbers)))
        return Mixture(np.ones(1), np.ones((1, 4)), 1.0 + np.eye(4)[None])

    monkeypatch.setattr(mixture_progress, "best_fit", fitted)
    goals = np.array([[0.0, 1.0, 7.0], [4.0, 1.5, 7.0]])
    signal = signals.MixtureProgress("success", refit=2, largest=3)
    state = mixture_progress.MixtureState(
        goals[[1]], np.array([0.25]), np.array([[*goals[1], 0.0]] * 2), no_mixture(), 7
    )
    state, _ = signal.update(state, visit(0, 1.0, goals))
    assert asked == [([[1.0, 3.0, 7.0, 0.0], [0.0, 2.0, 7.0, 0.75]], [2, 3])]
    scale = np.array([4.0, 0.5, 1.0, 1.0])
    assert state.mixture.means.tolist() == [scale.tolist()]
    expected = np.outer(scale, scale) + np.diag(scale**2)
    assert state.mixture.covariances.tolist() == [expected.tolist()]


def test_alp_gmm_practises_where_competence_changes():
    """Goals on a line of ten; only at the last three does success change from visit to visit."""
    selector, goals = at.AlpGmm(refit=60, largest=4, epsilon=0.2), np.arange(10.0)[:, None]
    visits = [(visit % 10, float(visit % 10 >= 7 and visit // 10 % 2)) for visit in range(59)]
    state = after(selector, visits, goals)
    assert selector.selection_probabilities(state) == pytest.approx(
        np.full(10, 0.1)
    )  # not fitted yet
    state = selector.update(state, visit(9, 1.0, goals))
    p = selector.selection_probabilities(state)
    assert p.min() >= 0.02 and p[7:].sum() > 0.75
    assert state.signal.progress[:6, -1].tolist() == [0.0] * 6  # the first six show none


def test_alp_gmm_resumes_exactly_and_its_memory_is_bounded():
    selector, generator = at.AlpGmm(refit=20), np.random.default_rng(0)
    visits = [
        (int(g), float(c))
        for g, c in zip(generator.integers(4, size=1100), generator.random(1100), strict=True)
    ]
    state = after(selector, visits[:1045])
    restored = state_from_json(selector, json.loads(json.dumps(state_to_json(selector, state))))
    for goal, success in visits[1045:]:
        state = selector.update(state, visit(goal, success))
        restored = selector.update(restored, visit(goal, success))
    assert len(state.signal.progress) == 20 and len(state.signal.places) == 4
    assert json.dumps(state_to_json(selector, state)) == json.dumps(
        state_to_json(selector, restored)
    )


def test_openness_by_hand():
    """Rates of 0.2 / 0.3, 1.2 / 2.3 and 0.2 / 1.3, to the power 4."""
    found = signals.openness(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    expected = [(4 * 2 / 9) ** 4, (4 * 1.2 * 1.1 / 2.3**2) ** 4, (4 * 0.2 * 1.1 / 1.3**2) ** 4]
    assert found == pytest.approx(expected)


@given(st.floats(0.0, 0.3), st.floats(1.0, 10.0))
def test_openness_falls_towards_the_ends_and_with_what_is_known_there(rate: float, visits: float):
    def at_rate(c: float, n: float) -> float:
        return float(signals.openness(np.array([c * n]), np.array([(1 - c) * n]))[0])

    assert at_rate(0.5, visits) > at_rate(rate, visits)
    assert at_rate(0.5, visits) > at_rate(1.0 - rate, visits)
    for certain in (0.0, 1.0):
        assert at_rate(certain, visits + 1.0) < at_rate(certain, visits)


def test_unlikeness_by_hand():
    """Three goals of 8 visits at 0, 1/2 and 1: X^2 = 8 (1/4 + 1/4) / (1/4) = 16, of which chance explains
    2. At 3/8, 1/2 and 5/8 it is 1, and chance explains more than that.
    """
    visits = np.full(3, 8.0)
    assert signals.unlikeness(np.array([0.0, 0.5, 1.0]), visits) == pytest.approx(14 / 16)
    assert signals.unlikeness(np.array([0.375, 0.5, 0.625]), visits) == 0.0
    assert signals.unlikeness(np.zeros(3), visits) == signals.unlikeness(np.ones(3), visits) == 0.0
    assert signals.unlikeness(np.array([0.0, 1.0]), np.array([9.0, 0.0])) == 0.0  # one tried alone
    # Goals of 4 and 12 visits at 1 and 0: the mean is 1/4, X^2 = (4 (3/4)^2 + 12 (1/4)^2) / (3/16) = 16.
    found = signals.unlikeness(np.array([1.0, 0.0]), np.array([4.0, 12.0]))
    assert found == pytest.approx(15 / 16)


def test_a_goal_counts_with_less_than_a_visit_and_not_with_none():
    """Half a visit at 1 and four at 0: the mean is 1/9, X^2 = (64/162 + 4/81) / (8/81) = 9/2."""
    found = signals.unlikeness(np.array([1.0, 0.0, np.nan]), np.array([0.5, 4.0, 0.0]))
    assert found == pytest.approx(7 / 9)
    # 3 x 0.1 / 3 is not 0.1 to the last bit: a goal alone would differ from itself by that.
    assert signals.unlikeness(np.array([0.1, 0.0]), np.array([3.0, 0.0])) == 0.0


def test_graded_success_is_judged_by_how_it_varies():
    """Two goals of five visits, at 0.4 and 0.6. As single successes: X^2 = 10 x 0.01 / 0.25, and chance
    explains more. Always just so: all there is lies between the goals, X^2 = 10. With a deviation of 0.1
    around them: 10 x 0.01 / 0.02 = 5.
    """
    rates, visits = np.array([0.4, 0.6]), np.full(2, 5.0)
    assert signals.unlikeness(rates, visits) == 0.0
    assert signals.unlikeness(rates, visits, graded=0.24) == pytest.approx(0.9)
    assert signals.unlikeness(rates, visits, graded=0.23) == pytest.approx(0.8)
    assert signals.unlikeness(np.full(2, 0.4), visits, graded=0.24) == 0.0


def test_no_more_than_eighteen_trials_a_goal_are_believed():
    found = signals.unlikeness(np.array([0.0, 1.0]), np.full(2, 1000.0))
    assert found == pytest.approx(1 - 1 / 36)


def test_a_visit_of_several_episodes_is_as_many_trials():
    """Half of four and all of four: weights 1, squares 1/4; X^2 = 8 (1/16) / (3/16) = 8/3."""
    signal = signals.OpenQuestion(memory=1e9)
    state, _ = signal.update(signal.init(2), visit(0, 0.5, LINE[:2], count=4))
    state, found = signal.update(state, visit(1, 1.0, LINE[:2], count=4))
    assert state.squares == pytest.approx([0.25, 0.25]) and state.graded.tolist() == [0, 0]
    opened = signals.openness(np.array([0.5, 1.0]), np.array([0.5, 0.0]))
    assert found == pytest.approx(1 + (1 - 3 / 8) * (opened / opened.mean() - 1))


def test_auto_can_leave_out_goals_reached_on_the_way():
    selector = at.AutoSelector(reached=False)
    passed = np.array([True, True, False, False])
    state = selector.update(selector.init(4), visit(2, 1.0, reached=passed))
    assert state.signal.question.successes.tolist() == [0, 0, 1, 0]


def test_equal_goals_are_hardly_held_to_differ():
    """X^2 / (n - 1) has the mean 1 and the deviation sqrt(2 / 19) = 0.32: the mean of its part above 1 is
    0.32 x 0.4 = 0.13, and of 1 - 1 / that a little less.
    """
    generator = np.random.default_rng(0)
    rates = generator.binomial(8, 0.4, size=(1000, 20)) / 8
    assert np.mean([signals.unlikeness(row, np.full(20, 8.0)) for row in rates]) < 0.13


def test_the_signal_by_hand():
    """0 succeeds, then fails; 1 fails thrice; 2 succeeds thrice. Weights are 0.64, 0.8 and 1."""
    signal = signals.OpenQuestion(memory=1e9)  # nothing fades
    state, value = signal.init(3), np.ones(3)
    for goal, success in ((0, 1.0), (0, 0.0), *[(1, 0.0), (2, 1.0)] * 3):
        state, value = signal.update(state, visit(goal, success, LINE[:3]))
    assert state.successes == pytest.approx([0.8, 0, 2.44])
    assert state.failures == pytest.approx([1, 2.44, 0])
    assert state.squares == pytest.approx([1.64, 2.0496, 2.0496])
    visits = np.array([1.8**2 / 1.64, 2.44**2 / 2.0496, 2.44**2 / 2.0496])
    rates = np.array([0.8 / 1.8, 0.0, 1.0])
    mean = rates @ visits / visits.sum()
    share = 1 - 2 / (visits @ (rates - mean) ** 2 / (mean * (1 - mean)))
    q = np.array([1.0 / 2.1, 0.2 / 2.74, 2.64 / 2.74])
    opened = (4 * q * (1 - q)) ** 4
    assert 0.6 < share < 0.7
    assert value == pytest.approx(1 - share + share * opened / opened.mean())


def test_what_is_known_fades_by_half_in_so_many_rounds():
    """One visit of two fades by the root of a half when the memory is one round, its square by a half."""
    signal = signals.OpenQuestion(memory=1.0)
    state, _ = signal.update(signal.init(2), visit(0, 0.25, LINE[:2]))
    state, _ = signal.update(state, visit(1, 1.0, LINE[:2]))
    assert state.successes == pytest.approx([0.25 * 0.5**0.5, 1.0])
    assert state.failures == pytest.approx([0.75 * 0.5**0.5, 0.0])
    assert state.squares == pytest.approx([0.5, 1.0])


def test_goals_not_tried_or_reached_on_the_way_alone_by_hand():
    """0 fails and 1 is reached on the way: rates 0 and 1, each as sure as one visit, so that X^2 = 2 and the
    unlikeness is a half. 2 is as open as what nothing is known of.
    """
    signal = signals.OpenQuestion(memory=1e9)
    reached = np.array([False, True, False])
    outcome = visit(0, 0.0, LINE[:3], reached=reached, replaced=np.array([False, False, True]))
    state, found = signal.update(signal.init(3), outcome)
    opened = signals.openness(np.array([0.0, 0.5, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert found == pytest.approx(1 + 0.5 * (opened / opened.mean() - 1))
    forgotten = signal.forget(state, np.array([True, False, False]))
    assert [part.tolist() for part in forgotten] == [[0, 0.5, 0], [0] * 3, [0, 0.25, 0], [0] * 3]


def test_the_evidence_of_a_visit_is_left_as_it_was():
    reached = np.array([True, True, False, False])
    outcome = visit(2, 1.0, reached=reached, replaced=np.array([True, False, False, False]))
    signal = signals.OpenQuestion()
    signal.update(signal.init(4), outcome)
    assert reached.tolist() == [True, True, False, False]


def test_defaults_are_those_documented():
    assert signals.MixtureProgress() == signals.MixtureProgress("certainty", refit=250, largest=10)
    assert signals.NeighbourSuccess() == signals.NeighbourSuccess(
        "certainty", neighbours=3, window=5
    )
    assert signals.OpenQuestion() == signals.OpenQuestion(memory=10.0)
    assert signals.NeighbourSuccess().untried(4) == 0.5
    assert signals.OpenQuestion().untried(4) == 1.0


def test_the_least_of_each_setting_is_accepted():
    signals.MixtureProgress(refit=2, largest=2)
    signals.NeighbourSuccess(neighbours=1, window=1)
    signals.OpenQuestion(memory=0.5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: signals.MixtureProgress("certanty"), "Did you mean 'certainty'"),
        (lambda: signals.MixtureProgress(refit=1), "refit must be at least 2"),
        (lambda: signals.MixtureProgress(largest=1), "largest must be at least 2"),
        (lambda: signals.NeighbourSuccess("certanty"), "Did you mean 'certainty'"),
        (lambda: signals.NeighbourSuccess(neighbours=0), "neighbours must be at least 1"),
        (lambda: signals.NeighbourSuccess(window=0), "window must be at least 1"),
        (lambda: signals.OpenQuestion(memory=0.0), "memory must be greater than 0"),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], Any], message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_goal_reached_on_the_way_has_succeeded_in_half_a_visit():
    signal = signals.OpenQuestion(memory=1e9)
    state, _ = signal.update(signal.init(4), visit(1, 0.0))
    passed = np.array([True, True, True, False])
    state, _ = signal.update(
        state, visit(2, 0.0, reached=passed)
    )  # its own success is that of the visit
    assert state.successes == pytest.approx([0.5, 0.5, 0, 0])
    assert state.failures == pytest.approx([0, 0.8**0.5, 1, 0])
    assert state.squares == pytest.approx([0.25, 0.8 + 0.25, 1, 0])
    gone = np.array([True, False, False, False])
    after, _ = signal.update(signal.init(4), visit(2, 1.0, reached=passed, replaced=gone))
    assert after.successes == pytest.approx([0, 0.5, 1, 0])  # the first is another goal by now


def run_auto(chances: Sequence[float], visits: int, seed: int = 0):
    """How often each goal is practised when it succeeds with these chances."""
    curriculum = at.Curriculum(at.AutoSelector(), num_goals=len(chances), seed=seed)
    generator, counts = np.random.default_rng(seed), np.zeros(len(chances), dtype=int)
    even, seen = np.full((2, len(chances)), 1 / len(chances)), []
    for _ in range(visits):
        goal = curriculum.select()
        counts[goal] += 1
        curriculum.update(even, success=float(generator.random() < chances[goal]))
        seen.append(curriculum.selection_probabilities)
    return counts, np.array(seen)


def test_auto_is_round_robin_when_no_goal_differs():
    for chance in (0.0, 1.0):
        counts, seen = run_auto([chance] * 6, 60)
        assert counts.tolist() == [10] * 6
        assert seen[-1] == pytest.approx(np.full(6, 1 / 6))


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_auto_stays_near_even_while_goals_are_alike(chance: float):
    """Half of sum_g |p(g) - 1/|G||, the practice that goes elsewhere, is below 0.15 in the mean."""
    _, seen = run_auto([chance] * 20, 600)
    assert 0.5 * np.abs(seen[20:] - 0.05).sum(axis=1).mean() < 0.15


def test_the_share_of_impossible_goals_falls_and_no_goal_is_given_up():
    """Half never succeed. Of own visits no more than nine count, so that unlikeness is at most
    1 - (19/20) / 9, and the rest is even.
    """
    _, seen = run_auto([0.0] * 10 + [0.2, 0.4, 0.5, 0.6, 0.8] * 2, 600)
    share = seen[:, :10].sum(axis=1)
    assert share[:5].max() <= 0.75 and share[100:].mean() < 0.25
    assert seen[20:].min() >= (19 / 20) / 9 / 20


def results(*rows: tuple[int, float, float, int, float, int]) -> Results:
    """Of four goals: number, success, competence, episodes, graded and visits of each row."""
    goals, success, known, episodes, graded, visits = (
        np.array(own) for own in zip(*rows, strict=True)
    )
    return Results(4, goals, success, known, episodes, graded, visits)


def test_visits_that_are_learned_together_count_as_one_after_the_other():
    signal = signals.OpenQuestion(memory=1e9)
    begun = signal.update(signal.init(4), visit(1, 0.0))[0]
    # Three visits of two episodes each to goal 1, and one graded episode of goal 3.
    together, values = signal.learn(
        begun, results((1, 0.5, 0.1, 6, 0.0, 3), (3, 0.9, 0.2, 1, 0.09, 1))
    )
    apart = begun
    for _ in range(3):
        apart = signal.update(apart, VisitOutcome(1, np.full((2, 4), 0.25), success=0.5, count=2))[
            0
        ]
    apart, last = signal.update(apart, visit(3, 0.9))
    for name in OpenState._fields:
        np.testing.assert_allclose(getattr(together, name), getattr(apart, name), rtol=1e-6)
    np.testing.assert_allclose(values, last, rtol=1e-6)
    # By hand: 0.5 (1 + 0.8 + 0.64), and a failure that was first and fades thrice.
    np.testing.assert_allclose(together.successes, [0, 1.22, 0, 0.9], rtol=1e-6)
    np.testing.assert_allclose(together.failures, [0, 1.22 + 0.8**3, 0, 0.1], rtol=1e-6)
    squares = 0.8**6 + (1 + 0.8**2 + 0.8**4) / 2
    np.testing.assert_allclose(together.squares, [0, squares, 0, 1], rtol=1e-6)


def test_what_is_under_way_counts_as_if_it_succeeds_where_that_leaves_less_open():
    signal = signals.OpenQuestion()
    state = OpenState(np.array([2.0, 0.0]), np.array([2.0, 4.0]), np.array([4.0, 4.0]), np.zeros(2))
    now = openness(state.successes, state.failures)
    # Goal 0: 0.8^3 x 2 + (1 + 0.8 + 0.64) = 3.464 against 1.024. Goal 1 would be more open than now.
    then = openness(np.array([3.464, 2.44]), np.array([1.024, 2.048]))
    assert then[0] < now[0] and then[1] > now[1]
    relative = np.array([then[0], now[1]])
    seen = unlikeness(np.array([0.5, 0.0]), np.array([4.0, 4.0]))
    assert seen > 0
    values = 1 + seen * (relative / relative.mean() - 1)
    found = signal.ahead(state, np.ones(2), np.array([3, 3]))
    np.testing.assert_allclose(found, values, rtol=1e-12)


def test_auto_prefers_open_goals_gives_up_the_hopeless_and_comes_back():
    counts, _ = run_auto([0.0, 0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 0.0], 800)
    hopeless, mastered, open_ones = counts[[0, 1, 2, 7]], counts[3:5], counts[5:7]
    assert open_ones.min() > 3 * max(hopeless.max(), mastered.max())
    assert min(hopeless.min(), mastered.min()) >= 800 * (7 / 8) / 9 / 8 - 1  # what stays even


def test_what_auto_gave_up_is_tried_again_as_it_fades():
    selector = at.AutoSelector(memory=2.0)
    others = [(1, 1.0), (2, 0.5), (3, 1.0)]
    even = np.full((2, 4), 0.25)
    state = selector.init(4)
    for goal, success in [(0, 0.0), *others] * 5:
        state = selector.update(state, VisitOutcome(goal, even, success=success))
    given_up = selector.selection_probabilities(state)[0]
    assert given_up < 0.1
    for goal, success in others * 8:  # six rounds without it
        state = selector.update(state, VisitOutcome(goal, even, success=success))
    assert selector.selection_probabilities(state)[0] > 3 * given_up


def test_auto_takes_competence_or_certainty_where_there_is_no_success():
    selector = at.AutoSelector()
    assert selector.evidence == frozenset()
    assert selector.parts().signal == signals.OpenFrontier()
    row = [[0.2, 0.8]] * 2
    for outcome, expected in (
        (VisitOutcome(1, row), 0.8),
        (VisitOutcome(1, row, competence=0.3), 0.3),
        (VisitOutcome(1, row, competence=0.3, success=0.6), 0.6),
    ):
        state = selector.update(selector.init(2), outcome)
        assert state.signal.question.successes[1] == pytest.approx(expected)
        assert state.signal.question.failures[1] == pytest.approx(1 - expected)


def test_half_of_the_openness_goes_by_density_by_hand():
    """Densities 1, 1/4 and 1/2, the last goal out of reach; v / d is 2, 4, 1 of 7."""
    openness = np.array([2.0, 1.0, 0.5, 0.5])
    rarity = np.array([0.0, np.log(4.0), np.log(2.0), -np.inf])
    found = signals.towards_the_edge(openness, rarity)
    expected = [1 + 2 * 2 / 7, 0.5 + 2 * 4 / 7, 0.25 + 2 * 1 / 7, 0.25]
    assert found == pytest.approx(expected)
    assert found.mean() == pytest.approx(1.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=8))
def test_without_places_an_open_frontier_is_an_open_question(visits: list[tuple[int, float]]):
    even = np.full((2, 4), 0.25)
    frontier, question = signals.OpenFrontier(), signals.OpenQuestion()
    states = frontier.init(4), question.init(4)
    for goal, success in visits:
        outcome = VisitOutcome(goal, even, success=success)
        first, found = frontier.update(states[0], outcome)
        second, expected = question.update(states[1], outcome)
        assert found.tolist() == expected.tolist()
        states = first, second
    assert states[0].places.visits == 0 and not states[0].places.reached.places.size


def test_among_places_auto_goes_to_the_edge_of_what_was_reached():
    """Six goals on a line; the learner comes as far as 2.5: 3 is within reach, 4 and 5 are not. Success is
    all alike, so without places every goal would be.
    """
    goals = np.arange(6.0)[:, None]
    reached = np.array([[0.0]] * 12 + [[1.0]] * 4 + [[2.0], [2.5]])
    even = np.full((2, 6), 1 / 6)
    selector = at.AutoSelector()
    state = bare = selector.init(6)
    for goal in range(6):
        state = selector.update(
            state, VisitOutcome(goal, even, success=0.0, achieved=reached, places=goals)
        )
        bare = selector.update(bare, VisitOutcome(goal, even, success=0.0))
    assert selector.selection_probabilities(bare) == pytest.approx([1 / 6] * 6)
    found = selector.selection_probabilities(state)
    assert found[0] < found[1] < found[2]  # the seldomer, the more
    assert found[3] > found[0]  # where nobody was, and somebody was near
    assert found[4:] == pytest.approx([1 / 12] * 2)  # the half that success alone decides
    assert found.sum() == pytest.approx(1.0)


def test_what_auto_knows_of_places_survives_a_save():
    selector = at.AutoSelector()
    state = after(selector, [(0, 1.0), (1, 0.0), (2, 1.0), (3, 0.0), (0, 1.0)])
    again = state_from_json(selector, json.loads(json.dumps(state_to_json(selector, state))))
    step = visit(2, 1.0)
    assert (
        selector.selection_probabilities(selector.update(again, step)).tolist()
        == selector.selection_probabilities(selector.update(state, step)).tolist()
    )


def test_auto_forgets_the_success_and_the_nearness_of_an_exchanged_goal():
    selector = at.AutoSelector()
    state = after(selector, [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)])
    gone = np.array([False, True, False, False])
    forgotten = selector.update(state, visit(0, 1.0, replaced=gone))
    assert forgotten.signal.question.successes[1] == 0
    # Of the goal there is now, what counts is how near any place came: LINE's first, one unit away.
    assert forgotten.signal.places.nearest.tolist() == [0.0, 1.0, 2.0, 3.0]
