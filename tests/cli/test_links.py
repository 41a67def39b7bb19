"""A folder that somebody sent may have links in it, to files of the user's: no command writes to those."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from running import train_words

from autotelic.cli import main
from autotelic.evaluation import embedding
from autotelic.runs import atomic
from autotelic.runs.run import load

SAFE = os.O_EXCL | os.O_NOFOLLOW
"""With one of them the system follows no link."""
opened: list[tuple[Path, int]] | None = None


def _hear(event: str, told: tuple[Any, ...]) -> None:
    if opened is None or event != "open" or isinstance(told[0], int):
        return
    if told[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        opened.append((Path(os.fsdecode(told[0])).absolute(), told[2]))


sys.addaudithook(_hear)  # for good; it hears while `opened` is a list


@contextmanager
def opened_within(folder: Path) -> Iterator[dict[str, int]]:
    """The names of files that are opened for writing in a folder, with the flags that all opens had."""
    global opened
    found: dict[str, int] = {}
    opened = heard = []
    try:
        yield found
    finally:
        opened = None
    for path, flags in heard:
        if path.is_relative_to(folder):
            name = str(path.relative_to(folder))
            found[name] = found.get(name, -1) & flags


def begin(folder: Path) -> int:
    return main(train_words(folder, 2, "--evaluate-every", "1"))


def go_on(folder: Path) -> list[int]:
    """All that commands do with a run; their exit codes."""
    learner = ["--method", "diayn", "--seed", "0"]
    commands = [
        train_words(folder, 4, "--resume", "--checkpoint-every", "1"),
        ["evaluate", str(folder), "--per-goal", "4", "--steps", "5"],
        ["report", str(folder), "--no-films"],
        ["figures", str(folder)],
        ["export", str(folder), *learner, "--out", str(folder / "learner.npz")],
        ["play", str(folder), *learner, "--out", str(folder / "film.gif"), "--steps", "3"],
    ]
    return [main(words) for words in commands]


@pytest.fixture(scope="module")
def quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "ITERATIONS", 250)
        yield


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, quickly: None) -> Path:
    """A run that can go on; copy it."""
    folder = tmp_path_factory.mktemp("begun") / "run"
    assert begin(folder) == 0
    return folder


@pytest.fixture(scope="module")
def written(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """What is written to in a run, by `opened_within`."""
    folder = tmp_path_factory.mktemp("written") / "run"
    with opened_within(folder) as found:
        assert begin(folder) == 0
        assert go_on(folder) == [0] * 6
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert len(there) > 20
    assert {name.removesuffix(".partial") for name in found} >= there
    return found


def test_the_system_is_told_to_follow_no_link(written: dict[str, int]):
    assert [name for name, flags in written.items() if not flags & SAFE] == []


@pytest.mark.parametrize("partial", [True, False])
def test_nothing_is_written_through_a_link_at_a_name_to_come(
    begun: Path, written: dict[str, int], partial: bool, tmp_path: Path
):
    folder = Path(shutil.copytree(begun, tmp_path / "run"))
    names = [name if partial else name.removesuffix(".partial") for name in written]
    links = {folder / name: tmp_path / f"{n}" for n, name in enumerate(dict.fromkeys(names))}
    manifest = "checkpoints/epoch-*.json"  # one of no checkpoint would be the end of all
    links = {k: v for k, v in links.items() if not (k.exists() or k.match(manifest))}
    assert len(links) > 10
    for path, target in links.items():
        target.write_bytes(b"dear")
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(target)
    codes = go_on(folder)
    assert codes == [0] * 6 if partial else set(codes) == {0, 2}
    assert {target.read_bytes() for target in links.values()} == {b"dear"}


def test_nor_at_one_that_is_there(begun: Path, tmp_path: Path):
    names = [path.relative_to(begun) for path in begun.rglob("*")]
    assert {".lock", "run.json", "history.csv", "checkpoints", "replay"} < set(map(str, names))
    for number, name in enumerate(names):
        folder = Path(shutil.copytree(begun, tmp_path / f"{number}"))
        target = (folder / name).rename(tmp_path / f"{number} elsewhere")
        (folder / name).symlink_to(target)
        before = content(target)
        words = train_words(folder, 4, "--resume", "--checkpoint-every", "1")
        assert main(words) in (0, 2)
        assert content(target) == before, name


def content(path: Path) -> Any:
    if path.is_file():
        return path.read_bytes()
    return {one.name: one.read_bytes() for one in path.iterdir()}


class Writer:
    """As that of tensorboardX: it makes the folder, and writes to a file that has the time in its name."""

    def __init__(self, folder: str, purge_step: int):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / "events.1").write_bytes(b"points")

    def add_scalar(self, *point: Any) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize("link", ["", "diayn-seed0", "diayn-seed0/events.1", "diayn-seed0/none"])
def test_nor_by_packages_that_write_themselves(
    begun: Path, link: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=Writer))
    folder = Path(shutil.copytree(begun, tmp_path / "run"))
    words = train_words(folder, 4, "--resume", "--tensorboard")
    target = tmp_path / "dear"
    target.mkdir() if link in ("", "diayn-seed0") else target.write_bytes(b"dear")
    path = folder / "tensorboard" / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(tmp_path / "not there" if path.name == "none" else target)
    assert main(words) == 2
    assert f"{path}: it is a symbolic link" in capsys.readouterr().err
    assert not list(target.iterdir()) if target.is_dir() else target.read_bytes() == b"dear"
    path.unlink()
    assert main(words) == 0


NAVIGATION = ["--task", "autotelic/Navigation2DGoal-v0"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["quickstart"], "run"),
        (["paper", "fig1a"], "run"),
        (["paper", "fig1"], "fig1c"),
        (["paper", "fig2", "--seed", "0"], "run_seed0"),
        (["adapt", "meta", "SKILLS", *NAVIGATION], "meta"),
        (["adapt", "best", "SKILLS", *NAVIGATION, "--rollouts", "4"], "seed_0"),
    ],
    ids=str,
)
def test_a_folder_within_the_one_that_is_named_is_none(
    begun: Path, words: list[str], name: str, tmp_path: Path, capsys
):
    target = Path(shutil.copytree(begun, tmp_path / "run"))
    load(target).export("diayn", 0, tmp_path / "skills.npz")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(target)
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    words = [word.replace("SKILLS", str(tmp_path / "skills.npz")) for word in words]
    assert main([*words, "--out", str(tmp_path / "out")]) == 2
    assert f"{name}: it is a symbolic link, and is not written to" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before


def test_the_folder_that_a_user_names_may_be_a_link(begun: Path, tmp_path: Path):
    folder = Path(shutil.copytree(begun, tmp_path / "run"))
    (tmp_path / "link").symlink_to(folder)
    assert main(train_words(tmp_path / "link", 4, "--resume")) == 0
    assert (folder / "skills.npz").exists()
    with pytest.raises(ValueError, match="link: it is a symbolic link, and is not written to"):
        atomic.inner(tmp_path / "link")
