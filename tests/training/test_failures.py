"""What goes wrong is said with who, when and what is safe; nothing is lost or overwritten."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_runs import contents
from tiny_runs import (
    EPOCHS,
    STEPS,
    Corridor,
    Notes,
    SaveableCorridor,
    assert_same_run,
    copied,
    run,
    tiny,
    tiny_gymnasium,
)

import autotelic as at
from autotelic.objectives import Diayn
from autotelic.observers.base import Observer
from autotelic.runs.atomic import DamagedFile
from autotelic.runs.lock import RunLock, RunLocked
from autotelic.runs.run import load
from autotelic.runs.store import CheckpointStore, DamagedCheckpoint
from autotelic.training.program import Program
from autotelic.training.run_state import RunState, TrainingFailure

pytestmark = pytest.mark.usefixtures("same_crews")

SEEDS = {"methods": {"DIAYN": at.Uniform()}, "seeds": [4, 9]}


def corridor(**changes: Any) -> Any:
    return tiny_gymnasium(SaveableCorridor, **changes)


@pytest.fixture(scope="module")
def sound(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which no environment does anything wrong."""
    return run(tmp_path_factory.mktemp("sound"), setting=corridor(), **SEEDS).folder


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("raise", "ArithmeticError: the wheel came off"),
        ("nan", "it returned nan in entry 1 of an observation"),
        ("shape", r"it returned an observation of shape \(3,\)"),
        ("exit", "SystemExit: no licence"),
        ("flags", "ValueError: The truth value of an array"),
    ],
)
def test_a_failing_environment_is_reported_and_after_repair_the_run_goes_on(
    fault: str, message: str, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Corridor, "fault", (fault, 9, 2 * STEPS + 7))
    where = r"member 1 \(DIAYN, seed 9\) failed in epoch 2, step 7: "
    safe = "The checkpoint of epoch 2 is intact: --resume continues"
    with pytest.raises(TrainingFailure, match=f"{where}{message}.*{safe}"):
        run(tmp_path, setting=corridor(), **SEEDS)
    checkpoint = CheckpointStore(tmp_path).load_latest()
    assert checkpoint is not None and checkpoint.epoch == 2
    monkeypatch.undo()
    run(tmp_path, setting=corridor(), resume=True, **SEEDS)
    assert_same_run(tmp_path, sound)


def test_a_failure_before_the_first_checkpoint_promises_none(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Corridor, "fault", ("raise", 4, 0))
    with pytest.raises(TrainingFailure, match=r"epoch 0, step 0: .*No checkpoint was written yet"):
        run(tmp_path, setting=corridor(), **SEEDS)
    monkeypatch.undo()
    run(tmp_path, setting=corridor(), resume=True, **SEEDS)
    assert_same_run(tmp_path, sound)


