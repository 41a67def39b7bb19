"""Goals exchanged for others are as untried, with every selector."""

from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome, distributions
from autotelic.selectors.spelling import NAMES

SELECTORS = [
    *(kind() for kind in NAMES.values()),
    at.TeacherStudent(variant="naive", window=3),
    at.TeacherStudent(variant="window"),
    at.TeacherStudent(variant="sampling", window=3),
    at.AbsoluteLearningProgress(estimator="halves", window=2),
    at.DiversityProgress(reference="previous_visit"),
    at.VariationalControl(learning_rate=5.0),
    at.Curious(window=2, competence="success", draw="low_variance"),
]
KNOWS_ALL_GOALS = {"achieved", "values", "value_spread"}  # evidence of goals that were not visited


def outcome(goal: int, generator: np.random.Generator, goals: int = 4, **evidence: Any):
    weights = generator.exponential(size=(20, goals))
    return VisitOutcome(
        goal,
        weights / weights.sum(axis=1, keepdims=True),
        probe_before=generator.random(goals),
        probe_after=np.full(goals, np.nan),
        success=float(generator.random()),
        values_before=generator.normal(size=goals),
        values_after=generator.normal(size=goals),
        achieved=generator.normal(size=(5, 2)),
        places=np.arange(2.0 * goals).reshape(goals, 2),
        value_spread=generator.random(goals),
        **evidence,
    )


def practised(selector: at.GoalSelector, visits: int = 24):
    generator, state = np.random.default_rng(0), selector.init(4)
    for visit in range(visits):
        state = selector.update(state, outcome(visit % 4, generator))
    return state, generator


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_when_all_goals_are_exchanged_a_selector_is_as_at_the_start(selector: at.GoalSelector):
    state, generator = practised(selector)
    state = selector.update(state, outcome(1, generator, replaced=np.ones(4, dtype=bool)))
    if selector.evidence & KNOWS_ALL_GOALS:
        assert np.isfinite(selector.selection_probabilities(state)).all()
        return
    start = selector.init(4)
    assert selector.selection_probabilities(state) == pytest.approx(
        selector.selection_probabilities(start)
    )
    assert np.isnan(selector.values(state)).all() or isinstance(selector, at.AutoSelector)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_only_goals_that_were_exchanged_are_forgotten(selector: Any):
    state, generator = practised(selector)
    replaced = np.array([False, True, False, True])
    news = outcome(0, generator, replaced=replaced)
    after = selector.update(state, news)
    assert after.counts[0] == state.counts[0] + 1 and after.counts[2] == state.counts[2]
    assert (after.counts[[1, 3]] < after.counts[0]).all()
    if not selector.evidence & KNOWS_ALL_GOALS and not isinstance(selector, at.AutoSelector):
        assert np.isnan(selector.values(after)).tolist() == [False, True, False, True]


def test_the_visit_to_a_goal_that_is_gone_says_nothing_of_the_new_one():
    selector = at.Curious(window=1)
    state, generator = practised(selector)
    after = selector.update(state, outcome(2, generator, replaced=np.arange(4) == 2))
    assert after.counts[2] == 0 and np.isnan(after.values[2])
    assert after.signal[2].size == 0 and after.signal[1].size > 0


def test_round_robin_takes_a_new_goal_into_the_present_round():
    selector = at.RoundRobin()
    state, generator = practised(selector)  # six rounds
    state = selector.update(state, outcome(0, generator, replaced=np.arange(4) == 3))
    assert selector.selection_probabilities(state) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    for goal in (1, 2, 3):
        state = selector.update(state, outcome(goal, generator))
    assert selector.selection_probabilities(state).tolist() == [0.25] * 4  # no catching up


@pytest.mark.parametrize("draw", ["independent", "low_variance"])
def test_after_the_first_rounds_a_new_goal_comes_first_and_the_prior_stays(draw: str):
    selector = at.AbsoluteLearningProgress(draw=draw, competence="success")
    state, generator = practised(selector)
    state = selector.update(state, outcome(0, generator, replaced=np.arange(4) == 3))
    assert selector.selection_probabilities(state).tolist() == [0, 0, 0, 1]
    assert selector.shares(state).tolist() == [0, 0, 0, 1]
    assert not np.allclose(selector.prior(state), 0.25)


def test_a_hold_ends_with_its_goal():
    selector = at.TeacherStudent(variant="naive", window=5)
    generator, state = np.random.default_rng(0), selector.init(4)
    state = selector.update(state, outcome(2, generator))
    assert selector.selection_probabilities(state).tolist() == [0, 0, 1, 0]
    gone = selector.update(state, outcome(2, generator, replaced=np.arange(4) == 2))
    assert selector.selection_probabilities(gone).tolist() == [0.25] * 4
    kept = selector.update(state, outcome(2, generator, replaced=np.arange(4) == 1))
    assert selector.selection_probabilities(kept).tolist() == [0, 0, 1, 0]


def test_new_goals_get_the_mean_probability_and_others_keep_their_odds():
    """Probabilities 0.6, 0.3 and 0.1; the second becomes 1/3, and then all are scaled."""
    logits = np.log([0.6, 0.3, 0.1])
    after = distributions.softmax(distributions.levelled(logits, np.array([False, True, False])))
    expected = np.array([0.6, 1 / 3, 0.1])
    assert after == pytest.approx(expected / expected.sum())
