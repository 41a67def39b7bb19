"""The paper's figures from data alone: what is committed, and made-up data where nothing is yet."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from making_paper_data import EPOCHS, made_up

from autotelic.figures.paper_data import PATTERN, find_data, read_data
from autotelic.figures.paper_figures import DRAW, PANELS, curves_of, draw, draw_panels

COMMITTED = Path("docs/results/paper")
FOUND = read_data(sorted(COMMITTED.rglob(PATTERN)))


@pytest.mark.parametrize("figure", DRAW)
def test_every_figure_is_drawn_from_its_data(figure: str):
    readings = dict.fromkeys(str(one.head["reading"]) for one in FOUND if one.figure == figure)
    committed = [find_data([COMMITTED], figure, reading=reading) for reading in readings]
    for data in [*committed, [made_up(figure, seed) for seed in range(2)]]:
        drawn = draw(data)
        drawn.draw_without_rendering()
        lowest = [axes for axes in drawn.axes if axes.get_subplotspec().is_last_row()]
        assert all(axes.get_xlabel() for axes in lowest)
        assert all(axes.get_ylabel() or figure == "fig3" for axes in drawn.axes)


def note(figure) -> str:
    """The words below a figure, in one line."""
    return figure.get_supxlabel().replace("\n", " ")


def test_a_seed_that_is_shorter_ends_earlier():
    curves = curves_of([made_up("fig1b", 0, EPOCHS), made_up("fig1b", 1, 8)])["DP"]
    assert np.isfinite(curves).sum(axis=1).tolist() == [EPOCHS, 8]


def test_a_panel_of_figure_1_says_what_it_is():
    figure = draw([made_up("fig1c", seed) for seed in range(2)])
    assert figure.axes[0].get_title("left") == "Ant"
    assert note(figure) == "Scaled down: 2 of 3 seeds. Reading of Appendix C.4: l2."


def test_figure_1_has_the_panels_that_are_there_and_says_which_are_not():
    figure = draw_panels([[made_up("fig1a")], [made_up("fig1c", seed) for seed in range(3)]])
    assert [axes.get_title("left") for axes in figure.axes] == ["(a) 2D navigation", "(c) Ant"]
    assert note(figure) == (
        "(a) Scaled down: 1 of 3 seeds. No data of (b). Reading of Appendix C.4: l2."
    )
    whole = [[made_up(name, seed) for seed in range(3)] for name in PANELS]
    assert note(draw_panels(whole)) == "Reading of Appendix C.4: l2."


def test_figure_2_shows_one_seed_and_the_others_behind():
    figure = draw([made_up("fig2", seed) for seed in range(3)])
    assert figure.get_suptitle() == "Half-Cheetah, DP, seed 0"
    assert "Grey: the goals of 2 other seeds." in note(figure)
    assert len(figure.axes[2].patches) == 3 * 4


def test_figure_3_has_the_numbers_of_all_seeds_and_chance():
    figure = draw([made_up("fig3", seed) for seed in range(3)])
    assert figure.get_suptitle() == "Half-Cheetah"
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["Untrained", "DIAYN, 12 epochs", "DP, 12 epochs"]
    lines = figure.axes[2].get_xlabel().splitlines()
    assert lines[0].startswith("KNN-F1 0.70 [0.6") and lines[1] == "accuracy 0.30 [0.30, 0.30]"
    assert "Points: seed 0." in note(figure) and "Chance is 0.25 for both." in note(figure)
    assert "and its 95 % interval, too narrow with fewer than 5. " in note(figure)
    five = draw([made_up("fig3", seed) for seed in range(5)])
    assert "and its 95 % interval. " in note(five)


def test_seeds_without_skills_are_left_out_of_figures_3_and_4():
    lost, sound = made_up("fig3", 0), made_up("fig3", 1)
    series = {name: array for name, array in lost.arrays.items() if name != "places"}
    lost = dataclasses.replace(lost, arrays=series)
    assert "Points: seed 1." in note(draw([lost, sound]))
    with pytest.raises(ValueError, match="in every seed of the data a learner diverged"):
        draw([lost])


def test_figure_4_shows_both_panels_in_the_environment_it_names():
    before, after = draw([made_up("fig4")]).axes
    assert before.get_title("left") == "2D navigation, untrained"
    assert after.get_title("left") == "2D navigation, DIAYN, 12 epochs"
    assert len(after.get_lines()) == 2 * 4 * 3  # a path and its end, of each trajectory