def test_an_environment_that_cannot_even_begin_is_reported(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Corridor, "fault", ("raise", 9, -1))
    where = r"member 1 \(DIAYN, seed 9\) failed in epoch 0, before its first step"
    with pytest.raises(TrainingFailure, match=f"{where}: ArithmeticError: the wheel came off"):
        run(tmp_path, setting=corridor(), **SEEDS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": []}, "seeds must hold at least one seed"),
        ({"seeds": [1, 1]}, "seeds must differ"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"methods": {None: at.Uniform()}}, "needs a name"),
        ({"methods": {"dp": at.DiversityProgress(15, 6)}}, "15.*6.*20"),
        ({"setting": tiny(batch_size=61)}, "batch_size 61 .* replay's 60 rows"),
        ({"setting": tiny(objective=Diayn(features=(0, 2)))}, r"features \[2\]"),
        ({"setting": tiny_gymnasium("HalfCheeta-v5")}, "HalfCheetah-v5"),
        ({"setting": tiny(environment_options={"noize": 1})}, "Did you mean 'noise'"),
        ({"setting": tiny_gymnasium("CartPole-v1")}, "CartPole-v1 has discrete actions"),
        ({"checkpoint_every": 0}, "checkpoint_every must be at least 1"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_made_or_compiled(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Program, "__init__", None)  # calling it would fail
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "new", **changes)
    assert not (tmp_path / "new").exists()


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished run that must come out of a refusal unchanged."""
    return copied(finished, tmp_path / "copy")


def refused(folder: Path, kind: type[Exception], message: str, **changes: Any) -> None:
    before = contents(folder)
    with pytest.raises(kind, match=message):
        run(folder, **changes)
    after = contents(folder)
    assert {**after, ".lock": b""} == {**before, ".lock": b""}


def test_a_run_is_never_overwritten(folder: Path):
    refused(folder, ValueError, r"copy already holds a run.*--resume.*another folder")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setting": tiny(hidden_units=9)}, "hidden_units was 8, now 9"),
        ({"setting": tiny(environment_options={"noise": 0.1})}, "environment_options was"),
        ({"seeds": [1]}, r"seeds were \[0\], now \[1\]"),
        ({"methods": {"DIAYN": at.Uniform()}}, "methods were"),
        ({"epochs": EPOCHS - 1}, "epochs were 4, now only 3"),
    ],
)
def test_a_run_of_other_settings_is_not_continued(
    folder: Path, changes: dict[str, Any], message: str
):
    refused(folder, ValueError, message, resume=True, **changes)


@pytest.mark.parametrize("pattern", ["checkpoints/epoch-000004.npz", "replay/rows-*-000000080.npy"])
def test_a_damaged_checkpoint_is_named(folder: Path, pattern: str):
    [path] = folder.glob(pattern)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    refused(folder, DamagedCheckpoint, f"{path.name}.*Nothing was deleted", resume=True)
    refused(folder, DamagedCheckpoint, path.name, resume=True, epochs=EPOCHS + 1)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 2}', "\0"])
def test_a_damaged_description_is_named(folder: Path, text: str):
    (folder / "run.json").write_text(text)
    message = r"run\.json: it (is no JSON|must be an object|has changed|has format 1)"
    refused(folder, ValueError, message, resume=True)


def test_a_history_that_is_not_the_run_s_is_named(folder: Path):
    (folder / "history.csv").write_text("epoch,goal\n")
    refused(folder, ValueError, r"history\.csv: it has 11 bytes", resume=True)


@pytest.mark.parametrize("resume", [True, False])
def test_what_is_left_of_a_run_without_its_description_is_not_overwritten(
    folder: Path, resume: bool
):
    (folder / "run.json").unlink()
    message = "copy holds history.csv and checkpoints and skills.npz of a run whose run.json"
    refused(folder, ValueError, message, resume=resume)


@pytest.mark.parametrize("epochs", [EPOCHS, EPOCHS + 1])
def test_a_finished_run_without_its_checkpoints_is_not_started_again(folder: Path, epochs: int):
    for path in [*(folder / "checkpoints").iterdir(), *(folder / "replay").iterdir()]:
        path.unlink()
    refused(folder, ValueError, "without its checkpoints", resume=True, epochs=epochs)


def test_a_folder_that_is_being_trained_is_refused(folder: Path):
    with RunLock(folder):
        refused(folder, RunLocked, "being trained by process", resume=True)
    assert load(folder).finished


def test_damaged_skills_are_named(folder: Path):
    (folder / "skills.npz").write_bytes(b"PK")
    with pytest.raises(DamagedFile, match=r"skills\.npz"):
        _ = load(folder).skills


class Deaf(Observer):
    """A display whose reader has left."""

    def note(self, message: str) -> None:
        raise BrokenPipeError("nobody reads this")

    def epoch_done(self, epoch: int, rows: Any) -> None:
        raise BrokenPipeError("nobody reads this")


def test_a_display_that_is_gone_does_not_take_the_run_with_it(sound: Path, tmp_path: Path):
    told = Notes()
    run(tmp_path, setting=corridor(), observers=[Deaf(), told], **SEEDS)
    assert_same_run(tmp_path, sound)
    assert told.messages == ["Deaf is left out from here on (nobody reads this)"]


def test_the_history_of_a_run_that_lost_its_checkpoints_is_kept(sound: Path, tmp_path: Path):
    folder, told = copied(sound, tmp_path / "copy"), Notes()
    (folder / "skills.npz").unlink()
    for path in (folder / "checkpoints").iterdir():
        path.unlink()
    run(folder, setting=corridor(), resume=True, observers=[told], **SEEDS)
    assert_same_run(folder, sound)
    assert (folder / "history.1.csv").read_bytes() == (sound / "history.csv").read_bytes()
    assert [message for message in told.messages if "begins again" in message]


class Rambling(at.RoundRobin):
    """A selector whose state no checkpoint can hold."""

    def init(self, num_goals: int) -> Any:
        return super().init(num_goals)._replace(signal={"a": 1})


@pytest.mark.usefixtures("same_crews")
def test_what_cannot_be_saved_is_refused_before_it_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def compile(*_: Any) -> None:
        raise AssertionError("it was compiled")

    monkeypatch.setattr(Program, "compile", compile)
    with pytest.raises(ValueError, match=r"method mine cannot be saved: .* got dict"):
        run(tmp_path / "a", methods={"DIAYN": at.Uniform(), "mine": Rambling()})
    monkeypatch.setattr(SaveableCorridor, "state_dict", lambda self: {"position": np.int64(1)})
    with pytest.raises(ValueError, match=r"state_dict\(\) must return JSON values.*int64"):
        run(tmp_path / "b", setting=corridor(), **SEEDS)


def test_an_environment_that_cannot_take_its_state_back_is_reported(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(self: Any, state: Any) -> None:
        raise KeyError("speed")

    folder = copied(sound, tmp_path / "copy")
    monkeypatch.setattr(SaveableCorridor, "load_state_dict", fail)
    with pytest.raises(TrainingFailure, match=r"member 0 \(DIAYN, seed 4\) failed .*KeyError"):
        run(folder, setting=corridor(), resume=True, epochs=EPOCHS + 1, **SEEDS)


def test_a_run_that_fails_does_not_wait_for_the_others_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The other member's environment goes on for ever, unless its crew gives up."""
    monkeypatch.setattr(Corridor, "fault", ("raise", 9, 0))
    steps, stopped = [0], threading.Event()
    monkeypatch.setattr(
        RunState, "stop", lambda self, stop=RunState.stop: (stop(self), stopped.set())
    )
    step = SaveableCorridor.step

    def count(self: Any, action: np.ndarray) -> Any:
        if self.seed == 4:
            steps[0] += 1
            if steps[0] == 2:
                stopped.wait(timeout=60)
        return step(self, action)

    monkeypatch.setattr(SaveableCorridor, "step", count)
    with pytest.raises(TrainingFailure, match="seed 9"):
        run(tmp_path, setting=corridor(), **SEEDS)
    assert steps[0] <= 2  # and not the 20 of an epoch
