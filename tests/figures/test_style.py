"""One palette, nothing global."""

import matplotlib
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autotelic.figures.skill_trajectories import repel
from autotelic.figures.style import method_colour, shown, skill_colours, spread, style


def test_twenty_skills_have_twenty_colours():
    assert len(set(skill_colours(20))) == 20
    assert skill_colours(40)[:20] == skill_colours(20)


def test_twenty_methods_have_twenty_colours():
    assert len({method_colour(index) for index in range(20)}) == 20


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
