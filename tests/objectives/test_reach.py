"""Places as goals: rewards, posteriors and success by hand, and which goals there are."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.objectives import Context, GoalSpace, Reach, check_objective
from autotelic.objectives.goal_sets import grid
from autotelic.objectives.reach import share_of_episodes

PLACES = ((0.0, 0.0), (3.0, 4.0), (-10.0, 5.0))
OWN = Reach(places=PLACES, features=(2, 0), radius=2.0, bounds=((-10.0, 10.0), (0.0, 5.0)))
SPACE = GoalSpace(
    "somewhere",
    observation_size=3,
    entries=(0, 1),
    bounds=((0.0, 4.0), (0.0, 2.0)),
    radius=0.25,
    desired=lambda count: np.arange(2.0 * count).reshape(count, 2) / 100,
    reachable=lambda places: places[:, 0] < 0.03,
    met=lambda count: np.zeros((count, 3)),
)


def test_contract():
    five = tuple((float(x), 1.0) for x in range(5))
    bounds = ((0.0, 5.0), (0.0, 2.0))
    for changes in ({}, {"reward_form": "dense", "goals": "met"}):
        check_objective(Reach(places=five, features=(3, 1), radius=0.5, bounds=bounds, **changes))


def context(observations: Any, goals: Any) -> Context:
    after = jnp.asarray(observations, jnp.float32)
    skill = OWN.embed(jnp.asarray(goals), 3)
    return Context(None, jnp.zeros_like(after), after, None, skill)


def test_the_policy_sees_coordinates_within_the_bounds():
    expected = [[0.0, -1.0], [0.3, 0.6], [-1.0, 1.0]]
    np.testing.assert_allclose(OWN.embed(jnp.arange(3), 3), expected, atol=1e-6)
    np.testing.assert_allclose(OWN.fulfilled(jnp.array([4.0, 9.0, 3.0])), [0.3, 0.6], atol=1e-6)


def test_rewards_by_hand():
    # f(s') = (entry 2, entry 0); at (3, 4) it is 5 away from goal 0, and at goal 1.
    seen = context([[4.0, 0.0, 3.0], [4.0, 0.0, 3.0], [2.0, 0.0, 3.0]], [0, 1, 1])
    params = OWN.init(None, 3, 3, 8)
    sparse = OWN.reward(params, seen, jnp.zeros(3, int), jnp.zeros(3))
    np.testing.assert_array_equal(sparse, [0.0, 1.0, 1.0])  # the last just within the radius
    dense = Reach(
        places=PLACES, features=(2, 0), radius=2.0, bounds=OWN.bounds, reward_form="dense"
    )
    found = dense.reward(params, seen, jnp.zeros(3, int), jnp.zeros(3))
    # 2.5, 0 and 1 radii away.
    np.testing.assert_allclose(found, [1 / 3.5, 1.0, 1 / 2], atol=1e-5)
    np.testing.assert_array_equal(OWN.competence(params, seen, jnp.zeros(3, int)), [0.0, 1.0, 1.0])


def test_posteriors_say_which_goal_is_being_reached():
    # Squared distances 0, 25 and 125 from goal 0, over 2 radius^2 = 8.
    seen = context([[0.0, 0.0, 0.0]], [0])
    weights = np.exp([0.0, -25 / 8, -125 / 8])
    found = np.exp(OWN.log_posteriors(OWN.init(None, 3, 3, 8), seen))
    np.testing.assert_allclose(found[0], weights / weights.sum(), rtol=1e-4)


def test_success_is_the_share_of_episodes_that_reached():
    reached = np.array([[0, 1, 0, 0], [0, 0, 0, 0]])
    ended = np.array([[0, 1, 0, 1], [0, 0, 0, 1]])
    assert share_of_episodes(reached, ended) == pytest.approx(1 / 3)
    assert OWN.success(reached, ended) == pytest.approx(1 / 3)
    under_way = np.array([[0, 1, 0, 0]]), np.array([[1, 0, 0, 0]])  # not ended yet
    assert share_of_episodes(*under_way) == 0.5


def test_goals_on_the_way_are_reached_within_the_radius():
    """Of places at (0, 0), (3, 4) and (-10, 5) the first is 2 away, the second 1.5, the third 6."""
    walked = np.array([[2.0, 0.0], [3.0, 2.5], [-4.0, 5.0]], np.float32)
    assert OWN.reached(walked, np.array(PLACES)).tolist() == [True, True, False]
    assert OWN.reached(walked + 0.01, np.array(PLACES)).tolist() == [False, True, False]


def test_what_is_left_open_is_as_the_environment_says():
    fitted = Reach().fitted(SPACE, 3)
    assert fitted.places == pytest.approx(np.array([[0.0, 0.01], [0.02, 0.03], [0.04, 0.05]]))
    assert (fitted.features, fitted.radius, fitted.bounds) == ((0, 1), 0.25, SPACE.bounds)
    assert fitted.reachable == (True, True, False)
    assert fitted.fitted(SPACE, 3) == fitted
    cells = Reach(goals="grid").fitted(SPACE, 2)
    assert cells.places == ((1.0, 1.0), (3.0, 1.0))
    met = Reach(goals="met").fitted(SPACE, 2)
    assert met.places is not None and met.places[0] != met.places[1]  # moved apart
    beyond = SPACE._replace(met=lambda count: np.full((count, 3), 9.0))
    assert Reach(goals="met").fitted(beyond, 1).bounds == ((0.0, 9.0), (0.0, 9.0))
    own = Reach(places=((7.0,), (9.0,)), features=(2,)).fitted(SPACE, 2)
    assert own.bounds == ((7.0, 9.0),) and own.reachable is None
    assert own.radius == pytest.approx(0.05 * 2.0)


@pytest.mark.parametrize("count", [1, 2, 7, 20, 50])
def test_a_grid_has_as_many_points_as_asked_for_within_the_bounds(count: int):
    points = grid([(-1.0, 1.0), (0.0, 5.0), (2.0, 2.5)], count)
    assert len(np.unique(points, axis=0)) == count
    assert (points > [-1, 0, 2]).all() and (points < [1, 5, 2.5]).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"places": ()}, "places must hold at least one goal"),
        ({"places": ((0.0,), (1.0, 2.0))}, "places must be points of one dimension"),
        ({"places": ((0.0, np.nan),)}, r"goal 0 is \[0.0, nan\]"),
        ({"places": ((1.0, 2.0), (0.0, 2.0), (1.0, 2.0))}, "goal 2, .*, is there twice"),
        ({"places": ((6.0, 1.0),), "bounds": ((0, 5), (0, 2))}, "lies outside the bounds"),
        ({"bounds": ((1.0, 1.0),)}, "low below high"),
        ({"bounds": (1.0, 2.0)}, r"bounds must be \(low, high\)"),
        ({"radius": 0.0}, "radius must be greater than 0"),
        ({"relabel": "past"}, "unknown relabel 'past'"),
        ({"relabel_share": 1.5}, "relabel_share must lie in"),
        ({"goals": "all"}, "unknown goals 'all'"),
        ({"features": (0, -1)}, "features must be at least 0"),
        ({"features": (1, 0, 1)}, "features must differ; 1 is there twice"),
    ],
)
def test_goals_that_cannot_be_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises((ValueError, TypeError), match=message):
        Reach(**changes)


@pytest.mark.parametrize(
    ("objective", "space", "message"),
    [
        (Reach(), SPACE._replace(entries=()), "somewhere does not say what a goal is .*--features"),
        (Reach(features=(3,)), SPACE, r"features \[3\] are beyond the observation's 3 entries"),
        (Reach(goals="grid"), SPACE._replace(bounds=None), "a grid of goals needs bounds"),
        (Reach(goals="desired"), SPACE._replace(desired=None), "has no desired goals; choose"),
        (Reach(goals="desired", features=(2,)), SPACE, r"no desired goals of the features \[2\]"),
        (Reach(places=((9.0, 1.0), (0.0, 0.0))), SPACE, "lies outside the bounds"),
        (
            Reach(places=((1.0,), (2.0,))),
            SPACE._replace(reachable=lambda places: places[:, 1] > 0),  # which needs two of them
            "places have 1 dimensions, and goals are values of the 2",
        ),
        (Reach(goals="grid", bounds=((0.0, 1.0),)), SPACE, "bounds have 1 dimensions"),
    ],
)
def test_an_environment_without_what_is_needed_is_refused(
    objective: Reach, space: GoalSpace, message: str
):
    with pytest.raises(ValueError, match=message):
        objective.fitted(space, 2).check(3, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "does not know its goals yet"),
        ({"places": ((0.5, 0.5),)}, "there are 1 places, and num_goals is 2"),
    ],
)
def test_goals_that_do_not_fit_are_refused(changes: dict[str, Any], message: str):
    objective = Reach(**changes)
    if changes:
        objective = objective.fitted(SPACE, 2)
    with pytest.raises(ValueError, match=message):
        objective.check(3, 2)


def test_what_can_be_reached_is_said_of_every_goal():
    places = ((0.0, 0.0), (1.0, 1.0), (2.0, 1.0))
    own = Reach(
        places=places,
        features=(0, 1),
        radius=0.5,
        bounds=SPACE.bounds,
        reachable=(True, True, False),
    )
    own.check(3, 3)
    with pytest.raises(ValueError, match="reachable says it of 2 goals, and num_goals is 3"):
        replace(own, reachable=(True, False)).check(3, 3)


def exchanges(number: int, goal: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Places of so many goals, and which were replaced, after each of a thousand visits to one goal."""
    own, achieved = Reach(places=PLACES[:number]), np.array([[7.0, 7.0], [8.0, 8.0]])
    generator, params = np.random.default_rng(0), own.init(None, 3, number, 8)
    found = (own.exchanged(params, achieved, goal, generator) for _ in range(1000))
    return [(np.asarray(after.places), replaced) for after, replaced in found]


def test_a_tenth_of_visits_exchange_one_other_goal_for_a_place_of_theirs():
    counts, met = np.zeros(3), set()
    for places, replaced in exchanges(3, goal=1):
        np.testing.assert_array_equal(places[~replaced], np.array(PLACES)[~replaced])
        met |= {tuple(place) for place in places[replaced]}
        assert replaced.sum() <= 1
        counts += replaced
    assert met == {(7.0, 7.0), (8.0, 8.0)}
    # 50 of 1000 of each of the two; their deviation is 7.
    assert counts[1] == 0 and (np.abs(counts[[0, 2]] - 50) < 35).all()


def test_a_goal_alone_is_never_exchanged():
    assert not any(replaced.any() for _, replaced in exchanges(1, goal=0))
