"""METRA's form: a panel a learner, one scale, hues that are directions."""

import colorsys

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from autotelic.evaluation.coverage import GroundTraces
from autotelic.figures import ground_traces
from autotelic.figures.style import direction_colour, skill_colours

CROSS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def cross(
    *lengths: float, skills: np.ndarray = CROSS, methods: str = "abcdefgh", start: float = 0.0
) -> GroundTraces:
    """Learners whose four skills walk right, up, left and down, each for 3 steps to its length."""
    paths = np.arange(4.0)[:, None] / 3 * CROSS[:, None]  # [goals, steps + 1, 2]
    positions = start + np.array(lengths)[:, None, None, None] * paths
    members = tuple((methods[index], index) for index in range(len(lengths)))
    return GroundTraces(members, np.arange(4), skills, positions)


def paths_of(axes) -> list:
    return [line for line in axes.get_lines() if len(np.atleast_1d(line.get_xdata())) == 4]


def test_methods_share_a_square_scale_around_the_start():
    figure = ground_traces(cross(10.0, 2.0, start=5.0))
    wide, narrow, wheel = figure.axes
    assert wide.get_title("left") == "a" and narrow.get_title("left") == "b"
    assert wide.get_xlim() == narrow.get_xlim() == wide.get_ylim()
    assert wide.get_xlim() == pytest.approx((5 - 11.2, 5 + 11.2))
    assert wide.get_aspect() == 1.0
    assert (wide.get_xlabel(), wide.get_ylabel()) == ("x (m)", "y (m)")
    np.testing.assert_allclose(paths_of(narrow)[1].get_ydata(), [5, 5 + 2 / 3, 5 + 4 / 3, 7])
    assert "direction" in wheel.get_title()
    figure.canvas.draw()


def test_the_hue_of_a_skill_in_the_plane_is_its_direction():
    turned = CROSS[[1, 0, 2, 3]]  # the skill that points up walks right
    axes = ground_traces(cross(1.0, skills=turned)).axes[0]
    assert paths_of(axes)[0].get_color() == direction_colour(np.pi / 2)
    assert len({line.get_color() for line in paths_of(axes)}) == 4
    assert not axes.texts  # numbers are for skills without a direction


def test_directions_have_hues_of_their_own_and_the_same_lightness():
    colours = [to_rgb(direction_colour(angle)) for angle in np.arange(12) * np.pi / 6]
    hues = np.unwrap([2 * np.pi * colorsys.rgb_to_hsv(*colour)[0] for colour in colours])
    assert (np.diff(hues) > 0.1).all()  # once around, never back
    luminance = np.array([0.2126, 0.7152, 0.0722]) @ (np.array(colours).T ** 2.2)
    assert np.ptp(luminance) < 0.12
    assert direction_colour(2 * np.pi) == direction_colour(0.0)


def test_other_skills_have_the_palette_and_numbers_where_they_end():
    axes, *rest = ground_traces(cross(10.0, skills=np.eye(4))).axes
    assert not rest
    assert [line.get_color() for line in paths_of(axes)] == skill_colours(4)
    numbers = {text.get_text(): np.array(text.get_position()) for text in axes.texts}
    assert numbers.keys() == set("0123")
    assert numbers["1"][1] > 10 and abs(numbers["1"][0]) < 1e-9  # beyond the end of the way up


def test_of_skills_that_end_together_one_is_numbered():
    axes = ground_traces(cross(10.0, 0.001, skills=np.eye(4))).axes[1]
    assert 1 <= len(axes.texts) < 4


def test_x_alone_is_drawn_over_steps_and_ends_early():
    traces = cross(6.0, 3.0, skills=np.eye(4))
    traces.positions[..., 1] = np.nan
    traces.positions[0, 0, 2:] = np.nan
    axes, other = ground_traces(traces).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "x (m)")
    assert axes.get_ylim() == other.get_ylim() == pytest.approx((-6.36, 3.36))
    np.testing.assert_array_equal(paths_of(axes)[0].get_ydata(), [0.0, 2.0, np.nan, np.nan])
    axes.figure.canvas.draw()


def test_many_methods_fill_rows_and_seeds_are_named_where_a_method_has_several():
    figure = ground_traces(cross(1.0, 2.0, 3.0, 4.0, 5.0, methods="aabcd"))
    titles = [axes.get_title("left") for axes in figure.axes if axes.get_visible()]
    assert titles[:5] == ["a, seed 0", "a, seed 1", "b", "c", "d"]
    assert figure.axes[2].get_xlabel() == "x (m)"  # nothing is below it
    assert figure.axes[1].get_xlabel() == ""
    figure.canvas.draw()


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="each of the 1 learners, at least 1, got 2"):
        ground_traces(cross(1.0), titles=["a", "b"])
    with pytest.raises(ValueError, match="these traces have no positions"):
        ground_traces(cross(np.nan))
