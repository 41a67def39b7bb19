"""Figure 3's form: a dot a trajectory, a colour and a number a skill."""

import numpy as np
import pytest

from autotelic.figures import EmbeddingPanel, skill_embedding

PLACES = np.array(
    [
        [[0.0, 0.0], [0.0, 0.4], [0.0, 0.2], [0.0, 0.2], [9.0, 9.0]],
        [[10.0, 0.0], [10.0, 4.0], [6.0, 4.0], [6.0, 7.0], [3.0, 7.0]],
    ]
)


def test_each_skill_has_its_dots_its_colour_and_its_number():
    figure = skill_embedding([EmbeddingPanel("DP", PLACES, "KNN-F1 1.00")] * 2)
    left, right = figure.axes
    assert left.get_title("left") == "DP" and left.get_xlabel() == "KNN-F1 1.00"
    for axes in (left, right):
        first, second = axes.collections
        np.testing.assert_array_equal(np.asarray(first.get_offsets()), PLACES[0])
        np.testing.assert_array_equal(np.asarray(second.get_offsets()), PLACES[1])
        assert first.get_facecolor().tolist() != second.get_facecolor().tolist()
    # The dots of skill 1 are too scattered for a number; that of 0 stands over where most of its own are.
    (number,) = left.texts
    assert number.get_text() == "0"
    x, y = number.get_position()
    assert x == pytest.approx(0.0, abs=1e-6) and 0.4 < y < 1.5
    # A square frame that holds everything.
    assert np.ptp(left.get_xlim()) == pytest.approx(np.ptp(left.get_ylim()))
    assert left.get_xlim()[0] < 0 and left.get_xlim()[1] > 10
    figure.draw_without_rendering()


def test_panels_are_wrapped_and_wrong_shapes_refused():
    figure = skill_embedding([EmbeddingPanel(str(n), PLACES) for n in range(4)])
    assert [axes.get_title("left") for axes in figure.axes] == ["0", "1", "2", "3"]
    with pytest.raises(ValueError, match="at least one learner"):
        skill_embedding([])
    with pytest.raises(ValueError, match=r"places of 'DP' .* got \[5, 2\]"):
        skill_embedding([EmbeddingPanel("DP", PLACES[0])])


def test_every_seven_skills_have_another_shape():
    places = np.zeros((20, 3, 2)) + np.arange(20.0)[:, None, None]
    (axes,) = skill_embedding([EmbeddingPanel("DP", places)]).axes
    shapes = [dots.get_paths()[0].vertices.tobytes() for dots in axes.collections]
    assert len(set(shapes)) == 3
    assert len(set(shapes[:7])) == len(set(shapes[7:14])) == len(set(shapes[14:])) == 1
    assert {text.get_text() for text in axes.texts} == {str(skill) for skill in range(20)}
