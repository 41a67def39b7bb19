"""Signals against hand-computed values."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from autotelic import signals
from autotelic.selectors import VisitOutcome
from autotelic.selectors.base import Results


def feed(signal: Any, num_goals: int, outcomes: list[VisitOutcome]):
    """The values of a sequence of outcomes."""
    state, values = signal.init(num_goals), []
    for outcome in outcomes:
        state, value = signal.update(state, outcome)
        values.append(value)
    return values


def certain(goal: int, q: float, steps: Any = 2):
    """Two goals, the pursued one with the certainty q at every step."""
    row = [q, 1 - q] if goal == 0 else [1 - q, q]
    return VisitOutcome(goal, np.array([row] * steps))


def test_progress_within_the_epoch_forgets_earlier_epochs():
    rising = VisitOutcome(0, np.array([[0.5, 0.5], [0.9, 0.1]]))
    signal = signals.Progress(offset=1, smoothing=0, normalization="none")
    # F1: 2/2 (0.9 - 0.5), then nothing.
    assert feed(signal, 2, [rising, certain(0, 0.9)]) == pytest.approx([0.4, 0.0])


@pytest.mark.parametrize(("steps", "quarter"), [(2, 1), (3, 1), (9, 2), (100, 25), (1000, 250)])
def test_windows_are_by_default_a_quarter_of_the_steps_that_a_goal_is_held(
    steps: int, quarter: int
):
    weights = np.random.default_rng(0).exponential(size=(steps, 3))
    outcome = VisitOutcome(1, weights / weights.sum(axis=1, keepdims=True))
    default, given = signals.Progress(), signals.Progress(quarter, quarter)
    default.check(steps)
    assert feed(default, 3, [outcome]) == feed(given, 3, [outcome]) != [0.0]
    assert signals.Progress(smoothing=1).windows(steps) == (quarter, 1)


def test_progress_since_the_previous_visit_compares_visits_of_the_same_goal():
    signal = signals.Progress(reference="previous_visit", normalization="none")
    outcomes = [certain(0, 0.5), certain(1, 0.9), certain(0, 0.8), certain(0, 0.6)]
    # First visits have nothing to compare with; then +0.3 and -0.2, times 2/|G| = 1.
    assert feed(signal, 2, outcomes) == pytest.approx([0.0, 0.0, 0.3, -0.2])
    absolute = signals.Progress(reference="previous_visit", normalization="none", absolute=True)
    assert feed(absolute, 2, outcomes) == pytest.approx([0.0, 0.0, 0.3, 0.2])


def test_probe_progress_sees_all_goals_and_passes_over_unknown_ones():
    signal = signals.Progress(reference="probe", normalization="none")
    assert signal.evidence == {"probe"}
    outcome = VisitOutcome(
        0,
        np.full((2, 4), 0.25),
        probe_before=np.array([0.2, 0.5, np.nan, np.nan]),
        probe_after=np.array([0.6, 0.4, 0.9, np.nan]),
    )
    assert feed(signal, 4, [outcome]) == pytest.approx([(0.4 - 0.1) / 4])
    own = signals.Progress(reference="probe", normalization="none", attribution="own_goal")
    assert feed(own, 4, [outcome]) == pytest.approx([0.4])


@pytest.mark.parametrize("reference", ["previous_visit", "probe"])
def test_only_progress_within_the_epoch_needs_room_for_its_windows(reference: str):
    signals.Progress(900, 200, reference=reference).check(10)
    with pytest.raises(ValueError, match="900 \\+ smoothing 200 = 1100 exceeds the 1000 steps"):
        signals.Progress(900, 200).check(1000)


def test_log_certainty_over_the_epoch_and_over_the_last_steps():
    outcomes = [certain(0, 0.5, steps=4), certain(1, 0.9), certain(0, 0.25, steps=2)]
    logs = np.log([0.5, 0.9, 0.25])
    assert feed(signals.LogCertainty(), 2, outcomes) == pytest.approx(logs)
    # Goal 0 remembers three steps: one of 0.5 and two of 0.25.
    remembered = feed(signals.LogCertainty(memory=3), 2, outcomes)
    assert remembered == pytest.approx([logs[0], logs[1], (logs[0] + 2 * logs[2]) / 3])


def test_a_certainty_of_zero_is_cut_off():
    assert feed(signals.LogCertainty(), 2, [certain(0, 0.0)]) == pytest.approx([np.log(1e-12)])
    assert signals.LogCertainty().untried(20) == pytest.approx(np.log(1 / 20))


def test_competence_is_the_mean_certainty_or_the_success_rate():
    outcome = VisitOutcome(1, np.array([[0.4, 0.6], [0.2, 0.8]]), success=0.3)
    assert feed(signals.Competence(), 2, [outcome]) == pytest.approx([0.7])
    assert feed(signals.Competence("success"), 2, [outcome]) == [0.3]
    assert feed(signals.SuccessVariance("success"), 2, [outcome]) == pytest.approx([0.21])


def test_learnability_is_of_the_mean_over_the_last_visits() -> None:
    """One episode succeeds or fails: of one visit alone c (1 - c) is 0."""
    posteriors = [[0.5, 0.5]] * 2
    visits = [VisitOutcome(0, posteriors, success=float(x)) for x in (1, 0, 1, 1)]
    visits.insert(2, VisitOutcome(1, posteriors, success=1.0))  # counts for its own goal alone
    found = feed(signals.SuccessVariance("success", window=3), 2, visits)
    assert found == pytest.approx([0.0, 0.25, 0.0, 2 / 9, 2 / 9])
    assert feed(signals.SuccessVariance("success", window=1), 2, visits) == [0.0] * 5
    usual = [0.0, 0.25, 0.0, 2 / 9, 3 / 16]  # all visits: ten at most
    assert feed(signals.SuccessVariance("success"), 2, visits) == pytest.approx(usual)
    told = [replace(visit, competence=visit.success) for visit in visits]  # as in training
    assert feed(signals.SuccessVariance(), 2, told) == pytest.approx(usual)
    with pytest.raises(ValueError, match="window must be at least 1"):
        signals.SuccessVariance(window=0)


def test_learnability_looks_at_ten_visits_with_success_and_at_one_without():
    posteriors = [[0.5, 0.5]] * 2
    visits = [VisitOutcome(0, posteriors, success=float(x)) for x in [1] + [0] * 10]
    found = feed(signals.SuccessVariance("success"), 2, visits)
    assert found[-2:] == pytest.approx([0.1 * 0.9, 0.0])
    found = feed(signals.SuccessVariance(), 2, [certain(0, q) for q in (0.9, 0.5, 0.2)])
    assert found == pytest.approx([0.09, 0.25, 0.16])


def test_remaining_error_is_judged_anew_for_every_goal_that_states_are_kept_of():
    outcome = VisitOutcome(
        0,
        np.full((2, 4), 0.25),
        probe_before=np.array([0.9, 0.5, np.nan, 0.1]),
        probe_after=np.array([0.8, 0.4, np.nan, 1.0]),
    )
    signal = signals.RemainingError(sharpness=2.0)
    assert signal.evidence == {"probe_after"}
    # The goal pursued by its own certainty, 0.25; 1 - 0.4; unknown; mastered.
    expected = [0.75**2, 0.6**2, np.nan, 0.0]
    np.testing.assert_allclose(feed(signal, 4, [outcome])[0], expected)
    own = signals.RemainingError(fresh=False)
    assert own.evidence == frozenset()
    assert feed(own, 4, [outcome]) == pytest.approx([0.75])


def valued(before: list[float], after: list[float]) -> VisitOutcome:
    """Three goals that an agent values so."""
    return VisitOutcome(0, np.full((2, 3), 1 / 3), values_before=before, values_after=after)


def test_value_regret_scores_what_every_goal_gained_and_what_it_is_worth():
    signal = signals.ValueRegret()
    assert signal.evidence == {"values"}
    outcome = valued([4.0, 1.0, 0.0], [5.0, 3.0, 1.0])
    # Gains 1, 2, 1: mean 4/3, deviation sqrt((1/9 + 4/9 + 1/9) / 2) = 1/sqrt(3), so that their scores
    # are -1/sqrt(3), 2/sqrt(3), -1/sqrt(3). Values 5, 3, 1: mean 3, deviation 2, scores 1, 0, -1.
    third = 1 / np.sqrt(3)
    (found,) = feed(signal, 3, [outcome])
    np.testing.assert_allclose(found, [1 - third, 2 * third, -1 - third], atol=1e-5)
    (alone,) = feed(signals.ValueRegret(value_weight=0.0), 3, [outcome])
    np.testing.assert_allclose(alone, [-third, 2 * third, -third], atol=1e-5)
    (twice,) = feed(signals.ValueRegret(value_weight=2.0), 3, [outcome])
    np.testing.assert_allclose(twice, [2 - third, 2 * third, -2 - third], atol=1e-5)
    np.testing.assert_array_equal(
        signals.value_regret(np.array([4.0, 1.0]), np.array([5.0, 0.5])), [1.0, -0.5]
    )


def test_goals_that_are_alike_have_no_regret_to_tell_them_apart():
    (found,) = feed(signals.ValueRegret(), 3, [valued([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])])
    np.testing.assert_allclose(found, [-1.0, 0.0, 1.0], atol=1e-5)  # by their values alone
    (found,) = feed(signals.ValueRegret(), 3, [valued([5.0] * 3, [5.0] * 3)])
    assert found.tolist() == [0.0, 0.0, 0.0]
    assert signals.standard_scores(np.array([7.0])).tolist() == [0.0]  # the only goal
    # Differences of a rounding error do not count as deviations of 1, and keep their order.
    assert np.abs(signals.standard_scores(np.array([1.0, 1.0 + 1e-12]))).max() < 1e-5
    lower, higher = signals.standard_scores(np.array([0.0, 1e-7]))
    assert lower < 0 < higher


def test_two_goals_are_enough_to_stand_out():
    """1 and 3 lie 1 from their mean, and deviate by sqrt((1 + 1) / 1)."""
    found = signals.standard_scores(np.array([1.0, 3.0]))
    np.testing.assert_allclose(found, [-(0.5**0.5), 0.5**0.5], atol=1e-5)


def test_gain_since_the_previous_visit():
    outcomes = [certain(0, 0.4), certain(1, 0.9), certain(0, 0.7), certain(0, 0.6)]
    assert feed(signals.Gain(), 2, outcomes) == pytest.approx([0, 0, 0.3, -0.1])
    from_nothing = signals.Gain(start=0.0)
    assert feed(from_nothing, 2, outcomes) == pytest.approx([0.4, 0.9, 0.3, -0.1])


def test_the_gap_between_halves_follows_the_queue_formula():
    history = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    assert signals.halves_gap(history[:2], 300) == 0.0  # not before the third visit
    # n = 3: w = 1, the last value against the one before.
    assert signals.halves_gap(history[:3], 300) == 0.0
    # n = 7: w = 3, |mean(1, 0, 1) - mean(0, 0, 1)|
    assert signals.halves_gap(history, 300) == pytest.approx(1 / 3)
    # window 2: |mean(0, 1) - mean(1, 1)|
    assert signals.halves_gap(history, 2) == pytest.approx(0.5)


def test_halves_gap_as_a_signal_keeps_goals_apart():
    outcomes = [certain(0, 0.2), certain(1, 0.9), certain(0, 0.2), certain(0, 0.8)]
    assert feed(signals.HalvesGap(), 2, outcomes) == pytest.approx([0, 0, 0, 0.6])


def test_slope_is_per_epoch_and_over_the_last_visits():
    outcomes = [certain(0, 0.2), certain(1, 0.5), certain(0, 0.4), certain(0, 0.4)]
    # Goal 0 at epochs 0, 2, 3: (0.4 - 0.2) / 2, then the line through three points,
    # sum (t - 5/3) c / sum (t - 5/3)^2 = (-1/3 + 2/15 + 8/15) / (42/9) = 1/14.
    assert feed(signals.Slope(), 2, outcomes) == pytest.approx([1.0, 1.0, 0.1, 1 / 14])
    # A window of two visits: epochs 2 and 3.
    assert feed(signals.Slope(window=2), 2, outcomes)[-1] == pytest.approx(0.0)


def test_progress_since_the_previous_visit_averages_the_steps_of_each_goal():
    signal = signals.Progress(
        reference="previous_visit", normalization="none", attribution="own_goal"
    )
    first = VisitOutcome(0, np.array([[0.2, 0.5, 0.3], [0.4, 0.1, 0.5]]))
    second = VisitOutcome(0, np.array([[0.5, 0.2, 0.3], [0.9, 0.1, 0.0]]))
    # Mean errors of goal 0: 1 - 0.3, then 1 - 0.7.
    assert feed(signal, 3, [first, second]) == pytest.approx([0.0, 0.4])


def test_a_goal_never_tried_is_worth_what_its_signal_says():
    assert signals.Progress().untried(4) == 0.0
    assert signals.Competence().untried(4) == 0.0
    assert signals.SuccessVariance().untried(4) == 0.25  # c (1 - c) at its largest
    assert signals.RemainingError().untried(4) == 1.0  # nothing is known of it
    assert signals.Gain().untried(4) == 0.0
    assert signals.Gain(optimism=0.3).untried(4) == 0.3
    assert signals.Slope().untried(4) == 1.0
    assert signals.Slope(optimism=0.3).untried(4) == 0.3
    assert signals.ValueRegret().untried(4) == 0.0  # the mean of z-scores


def test_two_visits_make_no_halves_to_compare():
    assert signals.halves_gap(np.array([0.0, 1.0]), 300) == 0.0
    assert signals.halves_gap(np.array([0.0, 0.0, 1.0]), 300) == 1.0


@pytest.mark.parametrize("sharpness", [1.0, 2.0])
def test_a_signal_leaves_the_evidence_and_its_state_as_they_were(sharpness: float):
    after = np.array([0.8, 0.4])
    outcome = VisitOutcome(0, np.full((2, 2), 0.5), probe_before=after, probe_after=after)
    signals.RemainingError(sharpness=sharpness).update((), outcome)
    assert after.tolist() == [0.8, 0.4]
    gain = signals.Gain()
    state = gain.init(2)
    gain.update(state, outcome)
    assert np.isnan(state).all()


def test_windows_of_competence_hold_so_many_visits():
    falls_out = [certain(0, q) for q in (0.9, 0.1, 0.1, 0.5, 0.5)]
    # A window of two: |mean(0.5, 0.5) - mean(0.1, 0.1)|, the 0.9 is too long ago.
    signal = signals.HalvesGap(window=2)
    assert feed(signal, 2, falls_out)[-1] == pytest.approx(0.4)
    assert signals.HalvesGap().window == 300  # CURIOUS's own
    state = signal.init(2)
    for outcome in falls_out:
        state, _ = signal.update(state, outcome)
    assert [len(history) for history in state] == [4, 0]  # no more than both halves
    state = signals.HalvesGap(window=1).init(2)
    for outcome in falls_out:
        state, _ = signals.HalvesGap(window=1).update(state, outcome)
    assert [len(history) for history in state] == [3, 0]


def test_slope_looks_at_ten_visits_and_counts_all_visits_from_zero():
    jump = [certain(0, 0.9)] + [certain(0, 0.5)] * 10
    assert feed(signals.Slope(), 2, jump)[-1] == pytest.approx(0.0, abs=1e-12)
    assert feed(signals.Slope(), 2, jump[:-1])[-1] < -0.01
    assert signals.Slope().init(3).visit == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: signals.Competence("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.RemainingError("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.RemainingError(sharpness=0.0), ValueError, "sharpness must be greater"),
        (lambda: signals.RemainingError(fresh=cast(Any, 1)), TypeError, "fresh must be True or"),
        (lambda: signals.RemainingError("success"), ValueError, "set fresh=False"),
        (lambda: signals.Gain("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.Gain(start=np.nan), ValueError, "start must be a finite number"),
        (lambda: signals.Gain(optimism=np.inf), ValueError, "optimism must be a finite number"),
        (lambda: signals.SuccessVariance("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.HalvesGap("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.HalvesGap(window=0), ValueError, "window must be at least 1"),
        (lambda: signals.Slope("certanty"), ValueError, "Did you mean 'certainty'"),
        (lambda: signals.Slope(window=1), ValueError, "window must be at least 2"),
        (lambda: signals.Slope(optimism=np.nan), ValueError, "optimism must be a finite number"),
        (
            lambda: signals.ValueRegret(value_weight=-1.0),
            ValueError,
            r"value_weight must lie in \[0, inf\], got -1",
        ),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()


def test_the_least_window_is_accepted():
    assert signals.HalvesGap(window=1).window == 1
    assert signals.Slope(window=2).window == 2


def test_a_slope_forgets_exchanged_goals_alone_and_time_goes_on():
    signal = signals.Slope("certainty", window=3)
    state = signal.init(2)
    for goal in (0, 1, 0):
        state, _ = signal.update(state, VisitOutcome(goal, np.tile([0.75, 0.25], (2, 1))))
    kept = signal.forget(state, np.array([False, True]))
    assert kept.times[0].tolist() == [0.0, 2.0] and kept.history[0].tolist() == [0.75, 0.75]
    assert not kept.times[1].size and not kept.history[1].size
    assert kept.visit == 3


def test_a_gain_forgets_exchanged_goals_alone():
    kept = signals.Gain().forget(np.array([0.3, 0.5]), np.array([False, True]))
    np.testing.assert_array_equal(kept, [0.3, np.nan])


def by_success(goal: int, success: float, count: int = 1, **evidence: Any):
    return VisitOutcome(goal, np.full((2, 3), 1 / 3), success=success, count=count, **evidence)


PASSED = np.array([True, True, False])


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (signals.Competence, [1.0, 0.25]),
        (signals.RemainingError, [0.0, 0.75]),
        (signals.Gain, [0.5, 0.0]),  # the first goal had 0.5
        (signals.Slope, [0.5, 1.0]),
        (signals.SuccessVariance, [0.75 * 0.25, 0.25 * 0.75]),
    ],
)
def test_a_goal_reached_on_the_way_was_visited_and_succeeded(signal: Any, expected: list[float]):
    """The goal 1 is pursued with a success of 1/4 and passes the goal 0; nothing is said of the goal 2."""
    fresh = {"fresh": False} if signal is signals.RemainingError else {}
    signal = signal("success", reached=True, **fresh)
    assert signal.evidence == {"success", "reached"}
    state, _ = signal.update(signal.init(3), by_success(0, 0.5))
    _, values = signal.update(state, by_success(1, 0.25, reached=PASSED))
    assert values[:2] == pytest.approx(expected) and np.isnan(values[2])
    gone = np.array([False, True, False])
    _, values = signal.update(state, by_success(1, 0.25, reached=PASSED, replaced=gone))
    assert np.isnan(values).tolist() == [False, True, True]


def test_slopes_of_a_visit_are_at_one_time():
    signal = signals.Slope("success", reached=True)
    state, _ = signal.update(signal.init(3), by_success(2, 0.0, reached=PASSED))
    assert state.visit == 1 and [times.tolist() for times in state.times] == [[0.0]] * 3


def test_neighbours_and_mixtures_hear_of_goals_reached_on_the_way():
    place = {"achieved": [[0.0]], "places": [[0.0], [1.0], [2.0]]}
    outcome = by_success(1, 0.25, reached=PASSED, **place)
    near = signals.NeighbourSuccess("success", neighbours=1, reached=True)
    _, values = near.update(near.init(3), outcome)
    assert values == pytest.approx([1.0, 0.25, 0.25])
    mixture = signals.MixtureProgress("success", reached=True)
    state, _ = mixture.update(mixture.init(3), outcome)
    assert state.places.tolist() == [[1.0], [0.0]] and state.competences.tolist() == [0.25, 1.0]


def test_what_was_reached_is_about_success_alone():
    with pytest.raises(ValueError, match='reached is about success, and competence is "certainty"'):
        signals.Gain(reached=True)


def test_means_of_success_are_over_episodes():
    """Four of four, then none of one: 4/5, and 1/2 by visits."""
    visits = [by_success(0, 1.0, count=4), by_success(0, 0.0)]
    assert feed(signals.SuccessVariance("success"), 3, visits)[-1] == pytest.approx(0.8 * 0.2)
    # Halves of one visit, then of two: |(1 + 0) / 2 - (4 + 0) / 5| = 0.3.
    visits += [by_success(0, 1.0), by_success(0, 0.0)]
    assert feed(signals.HalvesGap("success"), 3, visits)[-1] == pytest.approx(0.3)


def test_the_episodes_of_a_visit_are_those_of_the_goal_pursued():
    signal = signals.SuccessVariance("success", reached=True)
    state, _ = signal.update(signal.init(3), by_success(1, 0.25, count=4, reached=PASSED))
    assert [visits.tolist() for visits in state] == [[[1.0, 1.0]], [[0.25, 4.0]], []]


def leaves(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value, float)]


@pytest.mark.parametrize(
    "signal",
    [
        signals.SuccessVariance(),
        signals.SuccessVariance(source="success", window=3),
        signals.HalvesGap(source="success", window=2),
        signals.Gain(source="success"),
        signals.Slope(source="success", window=2),
    ],
    ids=repr,
)
def test_results_of_many_goals_say_what_visits_one_by_one_say(signal: Any):
    """With a slope all of them are at one time: there a visit of one goal at a time is compared."""
    rng = np.random.default_rng(0)
    together = apart = signal.init(5)
    for _ in range(12):
        goals = np.sort(rng.choice(5, 1 if isinstance(signal, signals.Slope) else 3, replace=False))
        success = rng.random(len(goals))
        least = 1 if getattr(signal, "source", "") == "success" else 0  # no success was told
        episodes = rng.integers(least, 4, len(goals))
        none = np.zeros(len(goals))
        found = Results(5, goals, success, success, episodes, none, np.ones(len(goals), int))
        together, values = signal.learn(together, found)
        expected = np.full(5, np.nan)
        for outcome in found.outcomes():
            apart, value = signal.update(apart, outcome)
            expected[outcome.goal] = np.asarray(value)
        np.testing.assert_allclose(values, expected)
        for one, other in zip(leaves(together), leaves(apart), strict=True):
            np.testing.assert_allclose(one, other)
