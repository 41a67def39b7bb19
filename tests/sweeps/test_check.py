"""Runs of a sweep are checked by the code of `autotelic train`, and everything is said at once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from autotelic.commands import sweep, sweep_check
from autotelic.sweeps import checking
from autotelic.sweeps.file import read_sweep_file


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch):
    """The checker in this process: starting another takes seconds."""

    def ask(cells, out, allowed, dry_run):
        requests = [
            {"values": cell.values, "out": str(out / cell.name), "imports": True} for cell in cells
        ]
        return [one._asdict() for one in sweep_check.main(requests)]

    monkeypatch.setattr(checking, "ask", ask)


def check(tmp_path: Path, text: str):
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    return checking.checked_cells(path, read_sweep_file(path), tmp_path / "runs")


def refusal(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ValueError) as refused:
        check(tmp_path, text)
    return str(refused.value).splitlines()[1:]


def test_values_become_the_words_of_train(here, tmp_path: Path):
    (cell,) = check(
        tmp_path,
        """
environment = "navigation2d"
methods = ["diayn", "dp:offset=5,smoothing=5"]
seeds = [3, 7]
epochs = 4
updates-per-step = 2
warm-up = false
frozen = false
reset_on_goal_switch = true
environment-options = {noise = 0.5, random_start = true}
[grid]
learning-rate = [1e-4]
""",
    )
    assert cell.name == "learning-rate=0.0001"
    assert cell.words == [
        *("train", "navigation2d", "--methods", "diayn", "dp:offset=5,smoothing=5"),
        *("--seeds", "3,7,", "--epochs", "4", "--updates-per-step", "2", "--no-warm-up"),
        *("--reset-on-goal-switch", "--environment-options", "noise=0.5", "random_start=true"),
        *("--learning-rate", "0.0001"),
    ]
    assert (cell.epochs, cell.learners) == (4, 4)
    assert not (tmp_path / "runs").exists()


def test_everything_is_said_at_once_with_its_line(here, tmp_path: Path):
    lines = refusal(
        tmp_path,
        """environment = "navigation2d"
methods = ["dpp"]
epocs = 6
num-goals = "three"
hidden-units = 0
frozen = 1

[grid]
objective = ["dians"]
replay = ["fair"]
""",
    )
    found = {int(line.split()[1].rstrip(":")): line for line in lines}
    assert sorted(found) == [2, 3, 4, 5, 6, 9, 10]
    assert "'dpp'" in found[2]
    assert "did you mean 'epochs'" in found[3]
    assert "a whole number" in found[4]
    assert "hidden_units" in found[5]
    assert "true or false" in found[6]
    assert "'dians'" in found[9]
    assert "'uniform' or 'goal_balanced'" in found[10]


def test_a_file_without_a_run_is_looked_through_all_the_same(here, tmp_path: Path):
    lines = refusal(tmp_path, 'environment = "navigation2d"\nepocs = 3\n[gird]\nseeds = [[0]]\n')
    assert [line.split(":")[0] for line in lines] == ["  line 1", "  line 2", "  line 3"]
    assert "the sweep is empty" in lines[0]
    assert "did you mean 'epochs'" in lines[1]
    assert "did you mean 'grid'" in lines[2]


def test_words_of_a_list_and_options_of_a_table_are_named_one_by_one(here, tmp_path: Path):
    text = """environment = "navigation2d"
methods = ["dpp", "dp", "diaynn"]
"two words" = 1
learning-rate = 2026-01-01
environment-options = {nois = 1}
[[cells]]
name = "a"
"""
    lines = refusal(tmp_path, text)
    assert [int(line.split()[1].rstrip(":")) for line in lines] == [2, 2, 3, 4, 5]
    assert "'diaynn'" in lines[0]
    assert "'dpp'" in lines[1]
    assert "must be a number, got '2026-01-01'" in lines[3]
    assert "'nois'" in lines[4]


def test_a_word_is_no_flag_and_an_empty_list_is_no_default(here, tmp_path: Path):
    text = """environment = "navigation2d"
