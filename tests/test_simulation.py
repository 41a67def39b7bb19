"""The simulated learner does what it says; selectors show the shapes of the paper's Figure 1."""

from typing import Any

import numpy as np
import pytest

from autotelic.selectors import Curious, RemainingError, Uniform, ValueRegret
from autotelic.simulation import SimulatedLearner, effective_skills_curves

QUIET = SimulatedLearner(num_goals=6, steps=50, noise=0.0)


def practise(learner: SimulatedLearner, goals: list[int]):
    """The state and the mean certainty of the pursued goal in each epoch."""
    generator = np.random.default_rng(0)
    state, certainties = learner.init(), []
    for goal in goals:
        state, posteriors = learner.run_epoch(state, goal, generator)
        assert posteriors.sum(axis=1) == pytest.approx(1.0)
        certainties.append(posteriors[:, goal].mean())
    return state, certainties


def test_certainty_rises_with_practice_and_faster_for_easy_goals():
    _, easy = practise(QUIET, [0] * 5)
    _, hard = practise(QUIET, [5] * 5)
    assert np.all(np.diff(easy) > 0)
    assert np.all(np.diff(hard) > 0)
    assert easy[1] > hard[1]


def test_neighbours_are_confused_and_others_are_not():
    _, posteriors = QUIET.run_epoch(QUIET.init(), 2, np.random.default_rng(0))
    last = posteriors[-1]
    assert last[1] == pytest.approx(last[3])
    assert last[0] == pytest.approx(last[5])
    assert last[2] > last[1] > last[0]


def test_what_is_not_practised_is_forgotten():
    state, _ = practise(QUIET, [0] * 3)
    later, _ = practise(QUIET, [0] * 3 + [3] * 10)
    assert later.skill[0] == pytest.approx(state.skill[0] * 0.98**10)


def test_goals_practised_rarely_lose_certainty():
    learner = SimulatedLearner(num_goals=6, steps=50, noise=0.0, forgetting=0.0)
    _, certainties = practise(learner, [0] + [3] * 20 + [0])
    _, at_once = practise(learner, [0, 0])
    assert certainties[-1] < at_once[-1]


def test_the_shapes_of_figure_1():
    curves = effective_skills_curves(epochs=150, seeds=2)
    assert curves["DIAYN"] == pytest.approx(20.0)
    for label in ("DP, T = 0.1", "DP, T = 0.3"):
        first_round = np.tile(np.arange(20, 0, -1), (2, 1))
        assert curves[label][:, :20] == pytest.approx(first_round)
        assert curves[label][:, 20:].min() > 8
    cooler, hotter = curves["DP, T = 0.1"][:, 20:], curves["DP, T = 0.3"][:, 20:]
    assert cooler.mean() < hotter.mean()
    assert cooler.std() > hotter.std()
    for label in ("VIC (REINFORCE)", "VIC (learned prior)"):
        assert curves[label][:, 0] == pytest.approx(20.0)
        assert curves[label][:, -1].max() < 10


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"num_goals": 0}, "num_goals"), ({"rate": 1.5}, "rate"), ({"memory": 1.0}, "memory")],
)
def test_bad_settings_are_refused(settings: Any, message: str):
    with pytest.raises(ValueError, match=message):
        SimulatedLearner(**settings)


def test_epochs_too_short_for_a_selector_are_refused_before_any_work():
    with pytest.raises(ValueError, match="exceeds the 50 steps"):
        effective_skills_curves(learner=QUIET)


def test_selectors_that_need_more_than_posteriors_are_refused_before_any_work():
    with pytest.raises(ValueError, match=r"mine: .* needs probe_after"):
        effective_skills_curves({"DIAYN": Uniform(), "mine": RemainingError()})
    with pytest.raises(ValueError, match=r"mine: .* needs success; leave it out"):
        effective_skills_curves({"mine": Curious(competence="success")})


def test_values_are_what_the_learner_shows_without_noise():
    """log q(g|s) of the next epoch's first step, for each goal that might be pursued in it."""
    state, _ = practise(QUIET, [0, 0, 3, 1])
    shown = [QUIET.run_epoch(state, g, np.random.default_rng(0))[1][0, g] for g in range(6)]
    np.testing.assert_allclose(QUIET.values(state), np.log(shown), rtol=1e-12)
    after, _ = QUIET.run_epoch(state, 3, np.random.default_rng(0))
    gained = QUIET.values(after) - QUIET.values(state)
    assert gained.argmax() == 3 and gained[0] < 0  # the others are forgotten
    for goals in (1, 2):  # with no neighbours, and with one
        few = SimulatedLearner(num_goals=goals, steps=5, noise=0.0)
        shown = few.run_epoch(few.init(), 0, np.random.default_rng(0))[1][0, 0]
        assert few.values(few.init())[0] == pytest.approx(np.log(shown), abs=1e-12)


def test_a_selector_by_values_is_simulated():
    learner = SimulatedLearner(num_goals=6, steps=20)
    curves = effective_skills_curves({"regret": ValueRegret()}, learner, epochs=30, seeds=2)
    assert curves["regret"][:, 0] == pytest.approx(6.0)
    assert (curves["regret"][:, 1:] < 6.0).all() and (curves["regret"] >= 1.0).all()
