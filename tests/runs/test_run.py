import shutil
import sys
from pathlib import Path

import jax
import numpy as np
import pandas
import pytest
from tiny_runs import (
    EPOCHS,
    METHODS,
    STEPS,
    SaveableCorridor,
    Stop,
    StopAfter,
    copied,
    forge,
    run,
    tiny,
    tiny_gymnasium,
)

from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import describe
from autotelic.runs.atomic import DamagedFile
from autotelic.runs.run import load
from autotelic.runs.skills import initial_skills, named_arrays
from autotelic.selectors import from_description

pytestmark = pytest.mark.usefixtures("same_crews")


def assert_equal_trees(one, other) -> None:
    expected = named_arrays(other)
    found = named_arrays(one)
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_a_run_says_what_it_was(finished: Path):
    runs = load(str(finished))
    assert runs.methods == list(METHODS)
    assert runs.seeds == [0]
    assert runs.members == [("DIAYN", 0), ("DP", 0)]
    assert (runs.epochs, runs.epochs_done, runs.finished) == (EPOCHS, EPOCHS, True)
    assert describe(runs.setting) == describe(tiny(steps_per_goal=STEPS))
    made_again = [from_description(d) for d in runs.description["methods"].values()]
    assert made_again == list(METHODS.values())
    (versions,) = runs.description["versions"]
    assert versions["jax"] == jax.__version__ and versions["numpy"] == np.__version__


def test_pandas_opens_the_history_in_one_line(finished: Path):
    pandas.testing.assert_frame_equal(
        load(finished).history, pandas.read_csv(finished / "history.csv")
    )


def test_skills_come_from_their_file_or_from_the_latest_checkpoint(finished: Path, tmp_path: Path):
    saved = load(finished).skills
    without = copied(finished, tmp_path / "copy")
    (without / "skills.npz").unlink()
    assert not load(without).finished
    assert_equal_trees(load(without).skills, saved)


def test_skills_alone_are_small_and_enough(finished: Path, tmp_path: Path):
    for name in ("run.json", "skills.npz", "history.csv"):
        shutil.copy(finished / name, tmp_path)
    assert_equal_trees(load(tmp_path).skills, load(finished).skills)


@pytest.mark.thorough
def test_the_skills_of_a_prolonged_run_are_never_those_of_the_shorter_one(
    finished: Path, tmp_path: Path
):
    folder = copied(finished, tmp_path / "copy")
    with pytest.raises(Stop):
        run(folder, epochs=6, resume=True, observers=[StopAfter(5)])
    runs = load(folder)
    assert (runs.epochs, runs.epochs_done, runs.finished) == (6, 5, False)
    before, after = named_arrays(load(finished).skills), named_arrays(runs.skills)
    assert any(not np.array_equal(before[name], after[name]) for name in before)
    resumed = run(folder, epochs=6, resume=True)
    assert resumed.finished


def test_untrained_skills_are_those_the_members_began_with(finished: Path):
    runs = load(finished)
    functions = runs.functions()
    untrained = runs.untrained
    one = jax.tree.map(lambda x: x[0], initial_skills(functions, [0]))
    for member in range(len(runs.members)):
        assert_equal_trees(jax.tree.map(lambda x: x[member], untrained), one)  # noqa: B023
    trained, before = named_arrays(runs.skills), named_arrays(untrained)
    assert all(not np.array_equal(trained[name], before[name]) for name in before)


def test_a_run_without_a_checkpoint_has_no_skills_yet(finished: Path, tmp_path: Path):
    shutil.copy(finished / "run.json", tmp_path)
    runs = load(tmp_path)
    assert (runs.epochs_done, runs.finished) == (0, False)
    with pytest.raises(ValueError, match="no checkpoint yet"):
        _ = runs.skills


def test_a_folder_without_a_run_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"holds no run: run\.json is not there"):
        load(tmp_path)


def test_the_example_of_a_method_is_its_first_learner_and_an_unknown_method_is_refused(
    finished: Path,
):
    assert load(finished).example("DP") == ("DP", 0)
    with pytest.raises(ValueError, match="unknown method 'DPP'; choose from DIAYN, DP"):
        load(finished).example("DPP")


def test_skills_that_do_not_fit_the_settings_are_refused(finished: Path, tmp_path: Path):
    folder = copied(finished, tmp_path / "copy")
    forge(folder / "run.json", lambda saved: saved["setting"].update(hidden_units=9))
    with pytest.raises(ValueError, match=r"does not fit its settings: .* expected float32.*9"):
        _ = load(folder).skills


@pytest.mark.thorough
def test_skills_of_an_environment_of_ones_own_are_loaded_without_it(tmp_path: Path):
    """A file cannot rebuild a function or a class, and need not."""
    runs = run(tmp_path, setting=tiny_gymnasium(SaveableCorridor))
    loaded = load(tmp_path)
    assert_equal_trees(loaded.skills, runs.skills)
    assert EnvironmentSizes(**loaded.description["sizes"]) == (2, 1, None, False)
    with pytest.raises(ValueError, match=r"SaveableCorridor.*load\(folder, setting=\.\.\.\)"):
        loaded.setting.make_environment()


def test_opening_a_strangers_run_imports_nothing_that_it_names(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "trap.py").write_text("raise SystemExit('the trap was imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    folder = copied(finished, tmp_path / "copy")
    own = {"name": None, "class": "trap.Selector", "repr": "Trap()"}
    forge(folder / "run.json", lambda saved: saved["setting"].update(environment="trap:Trap-v0"))
    forge(folder / "run.json", lambda saved: saved["methods"].update(DIAYN=own))
    runs = load(folder)
    assert_equal_trees(runs.skills, load(finished).skills)
    assert len(runs.history) == EPOCHS * len(METHODS)
    assert_equal_trees(runs.untrained, load(finished).untrained)
    assert "trap" not in sys.modules
    forge(folder / "run.json", lambda saved: saved["setting"].update(agent={"name": "trap.Agent"}))
    with pytest.raises(ValueError, match=r"agent 'trap.Agent' is not one of autotelic's"):
        _ = load(folder).skills
    assert "trap" not in sys.modules


class Trap:
    sprung = False

    def __reduce__(self):
        return _spring, ()


def _spring() -> None:
    Trap.sprung = True


@pytest.mark.parametrize("file", ["skills.npz", "checkpoints/epoch-000004.npz"])
def test_a_pickle_in_a_file_is_refused_and_not_run(finished: Path, tmp_path: Path, file: str):
    folder = copied(finished, tmp_path / "copy")
    if file != "skills.npz":
        (folder / "skills.npz").unlink()
    with np.load(finished / "skills.npz") as skills:
        trapped = dict.fromkeys(skills, np.array([Trap()], dtype=object))
    with open(folder / file, "wb") as stream:
        np.savez(stream, allow_pickle=True, **trapped)
    with pytest.raises((DamagedFile, ValueError), match=Path(file).name):
        _ = load(folder).skills
    assert not Trap.sprung
