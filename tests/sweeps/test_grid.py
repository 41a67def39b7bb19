"""A sweep file is read whole: its runs, and every fault with its line."""

from pathlib import Path

import pytest

from autotelic.sweeps.file import read_sweep_file
from autotelic.sweeps.grid import LONGEST_NAME, cells_of, folder_name


def cells(tmp_path: Path, text: str):
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    return cells_of(read_sweep_file(path))


def test_a_grid_is_every_combination_with_what_all_share(tmp_path: Path):
    found, faults = cells(
        tmp_path,
        """
epochs = 3
num_goals = 5
[grid]
objective = ["diayn", "vic"]
methods = ["dp", ["diayn", "vic"]]
""",
    )
    assert not faults
    assert [cell.name for cell in found] == [
        "objective=diayn,methods=dp",
        "objective=diayn,methods=diayn+vic",
        "objective=vic,methods=dp",
        "objective=vic,methods=diayn+vic",
    ]
    assert found[1].values == {
        "epochs": 3,
        "num-goals": 5,
        "objective": "diayn",
        "methods": ["diayn", "vic"],
    }


def test_listed_runs_follow_and_override(tmp_path: Path):
    found, faults = cells(
        tmp_path,
        """
epochs = 3
[grid]
seeds = [[0], [1]]
[[cells]]
name = "long"
epochs = 30
[[cells]]
environment-options = {noise = 0.1}
""",
    )
    assert not faults
    assert [cell.name for cell in found][2:] == ["long", "environment-options=noise=0.1"]
    assert found[2].values == {"epochs": 30}
    assert found[3].values == {"epochs": 3, "environment-options": {"noise": 0.1}}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("epochs = 3\n", 1, "the sweep is empty"),
        ("epochs = 3\n[grid]\n", 2, "[grid] is empty"),
        ("[grid]\n\nepochs = []\n", 3, "empty list"),
        ("[grid]\nepochs = 3\n", 2, "must be a list"),
        ("[grid]\nepochs = [3, 4]\nseeds = [0, 1]\n", 3, "seeds = [[0], [1]]"),
        ("[grid]\nepochs = [3, 3]\n", 2, "twice"),
        ("epochs = 3\n[grid]\nepochs = [3, 4]\n", 3, "line 1"),
        ("[[cells]]\nname = 'a'\n[[cells]]\nname = 'A'\n", 3, "(line 1)"),
        ("[[cells]]\nname = 'a'\n[[cells]]\nname = '../b'\n", 4, "name must be"),
        ("[[cells]]\nout = 'a'\n", 2, "given by the sweep"),
        ("name = 'a'\n[[cells]]\nepochs = 3", 1, "is for [[cells]]"),
        ("cells = 3\n", 1, "list of tables"),
        ("cores = true\n[[cells]]\nepochs = 3\n", 1, "cores must be"),
        ("[[cells]]\nnum-goals = 3\nnum_goals = 4", 3, "given twice"),
        ("x = [\n  [1],\n]\n\n[grid]\nepochs = 3\n", 6, "must be a list"),
        ("[grid]\n" + "".join(f"k{n} = [1, 2]\n" for n in range(14)), 1, "combinations"),
        (f"[[cells]]\nname = '{'a' * (LONGEST_NAME + 1)}'\n", 2, "at most 150 bytes, got 151"),
        (f"[[cells]]\nname = '{'測' * 60}'\n", 2, "at most 150 bytes, got 180"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str):
    _, faults = cells(tmp_path, text)
    assert [fault.line for fault in faults] == [line]
    assert words in faults[0].sentence


def test_all_faults_are_named_at_once(tmp_path: Path):
    text = "cores = 0\n[grid]\nepochs = []\nout = ['a']\n[[cells]]\nname = '/'\n"
    _, faults = cells(tmp_path, text)
    assert sorted(fault.line for fault in faults) == [1, 3, 4, 6]


def test_what_is_no_toml_is_refused_with_its_line(tmp_path: Path):
    with pytest.raises(ValueError, match="line 2"):
        cells(tmp_path, "epochs = 3\nseeds = = 4\n")


def test_names_that_are_too_long_are_cut_and_still_differ():
    long = {"methods": ["x" * 300]}
    longer = {"methods": ["x" * 301]}
    assert len(folder_name(long)) == LONGEST_NAME
    assert folder_name(long) != folder_name(longer)
    assert len(folder_name({"methods": ["測" * 100]}).encode()) <= LONGEST_NAME
