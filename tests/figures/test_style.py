"""One palette, nothing global."""

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autotelic.figures.skill_trajectories import repel
from autotelic.figures.style import (
    METHODS,
    PALETTE,
    method_colours,
    shown,
    skill_colours,
    spread,
    style,
)
from autotelic.selectors.spelling import NAMES


def test_twenty_skills_have_twenty_colours():
    assert len(set(skill_colours(20))) == 20
    assert skill_colours(40)[:20] == skill_colours(20)


def test_twenty_methods_have_twenty_colours():
    assert len(set(method_colours([f"mine {index}" for index in range(20)]))) == 20


def test_every_selector_has_a_colour_of_its_own_in_every_figure():
    assert set(NAMES) == {name for name in METHODS if name != "dp 0.3"}
    labels = [*NAMES, "dp:temperature=0.3"]
    together = dict(zip(labels, method_colours(labels), strict=True))
    assert len(set(together.values())) == len(labels)
    for label in labels:
        assert method_colours([label]) == [together[label]]


@pytest.mark.parametrize(
    "labels",
    [
        ["VIC", "DIAYN", "DP, T = 0.1", "DP, T = 0.3"],
        ["vic", "uniform", "dp", "dp:temperature=0.3"],
        ["vic", "diayn", "dp:offset=900,temperature=0.1", "dp:temperature=0.3,normalization=l2"],
    ],
)
def test_the_papers_methods_have_their_colours_under_every_name(labels: list[str]):
    assert method_colours(labels) == ["#D55E00", "#000000", "#0072B2", "#56B4E9"]


def test_of_two_labels_of_one_selector_the_shorter_has_its_colour():
    variant, plain = method_colours(["DP, feedback shuffled", "DP"])
    assert plain == "#0072B2"
    assert variant not in PALETTE


def test_where_no_method_is_named_the_palette_is_used_in_order():
    assert method_colours(["100 steps", "50 steps"]) == list(PALETTE[:2])


def test_long_names_are_folded_and_none_loses_a_letter():
    name = "dp:temperature=0.3,normalization=l2,reference=previous_visit"
    lines = shown(name, width=1.5, size=7.0).splitlines()
    assert "".join(lines) == name
    assert max(map(len, lines)) <= 27 and len(lines) == 3


def test_the_style_ends_with_its_context():
    before = dict(matplotlib.rcParams)
    with style():
        assert matplotlib.rcParams["font.size"] == 8.0
    assert dict(matplotlib.rcParams) == before


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_spread_labels_keep_their_order_and_distance_and_stay_in_reach(values: list[float]):
    places = spread(np.sort(values), gap=0.05)
    assert (np.diff(places) >= 0.05 - 1e-9).all()
    assert places.min() >= -1e-9
    assert places.max() <= 1.0


def test_labels_in_one_place_are_pushed_apart():
    points = repel(np.zeros((5, 2)), distance=1.0)
    apart = np.linalg.norm(points[:, None] - points, axis=-1)[~np.eye(5, dtype=bool)]
    assert apart.min() > 0.9