[[cells]]
methods = ["--epochs", "3"]
[[cells]]
methods = []
[[cells]]
environment = "--help"
"""
    lines = refusal(tmp_path, text)
    assert [line.split(" (in")[0] for line in lines] == [
        "  line 3: methods must not begin with a hyphen, got '--epochs'",
        "  line 5: methods is an empty list; give a value, or leave it out",
        "  line 7: environment must not begin with a hyphen, got '--help'",
    ]


def test_what_fits_only_one_by_one_is_refused_as_a_whole(here, tmp_path: Path):
    text = """environment = "navigation2d"
steps-per-epoch = 100
[grid]
methods = ["diayn", "dp:offset=900,smoothing=150"]
steps-per-goal = [50]
"""
    (line,) = refusal(tmp_path, text)
    assert "1050" in line
    assert "(in methods=dp" in line


def test_a_missing_environment_stands_where_the_grid_does(here, tmp_path: Path):
    (line,) = refusal(tmp_path, "epochs = 3\n[grid]\nnum-goals = [3]\n")
    assert line.startswith("  line 2: the environment is missing")


def test_every_value_that_python_would_guess_at_is_refused(here, tmp_path: Path):
    text = (
        'environment = "navigation2d"\nseeds = [0.5]\nepochs = 3.0\n[grid]\nmethods = [["dp", 3]]\n'
    )
    assert [line.split(":")[0] for line in refusal(tmp_path, text)] == [
        "  line 2",
        "  line 3",
        "  line 5",
    ]


def test_the_checker_is_a_process_of_its_own_and_jax_stays_there(tmp_path: Path):
    script = f"""
import sys
from pathlib import Path
import autotelic.commands.sweep
from autotelic.sweeps.backends import local, ray_cluster, slurm
from autotelic.sweeps.checking import checked_cells
from autotelic.sweeps.file import read_sweep_file
path = Path({str(tmp_path / "sweep.toml")!r})
path.write_text('environment = "navigation2d"\\n[grid]\\nnum-goals = [0]')
try:
    checked_cells(path, read_sweep_file(path), Path("runs"))
except ValueError as error:
    assert "num_goals" in str(error), error
else:
    raise AssertionError("no goals were not refused")
assert "jax" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_cluster_that_does_not_answer_is_told_of_before_the_file_is_checked(tmp_path: Path):
    (tmp_path / "sweep.toml").write_text("")
    words = [str(tmp_path / "sweep.toml"), "--out", str(tmp_path / "out")]
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:1 cannot be reached"):
        sweep.main([*words, "--backend", "ray", "--address", "127.0.0.1:1"])


def test_a_folder_within_a_file_is_told_of_once(tmp_path: Path):
    (tmp_path / "sweep.toml").write_text("")
    with pytest.raises(ValueError, match=r"sweep.toml is a file; choose another folder"):
        sweep.main([str(tmp_path / "sweep.toml"), "--out", str(tmp_path / "sweep.toml" / "out")])


def test_what_is_wrong_with_a_backends_options_is_said_with_the_rest(tmp_path: Path, monkeypatch):
    pytest.importorskip("ray")
    pytest.importorskip("submitit")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "sweep.toml"
    path.write_text(
        'environment = "navigation2d"\nepocs = 3\n[grid]\nseeds = [[1], [2]]\n'
        '[slurm]\ncluster = "lokal"\npartitoin = "x"\nmem_gb = "much"\n'
        '[ray]\nnum_gpuss = 1\nnum_gpus = "two"\n'
    )
    lines = {"slurm": (2, 5, 6, 7, 8), "ray": (2, 10, 11), "local": (2,)}
    for backend, numbers in lines.items():
        command = [sys.executable, "-m", "autotelic", "sweep", "sweep.toml", "--out", "out"]
        done = subprocess.run(
            [*command, "--backend", backend, "--dry-run"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        said = re.findall(r"^  line (\d+): ", done.stderr, re.MULTILINE)
        assert [int(number) for number in said] == list(numbers)
    assert list(tmp_path.iterdir()) == [path]
