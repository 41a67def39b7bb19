"""Many goals at once: shares are kept, ties are fair, and what several results teach is what one would."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autotelic as at
from autotelic.selectors import VisitOutcome, draws_many, in_flight
from autotelic.selectors.base import posteriors_of
from autotelic.selectors.check_flight import by_success
from autotelic.selectors.spelling import NAMES

SHARES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 60), st.booleans())
def test_what_goals_are_due_sums_to_the_batch_and_none_is_due_twice(
    seed: int, goals: int, k: int, repeats: bool
):
    generator = np.random.default_rng(seed)
    p = generator.exponential(size=goals) ** 3 * (generator.random(goals) < 0.7)
    p[0] += 1e-3
    p /= p.sum()
    due = draws_many.due(p, k, repeats)
    assert due.sum() == pytest.approx(k) and due.min() >= 0
    held = np.count_nonzero(p)
    if repeats or k > held:
        np.testing.assert_allclose(due, k * p)
    else:
        assert due.max() <= 1
        sure = due[(due < 1 - 1e-9) & (p > 0)] / p[(due < 1 - 1e-9) & (p > 0)]
        # In proportion among those that are not certain to come.
        np.testing.assert_allclose(sure, sure[:1].repeat(len(sure)))
    drawn = draws_many.independent(p, k, generator, repeats)
    counts = np.bincount(drawn, minlength=goals)
    assert len(drawn) == k and np.abs(counts - due).max() < 1 + 1e-6


def test_independent_draws_come_as_often_as_they_are_due():
    generator, counts = np.random.default_rng(0), np.zeros(5)
    for _ in range(20_000):
        counts[draws_many.independent(SHARES, 2, generator)] += 1
    # Of 20,000 the deviation of a mean is at most 0.5 / sqrt(20,000) = 0.0035.
    np.testing.assert_allclose(counts / 20_000, 2 * SHARES, atol=4 * 0.0035)


def test_the_order_of_a_batch_is_by_chance():
    generator = np.random.default_rng(0)
    first = [draws_many.independent(np.full(4, 0.25), 4, generator)[0] for _ in range(4000)]
    np.testing.assert_allclose(np.bincount(first) / 4000, 0.25, atol=4 * 0.007)
    owed = [draws_many.most_owed(np.ones(4), np.ones(4) / 4, 3, generator)[0] for _ in range(4000)]
    np.testing.assert_allclose(np.bincount(owed) / 4000, 0.25, atol=4 * 0.007)


def test_the_most_owed_come_first_then_the_likelier_and_as_often_as_they_are_owed():
    generator = np.random.default_rng(0)
    owed = np.array([0.9, 0.2, 0.5, 0.5, -np.inf])
    even = np.full(5, 0.2)
    assert set(draws_many.most_owed(owed, even, 1, generator)) == {0}
    likelier = np.array([0.2, 0.2, 0.1, 0.3, 0.2])
    assert set(draws_many.most_owed(owed, likelier, 2, generator)) == {0, 3}
    assert set(draws_many.most_owed(owed, likelier, 4, generator)) == {0, 1, 2, 3}
    # One after the other: 2.6, 1.6, 1.5, 0.6 (tied with nobody), 0.5, ...
    several = draws_many.most_owed(
        np.array([2.6, 1.5]), np.full(2, 0.5), 4, generator, repeats=True
    )
    assert sorted(several) == [0, 0, 0, 1]


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_low_variance_batches_keep_to_the_shares_in_the_long_run(k: int, repeats: bool):
    """p(g) changes at random; what a goal is owed stays within a few visits."""
    generator, worst = np.random.default_rng(k), 0.0
    deficits = np.zeros(5)
    for _ in range(2000):
        p = generator.exponential(size=5) ** 2
        due = draws_many.due(p / p.sum(), k, repeats)
        goals = draws_many.most_owed(deficits + due, p, k, generator, repeats)
        deficits += due - np.bincount(goals, minlength=5)
        worst = max(worst, np.abs(deficits).max())
    assert worst < 2.0 and abs(deficits.sum()) < 1e-9


NAMED = [
    selector
    for selector in (
        *(kind() for kind in NAMES.values()),
        at.RemainingError(fresh=False, competence="success"),
        *(
            at.TeacherStudent(variant=variant, competence="success")
            for variant in ("naive", "window", "sampling")
        ),
        at.LearnedPrior(memory=7),
    )
    if by_success(selector)
]


@pytest.mark.parametrize("selector", NAMED, ids=repr)
def test_results_teach_what_a_visit_that_shows_the_same_does(selector: at.GoalSelector):
    """One result at a time, told as a result and as a visit with posteriors that say no more."""
    generator = np.random.default_rng(0)
    flight, state = in_flight.launched(selector, 5), selector.init(5)
    draws = np.random.default_rng(1)
    for _ in range(40):
        flight, [goal] = in_flight.drawn(selector, flight, 1, draws)
        success, counts = float(generator.integers(0, 5) / 4), 4
        told = in_flight.Told(*(np.array([x]) for x in (goal, success, success, counts)))
        flight = in_flight.learned(selector, in_flight.told(flight, told))
        rows = posteriors_of(int(goal), np.array([success]), 5)
        outcome = VisitOutcome(int(goal), rows, success=success, competence=success, count=counts)
        state = selector.update(state, outcome)
        np.testing.assert_allclose(
            selector.selection_probabilities(flight.state),
            selector.selection_probabilities(state),
            atol=1e-12,
        )
        np.testing.assert_allclose(selector.values(flight.state), selector.values(state))


@pytest.mark.parametrize(
    "selector", [at.Exp3S(), at.VariationalControl(), at.AutoSelector()], ids=repr
)
def test_several_results_at_once_go_where_they_go_one_after_the_other(selector: at.GoalSelector):
    """Not to the bit: a batch is judged by what was known before it."""
    goals, success = np.arange(5), np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    together = one_by_one = selector.init(5)
    for _ in range(20):
        told = in_flight.Told(goals, success, success, np.full(5, 10))
        results = in_flight.merged(told, 5)
        together = selector.learn(together, results)
        for goal in goals:
            part = in_flight.Told(*(values[[goal]] for values in told))  # pyright: ignore
            one_by_one = selector.learn(one_by_one, in_flight.merged(part, 5))
    np.testing.assert_allclose(
        selector.selection_probabilities(together),
        selector.selection_probabilities(one_by_one),
        atol=0.05,
    )
