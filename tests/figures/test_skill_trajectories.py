"""Figure 4's form: each skill's paths in its colour, in the box or on a common scale."""

import numpy as np
import pytest

from autotelic.evaluation.trajectories import Trajectories
from autotelic.figures import skill_trajectories


def moving(scale: float, length: int = 3, members: int = 1) -> Trajectories:
    """Two skills of two trajectories: one moves right, one moves up, from the centre."""
    directions = np.array([[1.0, 0.0], [0.0, 1.0]])
    time = np.arange(4.0)
    paths = 0.5 + scale * time[:, None] * directions[:, None, None]  # [goals, 1, steps + 1, 2]
    paths = np.broadcast_to(paths, (members, 2, 2, 4, 2)).astype(np.float32)
    paths = np.where(np.arange(4)[:, None] <= length, paths, np.nan).astype(np.float32)
    names = tuple(("DP", seed) for seed in range(members))
    return Trajectories(names, paths, np.full((members, 2, 2), length), paths)


def test_each_skill_has_its_colour_in_both_panels_within_the_unit_box():
    figure = skill_trajectories(moving(0.05), moving(0.1, length=2))
    left, right = figure.axes
    assert (left.get_title("left"), right.get_title("left")) == ("Untrained", "Trained")
    paths = [line for line in right.get_lines() if len(np.atleast_1d(line.get_xdata())) > 1]
    np.testing.assert_allclose(
        np.asarray(paths[0].get_xdata()), [0.5, 0.6, 0.7], atol=1e-6
    )  # ended early
    np.testing.assert_allclose(np.asarray(paths[2].get_ydata()), [0.5, 0.6, 0.7], atol=1e-6)
    colours = [line.get_color() for line in paths]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    assert left.get_lines()[0].get_color() == colours[0]
    assert left.get_xlim() == right.get_xlim() == (-0.02, 1.02)
    labels = {text.get_text(): text.get_position() for text in right.texts}
    assert labels["0"] == pytest.approx((0.7, 0.5), abs=1e-3)  # where the skill ends
    assert labels["1"] == pytest.approx((0.5, 0.7), abs=1e-3)
    figure.canvas.draw()


def test_paths_that_leave_the_box_share_one_scale_in_both_panels():
    figure = skill_trajectories(moving(0.1), moving(10.0))
    left, right = figure.axes
    assert left.get_xlim() == right.get_xlim()
    assert right.get_xlim()[1] > 30.5


def test_chosen_skills_of_a_chosen_member_alone_are_drawn():
    after = moving(0.1, members=2)
    figure = skill_trajectories(after, after, member=("DP", 1), skills=[1])
    assert [text.get_text() for text in figure.axes[1].texts] == ["1"]
    with pytest.raises(ValueError, match=r"no trajectories of \('DP', 2\)"):
        skill_trajectories(after, after, member=("DP", 2))
    with pytest.raises(ValueError, match="skill 2 is not among the 2 skills"):
        skill_trajectories(after, after, skills=[2])


def test_trajectories_without_a_place_in_the_plane_are_refused():
    along_a_line = moving(0.1)
    assert along_a_line.positions is not None
    along_a_line.positions[..., 1] = np.nan
    with pytest.raises(ValueError, match="x_position and y_position"):
        skill_trajectories(along_a_line, along_a_line)
