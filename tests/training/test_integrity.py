"""What one digit changes in a run is refused by name, and nothing is written through a link."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_runs import Stop, StopAfter, assert_same_run, copied, forge, run

from autotelic._documents import DamagedFile, FileError
from autotelic.cli import main
from autotelic.runs.run import load
from autotelic.runs.store import DamagedCheckpoint

pytestmark = pytest.mark.usefixtures("same_crews")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, same_crews: None) -> Path:
    """A finished run with a learning curve."""
    folder = tmp_path_factory.mktemp("measured") / "run"
    run(folder, evaluate_every=2)
    return folder


@pytest.fixture
def folder(measured: Path, tmp_path: Path) -> Path:
    return copied(measured, tmp_path / "copy")


def with_another_digit(data: bytes, every: int) -> Iterator[bytes]:
    """The bytes with every so manieth digit raised by one."""
    digits = [place for place, byte in enumerate(data) if chr(byte).isdigit()]
    for place in digits[::every]:
        digit = b"%d" % ((data[place] - 48 + 1) % 10)
        yield data[:place] + digit + data[place + 1 :]


@pytest.mark.parametrize(
    ("name", "kind", "every"),
    [
        ("run.json", FileError, 1),
        ("history.csv", DamagedCheckpoint, 7),
        ("learning_curve.csv", DamagedCheckpoint, 7),
    ],
)
def test_a_run_in_which_one_digit_is_another_is_not_opened(
    folder: Path, name: str, kind: type[Exception], every: int
):
    path = folder / name
    for data in with_another_digit(path.read_bytes(), every):
        path.write_bytes(data)
        with pytest.raises(kind, match=rf"{name}: it has (changed since|format)"):
            load(folder)


def test_a_finished_run_needs_no_checkpoint_to_know_its_tables(folder: Path):
    shutil.rmtree(folder / "checkpoints")
    assert load(folder).finished is False and len(load(folder).skills) == 3
    path = folder / "history.csv"
    for data in with_another_digit(path.read_bytes(), 50):
        path.write_bytes(data)
        with pytest.raises(DamagedFile, match=r"history\.csv: it has changed since"):
            load(folder)


def test_before_the_first_checkpoint_the_description_is_protected_and_no_row_is_used(
    folder: Path, tmp_path: Path
):
    started = tmp_path / "started"
    with pytest.raises(Stop):
        run(started, observers=[StopAfter(0)], checkpoint_every=4)
    assert not (started / "checkpoints").exists()
    history = (started / "history.csv").read_bytes()
    (started / "history.csv").write_bytes(history.replace(b"0.3", b"0.4"))
    run(started, resume=True)
    assert_same_run(started, folder)


def test_rows_after_the_latest_checkpoint_are_not_read(tmp_path: Path):
    folder = tmp_path / "run"
    with pytest.raises(Stop):
        run(folder, observers=[StopAfter(2)], checkpoint_every=2, evaluate_every=1)
    runs = load(folder)
    assert set(runs.history["epoch"]) == {0, 1} and runs.learning_curve is not None
    assert set(runs.learning_curve["epoch"]) == {0, 1, 2}
    path = folder / "history.csv"
    data = path.read_bytes()
    begin = sum(map(len, data.splitlines(keepends=True)[:5]))
    path.write_bytes(data[:begin] + data[begin:].replace(b",2,", b",0,") + b"torn")
    assert load(folder).history.equals(runs.history)


@pytest.mark.parametrize(
    "words",
    [
        ["train", "--resume", "--out", "RUN"],
        ["evaluate", "RUN"],
        ["report", "RUN"],
        ["figures", "RUN"],
        ["export", "RUN", "--method", "DP", "--out", "RUN/skills.of.npz"],
        ["play", "RUN", "--out", "RUN/film.gif"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize(
    ("name", "old", "new"), [("run.json", b"0.01", b"0.03"), ("history.csv", b"0.3", b"0.4")]
)
def test_no_command_uses_a_damaged_run(
    folder: Path, words: list[str], name: str, old: bytes, new: bytes, capsys
):
    data = (folder / name).read_bytes()
    assert old in data
    (folder / name).write_bytes(data.replace(old, new, 1))
    assert main([word.replace("RUN", str(folder)) for word in words]) == 2
    assert f"{folder / name}: it has changed since it was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda saved: saved.update(methods=[]),
            r"methods must be an object of at least 1, got \[\]",
        ),
        (lambda saved: saved.update(methods=None), "methods must be .*, got None"),
        (lambda saved: saved.update(methods={}), "methods must be .*, got {}"),
        (
            lambda saved: saved.update(seeds=[-1]),
            r"seeds\[0\] must be a whole number from 0 to .*-1",
        ),
        (lambda saved: saved.update(versions=[]), "versions must be a list of at least 1, got"),
        (lambda saved: saved.update(versions=[1]), r"versions\[0\] must be an object, got 1"),
        (lambda saved: saved.update(epochs=1), "it plans 1 epochs, and 4 are done"),
        (
            lambda saved: saved.update(epochs=2**70),
            "epochs is too large a number, 1180591620717411303424",
        ),
        (lambda saved: saved.update(extra=1), "extra is unknown"),
        (lambda saved: saved.pop("crew"), "crew is missing"),
        (
            lambda saved: saved["setting"].update(environment_options=[]),
            "setting.environment_options must be an object, got ",
        ),
        (
            lambda saved: saved["setting"].update(learning_rate=float("nan")),
            "setting.learning_rate must be a finite number, got nan",
        ),
    ],
)
def test_a_forged_description_is_refused_by_the_name_of_its_entry(
    folder: Path, change: Callable[[dict], object], said: str
):
    forge(folder / "run.json", change)
    with pytest.raises(DamagedFile, match=f"run.json: {said}"):
        load(folder)


@pytest.mark.parametrize("name", ["checkpoints", "replay", "history.csv", ".lock"])
def test_a_part_of_a_run_that_is_elsewhere_is_not_written_to(tmp_path: Path, name: str):
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    with pytest.raises(Stop):
        run(folder, observers=[StopAfter(1)])
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    before = elsewhere.read_bytes() if elsewhere.is_file() else sorted(os.listdir(elsewhere))
    with pytest.raises(DamagedFile, match=rf"{name}: it is a (symbolic )?link"):
        run(folder, resume=True)
    after = elsewhere.read_bytes() if elsewhere.is_file() else sorted(os.listdir(elsewhere))
    assert after == before


@pytest.mark.parametrize("name", ["run.json", "history.csv", "learning_curve.csv", "skills.npz"])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(folder: Path, name: str):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(FileError, match=rf"{name}: it is no regular file"):
        _ = load(folder).skills


@pytest.mark.parametrize("name", ["history.csv", "learning_curve.csv"])
def test_a_finished_run_has_no_more_rows_than_its_last_checkpoint(folder: Path, name: str):
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data + data.splitlines(keepends=True)[-1])
    for _ in range(2):  # with its checkpoints, and without
        with pytest.raises(DamagedFile, match=rf"{name}: it has \d+ bytes, but {len(data)} were"):
            load(folder)
        shutil.rmtree(folder / "checkpoints", ignore_errors=True)
