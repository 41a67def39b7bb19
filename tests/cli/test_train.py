"""`autotelic train` from the first epoch to a resumed end, and what it refuses."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from running import start, train_words
from tiny_runs import forge

from autotelic.cli import main
from autotelic.runs.run import load
from autotelic.training.train import train

SELECTOR = """
from autotelic import Uniform

class Mine(Uniform):
    pass
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six epochs that nothing disturbed; not to be changed."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    assert main(train_words(folder, 6)) == 0
    return folder


def history(folder: Path) -> bytes:
    return (folder / "history.csv").read_bytes()


def test_a_run_is_what_the_flags_say(finished: Path):
    runs = load(finished)
    assert runs.finished
    assert runs.members == [("diayn", 0), ("dp:offset=5,smoothing=5", 0)]
    assert runs.setting.hidden_units == 8
    assert len(runs.history) == 2 * 6


def test_a_run_is_never_overwritten(finished: Path, capsys):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*") if path.is_file()}
    assert main(train_words(finished, 6)) == 2
    error = capsys.readouterr().err
    assert "already holds a run" in error
    assert "--resume" in error
    assert before.keys() == {path for path in finished.rglob("*") if path.is_file()}
    assert all(path.stat().st_mtime_ns == at for path, at in before.items() if path.name != ".lock")


def test_resume_needs_the_folder_alone_and_more_epochs_prolong(
    finished: Path, tmp_path: Path, capsys
):
    folder = tmp_path / "run"
    assert main(train_words(folder, 3)) == 0
    assert main(["train", "--resume", "--out", str(folder), "--epochs", "6"]) == 0
    assert history(folder) == history(finished)
    capsys.readouterr()
    assert main(["train", "--resume", "--out", str(folder)]) == 0  # nothing is left to do
    assert "6 epochs x 20 steps, from epoch 6\n" in capsys.readouterr().out
    assert history(folder) == history(finished)


def test_resume_with_the_same_flags_is_the_same_run(finished: Path, tmp_path: Path):
    folder = tmp_path / "run"
    assert main(train_words(folder, 6, "--resume")) == 0  # no run yet: it starts one
    assert main(train_words(folder, 6, "--resume")) == 0
    assert history(folder) == history(finished)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--num-goals", "4"], "num_goals was 3, now 4"),
        (["--methods", "diayn"], "methods were ['diayn', 'dp:offset=5,smoothing=5']"),
        (["--seeds", "2"], "seeds were [0], now [0, 1]"),
        (["--epochs", "5"], "epochs were 6, now only 5"),
    ],
)
def test_resume_refuses_other_settings_by_name(finished: Path, words, said, capsys):
    before = history(finished)
    assert main(["train", "--resume", "--out", str(finished), *words]) == 2
    assert said in capsys.readouterr().err
    assert history(finished) == before


