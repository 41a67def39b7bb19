"""Sets of places, worked out by hand."""

from typing import Any

import numpy as np
import pytest

from autotelic.objectives.base import GoalSpace
from autotelic.objectives.goal_sets import (
    bounds_of_places,
    check_within,
    checked_bounds,
    checked_places,
    chosen_places,
    evenly,
    grid,
    unique_rows,
    widened,
)

UNIT = ((0.0, 1.0), (0.0, 1.0))


@pytest.mark.parametrize(
    ("bounds", "count", "expected"),
    [
        ([(-1.0, 1.0)], 4, [[-0.75], [-0.25], [0.25], [0.75]]),
        # The longer side is cut in two, then, as long as the other or not, in three.
        ([(0.0, 6.0), (0.0, 3.0)], 3, [[1.0, 1.5], [3.0, 1.5], [5.0, 1.5]]),
        # 2 x 2 cells of which three are taken: numbers 0, 4 // 3 and 8 // 3.
        ([(0.0, 2.0), (2.0, 4.0)], 3, [[0.5, 2.5], [0.5, 3.5], [1.5, 2.5]]),
    ],
)
def test_a_grid_is_the_centres_of_cells(
    bounds: list[tuple[float, float]], count: int, expected: list[list[float]]
):
    np.testing.assert_allclose(grid(bounds, count), expected)


def test_evenly_spread_ones_need_not_divide():
    assert evenly(7, 3).tolist() == [0, 2, 4]
    assert evenly(3, 3).tolist() == [0, 1, 2]


def test_places_are_tuples_of_numbers():
    assert checked_places(np.array([[1, 2], [3, 4]])) == ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ((1.0, 2.0), r"got the shape \[2\]"),
        (((),), r"got the shape \[1, 0\]"),
        (((0.0, 1.0), (np.inf, 0.0), (np.nan, 0.0)), r"goal 1 is \[inf, 0.0\]"),
        (((0.0,), (1.0,), (1.0,), (0.0,)), r"goal 2, \[1.0\], is there twice"),
        ((("a", "b"),), "places must be points of one dimension each"),
    ],
)
def test_places_that_cannot_be_are_refused(places: Any, message: str):
    with pytest.raises(ValueError, match=message):
        checked_places(places)


def test_rows_that_are_there_before_are_moved_by_a_hair():
    rows = np.array([[1000.0, 0.0], [1000.0, 0.0], [1000.0, 0.0], [5.0, 5.0]])
    found = unique_rows(rows)
    # By a millionth of the coordinate, of 1 where it is smaller; the third by two.
    moved = [[1000.0, 0.0], [1000.001, 1e-6], [1000.001 * (1 + 1e-6), 2e-6], [5.0, 5.0]]
    np.testing.assert_allclose(found, moved, rtol=1e-12)
    assert len(np.unique(found.astype(np.float32), axis=0)) == 4
    assert rows[1, 1] == 0.0  # the input is left alone


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0.0, 1.0), "finite, got"),
        (((0.0, 1.0, 2.0),), "finite, got"),
        (((0.0, 1.0), (0.0, np.inf)), "finite, got"),
        (((0.0, 1.0), (1.0, 1.0)), "low below high"),
        (((0.0, 1.0), (2.0, 1.0)), "low below high"),
    ],
)
def test_bounds_that_are_none_are_refused(bounds: Any, message: str):
    with pytest.raises(ValueError, match=message):
        checked_bounds(bounds)
    assert checked_bounds([[0, 1], [2, 3]]) == ((0.0, 1.0), (2.0, 3.0))


@pytest.mark.parametrize("beyond", [(10.00002, 0.5), (-0.00002, 0.5), (5.0, 1.000002)])
def test_a_place_may_be_on_the_bounds_and_a_millionth_of_their_width_beyond(
    beyond: tuple[float, float],
):
    bounds = ((0.0, 10.0), (0.0, 1.0))
    check_within([(0.0, 1.0), (10.0, 0.0), (10.000009, -0.0000009)], bounds)
    with pytest.raises(ValueError, match=r"place 1, .*, lies outside the bounds"):
        check_within([(1.0, 1.0), beyond], bounds)


def test_bounds_of_places_have_some_width_in_every_dimension():
    found = bounds_of_places([(0.0, 0.0, -5.0), (2.0, 0.0, -5.0)])
    np.testing.assert_allclose(found, [(0.0, 2.0), (-0.001, 0.001), (-5.005, -4.995)])


def test_bounds_are_widened_on_both_sides_and_never_narrowed():
    found = widened(((0.0, 1.0), (0.0, 1.0)), ((0.2, 0.3), (-1.0, 0.5), (0.1, 3.0)))
    assert found == ((-1.0, 1.0), (0.0, 3.0))


SPACE = GoalSpace(
    "somewhere",
    3,
    entries=(0, 1),
    desired=lambda count: np.full((count, 2), 0.5),
    met=lambda count: np.arange(3.0 * count).reshape(count, 3),
)


@pytest.mark.parametrize(
    ("kind", "space", "features", "expected"),
    [
        ("auto", SPACE, (0, 1), [[0.5, 0.5], [0.500001, 0.500001]]),
        ("auto", SPACE, (0, 2), [[0.25, 0.5], [0.75, 0.5]]),  # desired goals are of other features
        ("auto", SPACE._replace(desired=None), (0, 1), [[0.25, 0.5], [0.75, 0.5]]),
        ("desired", SPACE, (0, 1), [[0.5, 0.5], [0.500001, 0.500001]]),
        ("grid", SPACE, (0, 1), [[0.25, 0.5], [0.75, 0.5]]),
        ("met", SPACE, (0, 2), [[0.0, 2.0], [3.0, 5.0]]),
    ],
)
def test_goals_of_a_kind(
    kind: str, space: GoalSpace, features: tuple[int, ...], expected: list[list[float]]
):
    np.testing.assert_allclose(chosen_places(kind, space, features, UNIT, 2), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "desired",
            r"the desired goals of somewhere must be finite numbers; number 1 is \[0.5, nan",
        ),
        ("met", r"places met in somewhere must be finite numbers; number 1 is \[0.5, nan"),
    ],
)
def test_goals_of_an_environment_that_are_no_places_are_refused(kind: str, message: str):
    def some(count: int) -> np.ndarray:
        found = np.full((count, 2), 0.5)
        found[1:, 1] = np.nan
        return found

    with pytest.raises(ValueError, match=message):
        chosen_places(kind, SPACE._replace(desired=some, met=some), (0, 1), UNIT, 3)


def test_a_grid_without_bounds_of_the_features_names_them():
    with pytest.raises(ValueError, match=r"somewhere has none of the features \[1\]; give them"):
        chosen_places("grid", SPACE, (1,), None, 2)


def test_a_hair_is_as_wide_far_below_zero_as_far_above():
    above, below = unique_rows(np.array([[1e4], [1e4]])), unique_rows(np.array([[-1e4], [-1e4]]))
    assert above[1, 0] - above[0, 0] == pytest.approx(below[1, 0] - below[0, 0])
    assert len(np.unique(below.astype(np.float32))) == 2
