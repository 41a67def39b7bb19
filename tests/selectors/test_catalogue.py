"""What each named selector promises, on evidence small enough to follow by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autotelic as at
from autotelic.progress import NORMALIZATIONS
from autotelic.selectors import VisitOutcome


def certain(goal: int, q: float, num_goals: int = 2, steps: Any = 2, success: float | None = None):
    """The pursued goal with the certainty q at every step, the rest shared."""
    row = np.full(num_goals, (1 - q) / max(num_goals - 1, 1))
    row[goal] = q
    return VisitOutcome(goal, np.tile(row, (steps, 1)), success=success)


def after(selector: at.GoalSelector, outcomes: list[VisitOutcome], num_goals: int = 2):
    state = selector.init(num_goals)
    for outcome in outcomes:
        state = selector.update(state, outcome)
    return state


def test_uniform_never_changes():
    selector = at.Uniform()
    state = after(selector, [certain(0, 0.9), certain(0, 1.0)])
    assert selector.selection_probabilities(state).tolist() == [0.5, 0.5]
    assert selector.values(state)[0] == 1.0
    assert np.isnan(selector.values(state)[1])


def test_round_robin_goes_round_for_ever_with_a_uniform_prior():
    curriculum = at.Curriculum(at.RoundRobin(), num_goals=5, seed=0)
    goals = []
    for _ in range(20):
        goals.append(curriculum.select())
        assert curriculum.prior.tolist() == [0.2] * 5
        curriculum.update(np.full((2, 5), 0.2))
    rounds = [goals[start : start + 5] for start in range(0, 20, 5)]
    assert all(sorted(r) == [0, 1, 2, 3, 4] for r in rounds)
    assert len({tuple(r) for r in rounds}) > 1  # in random order


def test_diversity_progress_overwrites_the_last_value_and_follows_the_softmax():
    selector = at.DiversityProgress(offset=1, smoothing=0, temperature=0.2, normalization="none")
    rising = VisitOutcome(0, np.array([[0.5, 0.5], [0.9, 0.1]]))
    slower = VisitOutcome(0, np.array([[0.5, 0.5], [0.7, 0.3]]))
    state = after(selector, [rising, certain(1, 0.6), slower])
    assert selector.values(state) == pytest.approx([0.2, 0.0])
    # softmax(0.2 / 0.2, 0)
    expected = np.array([np.e, 1.0]) / (np.e + 1.0)
    assert selector.selection_probabilities(state) == pytest.approx(expected)
    assert selector.prior(state) == pytest.approx(expected)


def test_variational_control_rewards_certainty_and_learned_prior_weighs_it():
    vic, learned = at.VariationalControl(learning_rate=0.5), at.LearnedPrior()
    outcomes = [certain(0, 0.9), certain(1, 0.2)]
    assert vic.selection_probabilities(after(vic, outcomes)).argmax() == 0
    # softmax of mean log q: in the ratio of the certainties.
    p = learned.selection_probabilities(after(learned, outcomes))
    assert p == pytest.approx([9 / 11, 2 / 11])


def test_learned_prior_maximises_entropy_plus_expected_log_certainty():
    selector = at.LearnedPrior()
    certainties = [0.9, 0.3, 0.6]
    outcomes = [certain(goal, q, num_goals=3) for goal, q in enumerate(certainties)]
    best = selector.selection_probabilities(after(selector, outcomes, num_goals=3))

    def objective(p: Any):
        return (p * (np.log(certainties) - np.log(p))).sum()

    rng = np.random.default_rng(0)
    others = rng.dirichlet(200 * best, size=200)
    assert all(objective(p) < objective(best) for p in others)


def test_curious_counts_learning_and_forgetting_alike():
    selector = at.Curious(window=1, epsilon=0.4)
    learned = [certain(0, q) for q in (0.2, 0.2, 0.5)]
    forgotten = [certain(1, q) for q in (0.9, 0.9, 0.6)]
    p = selector.selection_probabilities(after(selector, learned + forgotten))
    assert p == pytest.approx([0.5, 0.5])
    p = selector.selection_probabilities(after(selector, learned))
    assert p == pytest.approx([0.8, 0.2])


def test_competence_progress_is_signed_and_optimistic():
    selector = at.CompetenceProgress(step_size=1.0, epsilon=0.0, optimism=0.1)
    state = after(selector, [certain(0, 0.2)])
    assert selector.selection_probabilities(state).tolist() == [0, 1]  # goal 1 is still promising
    state = after(selector, [certain(0, 0.2), certain(0, 0.5)])
    assert selector.selection_probabilities(state).tolist() == [1, 0]  # a gain of 0.3
    state = after(selector, [certain(0, 0.5), certain(0, 0.1)])
    assert selector.selection_probabilities(state).tolist() == [0, 1]  # a loss does not attract


@pytest.mark.parametrize("estimator", ["previous_visit", "halves"])
def test_absolute_learning_progress_begins_with_two_rounds(estimator: str):
    selector = at.AbsoluteLearningProgress(estimator, window=1, epsilon=0.2)
    state = after(selector, [certain(0, 0.2), certain(1, 0.5), certain(0, 0.6)])
    assert selector.selection_probabilities(state).tolist() == [0, 1]
    state = after(selector, [certain(0, 0.9), certain(1, 0.5), certain(0, 0.9), certain(1, 0.5)])
    assert selector.selection_probabilities(state).tolist() == [0.5, 0.5]
    state = selector.update(state, certain(0, 0.6))
    assert selector.selection_probabilities(state) == pytest.approx([0.9, 0.1])


def test_teacher_student_online_averages_gains():
    selector = at.TeacherStudent(step_size=0.5, epsilon=0.0)
    # Q_0 = 0.5 * 0.4 = 0.2, then 0.5 * 0.2 + 0.5 * (-0.2) = 0; Q_1 = 0.05.
    state = after(selector, [certain(0, 0.4), certain(1, 0.1)])
    assert selector.selection_probabilities(state).tolist() == [1, 0]
    state = selector.update(state, certain(0, 0.2))
    assert selector.selection_probabilities(state).tolist() == [0, 1]


def test_teacher_student_naive_holds_a_goal_and_then_takes_its_slope():
    selector = at.TeacherStudent(variant="naive", window=3, epsilon=0.0, step_size=1.0)
    state = after(selector, [certain(1, 0.2), certain(1, 0.3)])
    assert selector.selection_probabilities(state).tolist() == [0, 1]
    assert selector.prior(state).tolist() == [0.5, 0.5]
    falling = selector.update(state, certain(1, 0.1))  # slope -0.05 an epoch
    assert selector.selection_probabilities(falling).tolist() == [1, 0]
    rising = selector.update(state, certain(1, 0.4))  # slope 0.1
    assert selector.selection_probabilities(rising).tolist() == [0, 1]


def test_teacher_student_window_and_sampling_try_every_goal_first():
    window = at.TeacherStudent(variant="window", epsilon=0.0)
    state = after(window, [certain(0, 0.2), certain(0, 0.3)])
    assert window.selection_probabilities(state).tolist() == [0, 1]
    state = window.update(window.update(state, certain(1, 0.5)), certain(1, 0.9))
    assert window.selection_probabilities(state).tolist() == [0, 1]  # 0.4 an epoch against 0.1

    sampling = at.TeacherStudent(variant="sampling", epsilon=0.0)
    state = after(sampling, [certain(0, 0.3)])
    assert sampling.selection_probabilities(state).tolist() == [0, 1]


def test_learnability_prefers_what_is_neither_mastered_nor_hopeless():
    selector = at.Learnability(share=0.3, epsilon=0.0, competence="success")
    assert selector.evidence == {"success"}
    rates = (0.0, 0.5, 1.0)
    outcomes = [certain(goal, 0.5, num_goals=3, success=c) for goal, c in enumerate(rates)]
    p = selector.selection_probabilities(after(selector, outcomes, num_goals=3))
    assert p.tolist() == [0, 1, 0]


def test_remaining_error_follows_goals_that_are_not_practised():
    selector = at.RemainingError(sharpness=1.0, epsilon=0.2)
    posteriors = np.array([[0.9, 0.1]] * 2)
    state = selector.init(2)
    for goal, after_epoch in ((0, [np.nan, np.nan]), (1, [0.9, np.nan]), (0, [0.5, 0.7])):
        before = np.full(2, np.nan)
        outcome = VisitOutcome(goal, posteriors, probe_before=before, probe_after=after_epoch)
        state = selector.update(state, outcome)
    # Goal 0 was seen with 0.9 just now; goal 1, last seen with 0.1, is at 0.7 by its states.
    np.testing.assert_allclose(selector.values(state), [0.1, 0.3])
    p = selector.selection_probabilities(state)
    np.testing.assert_allclose(p, [0.8 * 0.25 + 0.1, 0.8 * 0.75 + 0.1])


@given(
    certainties=st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4),
    sharpness=st.floats(0.25, 8.0),
    epsilon=st.floats(0.0, 1.0),
)
def test_remaining_error_prefers_the_less_certain_goal(
    certainties: list[float], sharpness: float, epsilon: float
):
    selector = at.RemainingError(sharpness=sharpness, epsilon=epsilon)
    state = selector.init(4)
    known = np.array(certainties)
    for goal in range(4):
        row = np.full(4, (1 - known[goal]) / 3)
        row[goal] = known[goal]
        outcome = VisitOutcome(goal, np.array([row] * 2), probe_before=known, probe_after=known)
        state = selector.update(state, outcome)
    p = selector.selection_probabilities(state)
    assert p.sum() == pytest.approx(1.0) and p.min() >= epsilon / 4 - 1e-12
    order = np.argsort(known)
    assert (np.diff(p[order]) <= 1e-12).all()


def test_remaining_error_of_mastered_goals_is_uniform():
    selector = at.RemainingError(epsilon=0.0, fresh=False)
    state = after(selector, [certain(0, 1.0), certain(1, 1.0)])
    assert selector.selection_probabilities(state).tolist() == [0.5, 0.5]


def valued(goal: int, before: list[float], after: list[float]) -> VisitOutcome:
    return VisitOutcome(
        goal, np.full((2, len(after)), 1 / len(after)), values_before=before, values_after=after
    )


def test_value_regret_follows_the_last_values_of_all_goals_by_a_softmax():
    selector = at.ValueRegret(temperature=2.0)
    earlier = valued(2, [0.0, 9.0, 0.0], [9.0, 0.0, 0.0])  # is forgotten
    state = after(selector, [earlier, valued(0, [1.0, 1.0, 1.0], [1.0, 2.0, 3.0])], num_goals=3)
    # Gains 0, 1, 2 and values 1, 2, 3: scores of -1, 0, 1 each, so -2, 0, 2, at temperature 2 -1, 0, 1.
    np.testing.assert_allclose(selector.values(state), [-2.0, 0.0, 2.0], atol=1e-5)
    weights = np.exp([-1.0, 0.0, 1.0])
    np.testing.assert_allclose(
        selector.selection_probabilities(state), weights / weights.sum(), atol=1e-5
    )
    assert selector.selection_probabilities(selector.init(3)).tolist() == [1 / 3] * 3


def test_value_regret_says_what_evidence_it_misses():
    curriculum = at.Curriculum(at.ValueRegret(), num_goals=2)
    curriculum.select()
    with pytest.raises(ValueError, match="needs the argument values_before and values_after: pass"):
        curriculum.update([[0.5, 0.5]] * 2)
    with pytest.raises(ValueError, match=r"values_after must hold a finite number for each goal"):
        curriculum.update([[0.5, 0.5]] * 2, values_before=[0.0, 1.0], values_after=[0.0])
    curriculum.update([[0.5, 0.5]] * 2, values_before=[0, 1], values_after=np.float32([0, 2]))
    assert curriculum.selection_probabilities.argmax() == 1


def test_exp3s_prefers_the_goal_that_progresses():
    selector = at.Exp3S(offset=1, smoothing=0)
    rising = VisitOutcome(1, np.array([[0.5, 0.5], [0.2, 0.8]]))
    state = after(selector, [certain(0, 0.5), rising] * 20)
    assert selector.selection_probabilities(state)[1] > 0.9


def test_a_whole_number_as_a_setting_learns_like_the_same_fraction():
    whole, fraction = at.CompetenceProgress(optimism=1), at.CompetenceProgress(optimism=1.0)
    visits = [(0, 0.3), (1, 0.3), (0, 0.6), (1, 0.35), (0, 0.8), (1, 0.35)]
    outcomes = [certain(goal, q) for goal, q in visits]
    p = whole.selection_probabilities(after(whole, outcomes))
    assert p.tolist() == fraction.selection_probabilities(after(fraction, outcomes)).tolist()
    assert p[0] > p[1]


@dataclass(frozen=True)
class OptimisticCompetence(at.signals.Signal):
    """A signal whose author wrote 1 for 1.0."""

    def untried(self, num_goals: int) -> int:
        return 1

    def update(self, state: Any, outcome: VisitOutcome) -> tuple[Any, float]:
        return state, float(outcome.certainty.mean())


def test_a_signal_may_say_a_whole_number_for_goals_never_tried():
    selector = at.Selector(OptimisticCompetence(), at.rules.Softmax(1.0))
    state = after(selector, [certain(0, 0.9)])
    assert selector.selection_probabilities(state)[0] == pytest.approx(1 / (1 + np.exp(0.1)))


@pytest.mark.parametrize("normalization", (*NORMALIZATIONS, "running"))
@pytest.mark.parametrize(("offset", "smoothing"), [(750, 250), (900, 100)])
def test_a_frozen_agent_shows_no_progress_at_the_papers_windows(
    normalization: str, offset: int, smoothing: int
):
    # Windows of different length, whose means of the same number differ in the last bits.
    selector = at.DiversityProgress(offset, smoothing, normalization=normalization)
    rows = np.random.default_rng(0).dirichlet(np.ones(5), size=5)
    outcomes = [VisitOutcome(goal, np.tile(row, (1000, 1))) for goal, row in enumerate(rows)]
    state = after(selector, outcomes, num_goals=5)
    assert selector.values(state) == pytest.approx(np.zeros(5), abs=1e-12)
    assert selector.selection_probabilities(state) == pytest.approx([0.2] * 5)


def test_half_precision_a_little_over_one_is_one():
    sure = np.zeros((6, 512), np.float16)
    sure[:, 0] = np.nextafter(np.float16(1), np.float16(2))
    selector = at.DiversityProgress(offset=2, smoothing=1)
    assert selector.values(selector.update(selector.init(512), VisitOutcome(0, sure)))[0] == 0.0


def test_goals_may_be_numbers_of_any_width():
    selector = at.Curious()
    outcome = VisitOutcome(cast(Any, np.uint8(255)), np.full((2, 300), 1 / 300))
    assert len(selector.update(selector.init(300), outcome).signal) == 300


def test_a_composition_equals_the_named_selector_it_spells_out():
    named = at.DiversityProgress(offset=5, smoothing=3, temperature=0.2)
    composed = at.Selector(at.signals.Progress(5, 3), at.rules.Softmax(0.2), warm_up=1)
    rng = np.random.default_rng(0)
    curricula = [at.Curriculum(selector, num_goals=4, seed=1) for selector in (named, composed)]
    for _ in range(30):
        weights = rng.exponential(size=(10, 4))
        assert curricula[0].select() == curricula[1].select()
        for curriculum in curricula:
            curriculum.update(weights / weights.sum(axis=1, keepdims=True))
        probabilities = [curriculum.selection_probabilities.tolist() for curriculum in curricula]
        assert probabilities[0] == probabilities[1]


wrongly: Any = at  # hides from the type checker what it would refuse as well


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: at.DiversityProgress(offset=-1), ValueError, "offset must be at least 0, got -1"),
        (lambda: wrongly.DiversityProgress(offset=2.5), TypeError, "offset must be an integer"),
        (lambda: at.DiversityProgress(smoothing=-1), ValueError, "smoothing must be at least 0"),
        (lambda: at.DiversityProgress(smoothing=True), TypeError, "smoothing must be an integer"),
        (lambda: at.DiversityProgress(temperature=0), ValueError, "temperature must be greater"),
        (lambda: at.DiversityProgress(temperature=-1.0), ValueError, "temperature must be greater"),
        (lambda: at.DiversityProgress(temperature=float("nan")), ValueError, "temperature"),
        (lambda: at.DiversityProgress(temperature=float("inf")), ValueError, "temperature"),
        (lambda: wrongly.DiversityProgress(temperature="hot"), TypeError, "temperature"),
        (lambda: at.DiversityProgress(normalization="zscore"), ValueError, "z-scores"),
        (
            lambda: wrongly.DiversityProgress(absolute=1),
            TypeError,
            "absolute must be True or False",
        ),
        (lambda: at.DiversityProgress(reference="probes"), ValueError, "Did you mean 'probe'"),
        (lambda: at.DiversityProgress(window="open"), ValueError, "choose from truncate"),
        (lambda: at.DiversityProgress(attribution="own"), ValueError, "mean_over_goals"),
        (lambda: at.TeacherStudent(variant="offline"), ValueError, "Did you mean 'online'"),
        (lambda: at.TeacherStudent("sampling", temperature=1.0), ValueError, "no temperature"),
        (lambda: at.AbsoluteLearningProgress("thirds"), ValueError, "estimator"),
        (lambda: at.Curious(competence="reward"), ValueError, "unknown competence 'reward'"),
        (lambda: at.LearnedPrior(memory=0), ValueError, "memory must be at least 1"),
        (lambda: at.ValueRegret(temperature=0.0), ValueError, "temperature must be greater"),
        (lambda: at.ValueRegret(value_weight=-0.1), ValueError, "value_weight must lie in"),
        (lambda: wrongly.Selector(at.rules.Even(), at.rules.Even()), TypeError, "must be a Signal"),
        (
            lambda: at.Selector(at.signals.Progress(), at.rules.Even(), warm_up=1.5),
            TypeError,
            "warm_up must be an integer",
        ),
        (lambda: at.Uniform().init(0), ValueError, "num_goals must be at least 1"),
        (
            lambda: at.DiversityProgress(900, 150).check(num_goals=20, steps=1000),
            ValueError,
            r"offset 900 \+ smoothing 150 = 1050 exceeds the 1000 steps",
        ),
    ],
)
def test_bad_settings_are_refused_when_made(
    make: Callable[[], Any], error: type[Exception], message: str
):
    with pytest.raises(error, match=message):
        make()


def test_the_papers_settings_fit_an_epoch():
    for offset, smoothing in ((250, 250), (750, 250), (900, 100)):
        at.DiversityProgress(offset, smoothing).check(num_goals=20, steps=1000)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        # The paper's temperature and the sign of its progress.
        (at.DiversityProgress(), {"temperature": 0.1, "absolute": False, "offset": None}),
        (
            at.TeacherStudent(),
            {"step_size": 0.1, "epsilon": 0.1, "window": 10, "absolute": False},
        ),
        (at.Exp3S(), {"step_size": None, "epsilon": 0.05, "bias": 0.0}),
        (at.Frontier(), {"sharpness": 2.0, "bandwidth": 0.1, "cutoff": None}),
        (at.SkewFit(), {"alpha": -1.0, "bandwidth": 0.1}),
        (
            at.IntermediateDifficulty(),
            {"low": 0.1, "high": 0.9, "neighbours": 3, "window": 5, "epsilon": 0.2},
        ),
    ],
)
def test_defaults_are_those_documented(selector: Any, expected: dict[str, Any]):
    assert {name: getattr(selector, name) for name in expected} == expected


@pytest.mark.parametrize(("kind", "version"), [(at.Frontier, 3), (at.SkewFit, 3), (at.Curious, 3)])
def test_states_that_were_saved_with_these_versions_are_read(
    kind: type[at.GoalSelector], version: int
):
    assert kind.version == version  # another one when the layout of the state is another


def test_a_sampling_teacher_counts_gains_from_nothing():
    selector = at.TeacherStudent(variant="sampling")
    assert selector.values(after(selector, [certain(0, 0.3)]))[0] == pytest.approx(0.3)


def test_a_teacher_with_a_temperature_averages_as_one_without():
    rule = at.TeacherStudent(temperature=0.5, step_size=0.25, absolute=True).parts().rule
    assert rule == at.rules.Softmax(0.5, step_size=0.25, absolute=True)


@pytest.mark.parametrize(
    ("variant", "expected"), [("window", 1.0), ("naive", 0.0), ("sampling", 1.0)]
)
def test_how_optimistic_a_teacher_is_of_untried_goals_depends_on_its_variant(
    variant: str, expected: float
):
    signal, _, _ = at.TeacherStudent(variant=variant, window=3).parts()
    assert signal.untried(2) == expected


@pytest.mark.parametrize(
    ("alpha", "words"), [(-1.1, "alpha must"), (0.0, "below 0"), (0.5, "alpha")]
)
def test_skew_fit_refuses_powers_that_prefer_the_usual(alpha: float, words: str):
    with pytest.raises(ValueError, match=words):
        at.SkewFit(alpha=alpha)


def told_of(selector: at.GoalSelector, num_goals: int, rates: Any, counts: Any = 1, times: int = 1):
    """A curriculum that was told so of all goals."""
    curriculum = at.Curriculum(selector, num_goals=num_goals, seed=0)
    for _ in range(times):
        goals = np.sort(curriculum.select(num_goals))
        curriculum.update(goals, success=np.asarray(rates, float), counts=counts)
    return curriculum


def test_mopps_draws_by_its_chances_and_forgets():
    curriculum = told_of(at.Mopps(), 4, [1.0, 0.0, 0.5, 0.25], 8)
    # a = 0.5 * 1 + 0.5 + 8 and b = 1 for the first; the third has 5 and 5.
    np.testing.assert_allclose(curriculum.values, [9 / 10, 1 / 10, 0.5, 3 / 10])
    generator = np.random.default_rng(0)
    drawn = [curriculum.selector.select(curriculum.state, generator) for _ in range(4000)]
    expected = curriculum.selection_probabilities
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 4000, expected, atol=0.03)
    curriculum.update(np.sort(curriculum.select(4)), success=[0.5] * 4, counts=8)
    # a = 0.5 * 9 + 0.5 + 4 = 9, b = 0.5 * 1 + 0.5 + 4 = 5 for the first.
    assert curriculum.values[0] == pytest.approx(9 / 14)


def test_mopps_looks_at_candidates_only_and_spreads_its_floor():
    curriculum = told_of(at.Mopps(candidates=10), 100, np.r_[np.full(99, 0.0), 0.5], 50)
    taken = [
        99 in curriculum.select(5) or curriculum.abandon(curriculum.in_flight) for _ in range(200)
    ]
    # The one that is half solved is among ten of a hundred candidates one time in ten.
    assert 5 < sum(value is True for value in taken) < 40
    curriculum = told_of(at.Mopps(floor=0.5), 10, np.r_[np.full(9, 0.0), 0.5], 50)
    assert curriculum.selection_probabilities[:9] == pytest.approx(np.full(9, 0.05), abs=1e-3)
    counts = np.zeros(10)
    for _ in range(2000):
        counts[
            curriculum.selector.drawn(
                curriculum.state, 1, np.zeros(10, int), np.ones(10, bool), np.random.default_rng(_)
            )[0]
        ] += 1
    np.testing.assert_allclose(counts[:9].sum() / 2000, 0.45, atol=0.05)


def test_bidirectional_progress_prefers_goals_that_rise_or_fall():
    selector = at.BidirectionalProgress(floor=0.0)
    curriculum = told_of(selector, 3, [0.0, 1.0, 0.5])
    assert curriculum.selection_probabilities.tolist() == [1 / 3] * 3
    curriculum.update(np.sort(curriculum.select(3)), success=[0.4, 0.6, 0.5])
    # fast = 0.04, slow = 0.004, and r(0.04) = 0.036 / 0.132, r(0.004) = 0.0036 / 0.1032.
    rises = 0.036 / 0.132 - 0.0036 / 0.1032
    # fast = 0.96, slow = 0.996, and r(0.96) = 0.864 / 0.868, r(0.996) = 0.8964 / 0.8968.
    falls = 0.8964 / 0.8968 - 0.864 / 0.868
    np.testing.assert_allclose(curriculum.values, [rises, falls, 0.0], atol=1e-12)
    p = curriculum.selection_probabilities
    assert p[0] > p[1] > p[2]


def test_failure_counts_follow_counts_and_smooth_towards_what_comes_before():
    selector = at.FailureCounts(rate=0.5, ratio=0.4, kept=0.5, width=2)
    curriculum = told_of(selector, 4, [1.0, 1.0, 0.0, 1.0], [1, 1, 8, 1])
    # F = 0, 0, 4, 0, with 0.1 added to each; the last has itself as neighbour.
    weights = np.array([0.1 + 0.05, 0.1 + 2.05, 4.1 + 0.05, 0.1 + 0.05])
    np.testing.assert_allclose(curriculum.selection_probabilities, weights / weights.sum())