def test_a_selector_of_ones_own_must_be_named_again(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "my_selectors_for_cli.py").write_text(SELECTOR)
    monkeypatch.chdir(tmp_path)
    mine = ["--methods", "diayn", "my_selectors_for_cli.Mine"]
    assert main(train_words(Path("run"), 2, *mine)) == 0
    assert main(["train", "--resume", "--out", "run", "--epochs", "3"]) == 2
    assert capsys.readouterr().err.endswith(
        "name its methods again: --methods diayn my_selectors_for_cli.Mine\n"
    )
    assert main(["train", "--resume", "--out", "run", "--epochs", "3", *mine]) == 0
    assert load("run").finished
    sys.modules.pop("my_selectors_for_cli")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["HalfCheeta-v5"], "unknown environment 'HalfCheeta-v5'; nearest: HalfCheetah-v5"),
        (["navigation-2d"], "unknown environment 'navigation-2d'; nearest: navigation2d"),
        (["navigation2d", "--methods", "rond-robin"], "Did you mean 'round-robin'?"),
        (["navigation2d", "--methods", "dp:temprature=1"], "Did you mean 'temperature'?"),
        (["navigation2d", "--methods", "dp", "dp"], "the method 'dp' is given twice"),
        (["navigation2d", "--environment-options", "nois=1"], "Did you mean 'noise'?"),
        (["navigation2d", "--seeds", "0"], "seeds must hold at least one seed"),
        (["navigation2d", "--seeds", "1,,2"], "or seeds, such as 3,4,7; got '1,,2'"),
        (["navigation2d", "--seeds", ",1"], "or seeds, such as 3,4,7; got ',1'"),
        (["navigation2d", "--seeds", "1,,"], "or seeds, such as 3,4,7; got '1,,'"),
        (["navigation2d", "--wandb", ""], "--wandb is given an empty text; give it a value, or"),
        (["navigation2d", "--epochs", "9" * 20], "epochs must be at most 2147483647"),
        (["navigation2d", "--num-goals", str(2**64)], "num_goals must be at most 10000"),
        (["navigation2d", "--updates-per-step", "1e9"], "updates_per_step must be at most 1000"),
        (["navigation2d", "--hidden-units", str(2**31 - 1)], "of memory, and this machine has"),
        (["navigation2d", "--seeds", "20240613"], "the one seed 20240613 is --seeds 20240613,"),
        (["navigation2d", "--methods", ".dp"], "unknown method '.dp'; choose from diayn"),
        (
            ["Pendulum-v1", "--environment-options", "max_episode_steps=0"],
            "Pendulum-v1 cannot be made with {'max_episode_steps': 0}",
        ),
        (["navigation2d", "--epochs", "0"], "epochs must be at least 1, got 0"),
        (
            ["navigation2d", "--steps-per-goal", "100", "--methods", "dp:offset=90"],
            "offset 90 + smoothing 25 = 115 exceeds the 100 steps that a goal is held",
        ),
        (["navigation2d", "--steps-per-goal", "300"], "the nearest that do: 250 and 500"),
        (
            ["navigation2d", "--replay-capacity", "9"],
            "batch_size 128 is larger than the replay's 9",
        ),
        (["navigation2d", "--checkpoint-every", "0"], "checkpoint_every must be at least 1, got 0"),
        (["navigation2d", "--features", "2"], "features [2] are beyond the observation's 2"),
        (["navigation2d", "--learning-rate", "0"], "learning_rate must be greater than 0"),
        ([], "the environment is missing"),
        (["--resume"], "holds no run to continue"),
    ],
)
def test_mistakes_are_refused_before_a_folder_is_made(tmp_path: Path, words, said, capsys):
    assert main(["train", *words, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_folders_that_cannot_be_are_refused(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "file").write_text("mine")
    for out in ("file", "file/run"):
        assert main(train_words(tmp_path / out, 2)) == 2
        assert f"{tmp_path / 'file'} is a file; choose another" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"
    assert main(["train", "navigation2d"]) == 2
    assert "--out is missing" in capsys.readouterr().err
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main(train_words(tmp_path / "run", 2)) == 2
    assert f"{tmp_path} is not writable" in capsys.readouterr().err


def test_a_damaged_run_is_named_and_kept(finished: Path, tmp_path: Path, capsys):
    folder = tmp_path / "run"
    assert main(train_words(folder, 2)) == 0
    [arrays] = (folder / "checkpoints").glob("epoch-000002.npz")
    arrays.write_bytes(b"damage")
    assert main(["train", "--resume", "--out", str(folder), "--epochs", "4"]) == 2
    assert "epoch-000002.npz: it has 6 bytes" in capsys.readouterr().err
    assert arrays.read_bytes() == b"damage"
    (folder / "run.json").write_text("{")
    assert main(["train", "--resume", "--out", str(folder)]) == 2
    assert "run.json: it is no JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: None, "history.csv: it is missing"),
        (lambda text: "", "history.csv: it has 0 bytes"),
        (
            lambda text: text.replace("1", "2", 1),
            "history.csv: it has changed since it was written",
        ),
    ],
)
def test_a_damaged_history_is_named(tmp_path: Path, finished: Path, damage, said, capsys):
    folder = tmp_path / "run"
    assert main(train_words(folder, 2)) == 0
    text = damage((folder / "history.csv").read_text())
    (folder / "history.csv").unlink()
    if text is not None:
        (folder / "history.csv").write_text(text)
    assert main(["train", "--resume", "--out", str(folder), "--epochs", "3"]) == 2
    assert said in capsys.readouterr().err


def test_a_description_without_its_agent_is_damaged(finished: Path, tmp_path: Path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    forge(folder / "run.json", lambda saved: saved["setting"].pop("agent"))
    assert main(["train", "--resume", "--out", str(folder)]) == 2
    assert "run.json: setting.agent is missing" in capsys.readouterr().err


def test_a_run_made_in_python_with_seeds_of_its_own_is_resumed(tmp_path: Path, finished: Path):
    from autotelic import Uniform

    folder = tmp_path / "run"
    train(load(finished).setting, {"Even, always": Uniform()}, [7, 3], 2, folder)
    assert main(["train", "--resume", "--out", str(folder), "--epochs", "3"]) == 0
    assert load(folder).members == [("Even, always", 7), ("Even, always", 3)]


@pytest.mark.parametrize(
    "stop", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_a_signal_saves_and_says_how_to_continue(finished: Path, tmp_path: Path, stop):
    folder = tmp_path / "run"
    with start(train_words(folder, 100_000)) as process:
        wait_for_epochs(folder, 2)
        process.send_signal(stop)
        _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    runs = load(folder)
    assert error == (
        f"interrupted: {runs.epochs_done} of 100000 epochs are saved; continue with\n"
        f"  autotelic train --resume --out {folder}\n"
    )
    assert 2 <= runs.epochs_done == len(runs.history) / 2


@pytest.mark.thorough
def test_a_killed_run_resumes_to_the_same_end(tmp_path: Path):
    killed, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    with start(train_words(killed, 300, "--checkpoint-every", "2")) as process:
        wait_for_epochs(killed, 3)
        process.kill()
        assert process.wait(timeout=60) == -signal.SIGKILL
    assert not load(killed).finished
    assert main(["train", "--resume", "--out", str(killed)]) == 0
    assert main(train_words(undisturbed, 300)) == 0
    assert history(killed) == history(undisturbed)


def wait_for_epochs(folder: Path, epochs: int) -> None:
    """Return when the history holds that many epochs of two members."""
    path, patience = folder / "history.csv", 240.0
    while not path.exists() or path.read_bytes().count(b"\n") < 1 + 2 * epochs:
        time.sleep(0.02)
        patience -= 0.02
        assert patience > 0, "the run does not get on"
