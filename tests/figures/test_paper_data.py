"""A seed's file: what comes back of it, which files belong together, and which are refused."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from making_paper_data import EPOCHS, made_up

from autotelic.figures.paper_data import (
    ABANDONED,
    chosen_data,
    data_of,
    find_data,
    load_data,
    reading_of,
    scaled_down,
)
from autotelic.runs.arrays import write_arrays
from autotelic.runs.atomic import DamagedFile


@pytest.mark.parametrize("figure", ["fig1b", "fig3", "fig4"])
def test_what_was_kept_comes_back_bit_for_bit(figure: str, tmp_path: Path):
    data = made_up(figure, seed=3)
    path = data.save(tmp_path)
    assert path.name == f"{figure}_seed3.npz"
    found = load_data(path)
    assert found.head == data.head
    assert found.arrays.keys() == data.arrays.keys()
    for name, array in data.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].dtype == array.dtype


def test_effective_numbers_are_of_the_probabilities_and_end_where_a_learner_diverged():
    data = made_up("fig2", epochs=3)
    data.arrays["selection"][0] = [[0.25] * 4, [0.5, 0.5, 0, 0], [np.nan] * 4]
    data.arrays["goal"][0, 2] = ABANDONED
    np.testing.assert_allclose(data.effective_numbers, [[4.0, 2.0, np.nan]])
    assert data.learner("DP").goals.tolist() == [0, 1]
    assert data.learner("DP").signal.shape == (2, 4)


def test_a_learner_that_diverged_has_nothing_from_there_on(two_runs):
    lost = data_of(two_runs, 5, "fig1a", {"seeds": 1, "epochs": 4}, "autotelic paper fig1a")
    assert lost.arrays["goal"].tolist() == [[0, 1, 1, 0], [1, 0, ABANDONED, ABANDONED]]
    assert np.isnan(lost.arrays["selection"][1, 2:]).all()
    assert lost.head["reading"] == "relative"


@pytest.fixture
def two_runs():
    """A run of two methods, one of which diverged after two epochs, as `data_of` reads one."""
    import pandas

    def rows(method: str, goals: list[int], done: int) -> pandas.DataFrame:
        frame = pandas.DataFrame({"method": method, "seed": 5, "epoch": range(4), "goal": goals})
        for name in ("selection", "prior", "signal"):
            for goal in range(2):
                frame[f"{name}_{goal}"] = np.where(np.arange(4) < done, 0.5, np.nan)
        numbers = np.where(np.arange(4) < done, 2.0, np.nan)
        return frame.assign(effective_selection=numbers, effective_prior=numbers, certainty=0.5)

    dp = {"name": "dp", "settings": {"normalization": "relative"}}
    return SimpleNamespace(
        methods=["DIAYN", "DP"],
        epochs=4,
        history=pandas.concat([rows("DIAYN", [0, 1, 1, 0], 4), rows("DP", [1, 0, 0, 0], 2)]),
        description={"setting": {}, "methods": {"DIAYN": {"name": "diayn"}, "DP": dp}},
    )


def test_the_reading_is_that_of_dp():
    assert reading_of({"VIC": {"name": "vic"}, "DP": made_up("fig2").head["methods"]["DP"]}) == "l2"
    assert reading_of({"DIAYN": {"name": "diayn"}}) is None


def test_seeds_of_several_folders_belong_together(tmp_path: Path):
    made_up("fig1b", 3).save(tmp_path / "one")
    made_up("fig1b", 0).save(tmp_path / "two" / "deep")
    made_up("fig1c", 1).save(tmp_path / "two")
    found = find_data([tmp_path / "one", tmp_path / "two"], "fig1b")
    assert [data.seed for data in found] == [0, 3]
    assert [data.seed for data in find_data([tmp_path / "one" / "fig1b_seed3.npz"], "fig1b")] == [3]


def test_what_does_not_belong_together_is_refused(tmp_path: Path):
    made_up("fig1b", 0).save(tmp_path / "a")
    made_up("fig1b", 0).save(tmp_path / "b")
    with pytest.raises(ValueError, match="both hold seed 0 of fig1b; name one of them"):
        find_data([tmp_path], "fig1b")
    other = made_up("fig1b", 1)
    setting = {**other.head["setting"], "num_goals": 9}
    dataclasses.replace(other, head={**other.head, "setting": setting}).save(tmp_path / "c")
    with pytest.raises(ValueError, match="trained with different settings"):
        find_data([tmp_path / "a", tmp_path / "c"], "fig1b")


def test_of_several_readings_one_is_to_be_chosen(tmp_path: Path):
    for reading in ("l2", "total"):
        made_up("fig1b", 0, reading=reading).save(tmp_path / reading)
    assert find_data([tmp_path], "fig1b", reading="total")[0].head["reading"] == "total"
    with pytest.raises(ValueError, match="readings l2, total; choose one with --reading"):
        find_data([tmp_path], "fig1b")
    with pytest.raises(ValueError, match="no data of the reading max, only of l2, total"):
        find_data([tmp_path], "fig1b", reading="max")


def test_seeds_and_epochs_are_chosen_and_what_is_missing_is_refused():
    data = [made_up("fig2", seed, epochs) for seed, epochs in ((0, EPOCHS), (2, 8))]
    assert [one.epochs for one in chosen_data(data, None, 6)] == [6, 6]
    assert [one.seed for one in chosen_data(data, [2], None)] == [2]
    with pytest.raises(ValueError, match=r"has the seeds 0, 2, not seed 1; train it with"):
        chosen_data(data, range(3), None)
    with pytest.raises(ValueError, match=r"10 epochs are asked for, and the data of seed 2 has 8"):
        chosen_data(data, None, 10)
    with pytest.raises(
        ValueError, match=r"shows skills after 12 epochs, and the data has none of 6"
    ):
        chosen_data([made_up("fig3")], None, 6)


def test_what_is_smaller_is_said():
    data = [made_up("fig2", seed) for seed in range(3)]
    assert scaled_down(data) == ""
    assert scaled_down(data[:2]) == "Scaled down: 2 of 3 seeds."
    assert scaled_down([*data, made_up("fig2", 3, 8)]) == "Scaled down: 8 of 12 epochs."


def test_other_files_are_refused(tmp_path: Path):
    path = tmp_path / "fig1b_seed0.npz"
    write_arrays(path, {"goal": np.zeros(3)})
    with pytest.raises(DamagedFile, match="holds no data of a figure of the paper"):
        load_data(path)
    later = made_up("fig1b")
    dataclasses.replace(later, head={**later.head, "format": 2}).save(tmp_path)
    with pytest.raises(DamagedFile, match="format must be 1, got 2"):
        load_data(path)
