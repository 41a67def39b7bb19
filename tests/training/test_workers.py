from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_runs import METHODS, run

from autotelic.runs.run import load
from autotelic.training.workers import LARGEST_CREW, crew_size

pytestmark = pytest.mark.usefixtures("same_crews")


@given(st.integers(1, 200), st.integers(2, 64))
def test_crews_are_of_one_size_and_leave_no_worker_idle(members: int, workers: int):
    crew = crew_size(members, workers, hidden_units=32)
    assert 1 <= crew <= LARGEST_CREW
    assert members % crew == 0
    assert crew == 1 or (members // crew) % workers == 0


@given(st.integers(1, 200))
def test_one_worker_has_one_crew(members: int):
    assert crew_size(members, workers=1, hidden_units=300) == members


def test_a_learner_is_the_same_to_the_bit_among_any_number_in_crews_of_one_size(
    finished: Path, tmp_path: Path
):
    more = run(tmp_path, methods={"DIAYN": METHODS["DIAYN"]}, seeds=[0, 1, 2], epochs=2)
    fewer = load(finished)
    assert (more.description["crew"], fewer.description["crew"]) == (1, 1)
    history, expected = (
        each.history.query("seed == 0 and method == 'DIAYN' and epoch < 2").reset_index(drop=True)
        for each in (more, fewer)
    )
    pandas.testing.assert_frame_equal(history, expected, check_exact=True)


def test_crews_of_another_size_give_the_same_within_rounding(finished: Path, tmp_path: Path):
    together, alone = run(tmp_path, seeds=[0, 1], epochs=2), load(finished)
    assert (together.description["crew"], alone.description["crew"]) == (2, 1)
    history = together.history.query("seed == 0").drop(columns="member")
    expected = alone.history.query("epoch < 2").drop(columns="member")
    assert history.goal.tolist() == expected.goal.tolist()
    numbers = expected.select_dtypes("number").columns
    np.testing.assert_allclose(history[numbers], expected[numbers], rtol=1e-3, atol=1e-5)
