"""The simulated maze does what it says, every selector can be driven by it, and the ranking is sane."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome
from autotelic.selectors.spelling import NAMES
from autotelic.simulation import (
    BY_SUCCESS,
    FAMILIES,
    ExchangedGoals,
    Score,
    SimulatedMaze,
    rank_agreement,
    rank_selectors,
    ranking_table,
    success_curve,
)

# Two corridors of three goals, and two impossible ones.
SMALL = SimulatedMaze(
    num_goals=8,
    impossible=0.25,
    corridors=2,
    rate=0.3,
    hardest=1.0,
    hindsight=0.2,
    forgetting=0.05,
    attempts=4,
)


def practise(maze: SimulatedMaze, goals: list[int]):
    state = maze.init()
    for goal in goals:
        state = maze.practise(state, goal)
    return state


def test_goals_stand_in_corridors_and_closed_rooms_between_them():
    assert SMALL.num_reachable == 6
    assert SMALL.places[:6] == pytest.approx(
        np.array([[1, 0], [-1, 0], [2, 0], [-2, 0], [3, 0], [-3, 0]]), abs=1e-12
    )
    assert SMALL.places[6:] == pytest.approx(np.array([[0, 2], [0, -2]]), abs=1e-12)
    assert [SMALL.path(goal).tolist() for goal in (0, 4, 5, 6, 7)] == [
        *([0], [0, 2, 4], [1, 3, 5]),
        *([0], [1]),  # the corridor beside the room
    ]


def test_a_goal_is_reached_as_surely_as_the_worst_stretch_on_the_way():
    ability = np.array([0.9, 0.5, 0.4, 0.8, 0.7, 0.6, 0.0, 0.0])
    expected = [0.9, 0.5, 0.4, 0.5, 0.4, 0.5, 0.0, 0.0]
    assert SMALL.success(ability).tolist() == expected
    uneven = SimulatedMaze(num_goals=5, impossible=0.0, corridors=2)  # corridors of 3 and 2
    assert uneven.success(np.array([0.5, 1.0, 0.9, 0.9, 0.9])).tolist() == [0.5, 1, 0.5, 0.9, 0.5]


def test_practice_by_hand():
    """The first goal learns 0.3 of what is missing. The next one has the gate 0, then 0.3^3: pursued it
    learns 0.3 of that, and the goal passed 0.2 as much as if pursued.
    """
    once = practise(SMALL, [0])
    assert once.ability[:3].tolist() == [0.3, 0.0, 0.0]
    twice = practise(SMALL, [0, 2])
    assert twice.ability[2] == pytest.approx(0.3 * 0.3**3)
    assert twice.ability[0] == pytest.approx(0.3 + 0.2 * 0.3 * 0.7)
    beyond = practise(SMALL, [0, 0])  # the goal behind is learned by a fifth
    assert beyond.ability[2] == pytest.approx(0.2 * 0.3 * 0.3**3)


def test_a_goal_is_learned_only_once_the_one_before_is():
    assert practise(SMALL, [4] * 20).ability[4] < 0.2
    assert practise(SMALL, [0] * 10 + [2] * 10 + [4] * 10).ability[4] > 0.8


def test_impossible_goals_teach_the_way_there_and_are_never_reached():
    state = practise(SMALL, [6] * 50)
    assert state.ability[0] > 0.5 and state.ability[1] == 0.0
    assert SMALL.success(state.ability)[6:].tolist() == [0.0, 0.0]
    _, shown = SMALL.visit(state, 6, np.random.default_rng(0))
    assert shown["success"] == 0.0


def test_what_is_not_practised_is_forgotten():
    learned = practise(SMALL, [1] * 10)
    later = practise(SMALL, [1] * 10 + [0] * 8)  # a round without it
    assert later.ability[1] == pytest.approx(0.95 * learned.ability[1])


def test_a_visit_shows_what_a_real_one_would():
    state = practise(SMALL, [0] * 15 + [2] * 2)
    generator = np.random.default_rng(0)
    rates, ends, shown = [], [], {}
    for _ in range(200):
        _, shown = SMALL.visit(state, 2, generator)
        VisitOutcome(2, **shown)  # valid
        rates.append(shown["success"])
        ends.append(shown["achieved"][SMALL.steps // SMALL.attempts - 1])
    chance = SMALL.success(state.ability)[2]
    assert 0.2 < chance < 0.8 and np.mean(rates) == pytest.approx(chance, abs=0.06)
    # About as often an attempt ends at the goal or beyond.
    beyond = np.array(ends)[:, 0] > 1.9
    assert chance - 0.1 < beyond.mean() < chance + 0.2
    assert shown["posteriors"].shape == (SMALL.steps, 8)
    assert shown["value_spread"][2] > shown["value_spread"][7]


def test_goals_on_the_way_are_reached_as_often_as_they_would_be():
    """One attempt: its goal is reached when it succeeds; on the way to 4 the goals 0 and 2 are, as often as
    they would be if pursued.
    """
    maze = replace(SMALL, attempts=1)
    state = practise(maze, [0] * 6 + [2] * 4 + [4] * 3)
    generator, counts = np.random.default_rng(0), np.zeros(8)
    for _ in range(600):
        _, shown = maze.visit(state, 4, generator)
        assert shown["reached"][4] == (shown["success"] == 1.0)
        counts += shown["reached"]
    assert counts / 600 == pytest.approx(np.where(np.arange(8) % 2, 0, state.success), abs=0.06)
    assert counts[0] > counts[2] > counts[4] > 0


def test_few_goals_are_hard_with_skew():
    """Of 11 goals the rates 0.3 x 0.1^(h^4) with h = 0, 0.1, ... 1: eight are above half of the easiest."""
    maze = SimulatedMaze(num_goals=11, impossible=0.0, rate=0.3, hardest=0.1, skew=4.0)
    assert sorted(maze.rates)[:2] == pytest.approx([0.03, 0.3 * 0.1**0.6561])
    assert (maze.rates > 0.15).sum() == 8


class TestExchangedGoals:
    MAZE = replace(SMALL, impossible=0.0)  # two corridors of four

    def test_a_goal_met_takes_the_place_of_another_and_selectors_are_told(self):
        goals = ExchangedGoals(self.MAZE, num_goals=3, chance=1.0)
        state, generator = goals.init(), np.random.default_rng(0)
        assert state.held.tolist() == [0, 1, 2]
        for _ in range(40):
            after, shown = goals.visit(state, 0, generator)
            VisitOutcome(0, **shown)  # valid
            assert shown["replaced"].sum() == 1 and not shown["replaced"][0]
            changed = int(np.flatnonzero(shown["replaced"])[0])
            assert after.held[changed] in self.MAZE.path(int(state.held[0]))
            assert np.array_equal(shown["places"], self.MAZE.places[after.held])
            state = after
        assert state.learner.ability[0] > 0.9
        assert goals.mean_success(state) == pytest.approx(state.learner.success.mean())

    def test_nothing_is_exchanged_without_a_chance(self):
        goals = ExchangedGoals(self.MAZE, num_goals=3, chance=0.0)
        state, shown = goals.visit(goals.init(), 2, np.random.default_rng(0))
        assert state.held.tolist() == [0, 1, 2] and not shown["replaced"].any()

    def test_more_goals_than_the_maze_has_are_refused(self):
        with pytest.raises(ValueError, match="more than the 8 goals"):
            ExchangedGoals(self.MAZE, num_goals=9)

    def test_selectors_are_ranked_by_it(self):
        goals = ExchangedGoals(self.MAZE, num_goals=4)
        scores = rank_selectors({"auto": at.AutoSelector()}, goals, visits=80, seeds=[0])
        assert 0.1 < scores["auto"].area[0] < 1.0


def test_exchangeable_goals_are_alike():
    maze = FAMILIES["exchangeable"]
    assert isinstance(maze, SimulatedMaze)
    gaps = np.linalg.norm(np.diff(maze.places, axis=0), axis=1)
    assert np.ptp(maze.rates) == 0 and np.ptp(gaps) < 1e-9
    state = practise(maze, [3])
    assert np.flatnonzero(state.ability).tolist() == [3]


@pytest.mark.parametrize("name", NAMES)
def test_every_selector_can_be_driven_by_it(name: str):
    curve = success_curve(NAMES[name](), SMALL, visits=30, seed=1)
    assert curve.shape == (30,) and curve[0] == 0.0 and (curve >= 0).all()


def test_every_selector_of_the_catalogue_is_ranked():
    assert {type(selector) for selector in BY_SUCCESS.values()} >= set(NAMES.values()) - {
        at.VariationalControl,  # these collapse to a few goals
        at.LearnedPrior,
    }


def test_a_curve_is_the_seeds_and_lies_below_one():
    first, again, other = (success_curve(at.Uniform(), SMALL, visits=60, seed=s) for s in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert first.max() <= 1.0


def test_the_ranking_prefers_what_leaves_impossible_goals_alone():
    """Most goals are impossible: who practises the others alone is first, who seeks error is last."""
    maze = SimulatedMaze(num_goals=16, impossible=0.75, corridors=2)
    selectors = {name: BY_SUCCESS[name] for name in ("round-robin", "auto", "remaining-error")}
    scores = rank_selectors(selectors, maze, visits=160, seeds=range(3))
    assert list(scores) == ["auto", "round-robin", "remaining-error"]
    reached = scores["auto"].visits_to_80
    assert np.isfinite(reached).all() and reached.mean() < scores["round-robin"].visits_to_80.mean()


def test_auto_is_round_robin_with_exchangeable_goals():
    maze = SimulatedMaze(num_goals=10, impossible=0.0, corridors=None, hardest=1.0)
    even, auto = (
        success_curve(BY_SUCCESS[name], maze, visits=150) for name in ("round-robin", "auto")
    )
    assert auto.mean() == pytest.approx(even.mean(), abs=0.01)


def test_the_table_says_never():
    score = Score(np.array([0.5, 0.7]), np.array([100.0, 200.0]))
    lines = ranking_table({"mine": score, "bad": Score(score.area, np.array([np.inf, np.inf]))})
    assert [line.split() for line in lines.splitlines()[1:]] == [
        ["mine", "0.600", "150"],
        ["bad", "0.600", "never"],
    ]


def test_the_agreement_of_two_rankings_by_hand():
    """Ranks 4, 3, 2, 1 against 3.5, 3.5, 2, 1: covariance 4.5 over sqrt(5 x 4.5)."""
    areas = {"a": 0.9, "b": 0.7, "c": 0.4, "d": 0.1, "only simulated": 0.5}
    scores = {name: Score(np.full(2, area), np.full(2, np.inf)) for name, area in areas.items()}
    measured = {"d": 1.0, "c": 2.0, "b": 5.0, "a": 5.0, "only trained": 9.0}
    assert rank_agreement(scores, measured) == pytest.approx(4.5 / np.sqrt(5 * 4.5))
    assert rank_agreement(scores, {"a": 1.0, "d": 2.0}) == -1.0
    with pytest.raises(ValueError, match="two selectors or more"):
        rank_agreement(scores, {"a": 1.0})
    with pytest.raises(ValueError, match="no ranking"):
        rank_agreement(scores, {"a": 1.0, "b": 1.0})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"impossible": 1.0}, "leaves none of 50 goals"),
        ({"impossible": 1.5}, "impossible must lie in"),
        ({"corridors": 0}, "corridors must be at least 1"),
        ({"rate": -0.1}, "rate must lie in"),
        ({"steps": 3, "attempts": 4}, "steps must be at least 4"),
        ({"skew": 0.0}, "skew must be greater than 0"),
    ],
)
def test_bad_settings_are_refused(settings: Any, message: str):
    with pytest.raises(ValueError, match=message):
        SimulatedMaze(**settings)


def test_a_ranking_without_seeds_or_with_short_visits_is_refused_before_work():
    with pytest.raises(ValueError, match="at least one seed"):
        rank_selectors(seeds=[])
    with pytest.raises(ValueError, match="exceeds the 20 steps"):
        rank_selectors({"dp": at.DiversityProgress(offset=30, smoothing=5)})
