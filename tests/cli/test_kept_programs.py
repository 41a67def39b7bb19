"""Programs are kept between commands: found again, of this kind of processor, and not for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import train_words

from autotelic.cli import main
from autotelic.commands import kept_programs
from autotelic.commands.kept_programs import FOLDER, SHORTEST, keep_programs, make_room


def test_programs_go_to_the_folder_of_caches_unless_the_user_has_one(tmp_path: Path):
    given = {"XDG_CACHE_HOME": str(tmp_path)}
    keep_programs(given)
    folder = Path(given[FOLDER])
    assert folder.is_dir() and folder.parent == tmp_path / "autotelic"
    own = {FOLDER: "elsewhere", "XDG_CACHE_HOME": str(tmp_path)}
    keep_programs(own)
    assert own == {FOLDER: "elsewhere", "XDG_CACHE_HOME": str(tmp_path)}
    patient = {"XDG_CACHE_HOME": str(tmp_path), SHORTEST: "7"}
    keep_programs(patient)
    assert patient[SHORTEST] == "7"


def test_another_processor_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = []
    for machine in ("one", "another", "one"):
        monkeypatch.setattr(kept_programs, "_machine", lambda machine=machine: machine)
        given = {"XDG_CACHE_HOME": str(tmp_path)}
        keep_programs(given)
        found.append(given[FOLDER])
    assert found[0] == found[2] != found[1]


def test_a_place_that_cannot_be_written_to_is_left_alone(tmp_path: Path):
    (tmp_path / "file").touch()
    given = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    keep_programs(given)
    assert FOLDER not in given


def test_the_oldest_programs_make_room(tmp_path: Path):
    for age, name in enumerate(["newest", "middle", "oldest"]):
        path = tmp_path / name
        path.write_bytes(bytes(10))
        os.utime(path, (1000 - age, 1000 - age))
    make_room(tmp_path, 30)
    assert len(list(tmp_path.iterdir())) == 3
    make_room(tmp_path, 29)
    assert {path.name for path in tmp_path.iterdir()} == {"newest", "middle"}


@pytest.mark.thorough
def test_a_second_command_finds_the_programs_of_the_first_and_learns_the_same(tmp_path: Path):
    def words(name: str) -> list[str]:
        command, _, *flags = train_words(tmp_path / name, 1)
        return [command, "Pendulum-v1", *flags]  # its program calls the host's environments

    assert main(words("here")) == 0
    variables = {name: value for name, value in os.environ.items() if name != FOLDER}
    variables |= {"XDG_CACHE_HOME": str(tmp_path / "caches"), SHORTEST: "0"}
    kept = []
    for name in ("first", "second"):
        process = [sys.executable, "-m", "autotelic", *words(name)]
        subprocess.run(process, check=True, capture_output=True, env=variables)
        kept.append({path.name for path in tmp_path.glob("caches/autotelic/*/*")})
        learned = (tmp_path / name / "skills.npz").read_bytes()
        assert learned == (tmp_path / "here" / "skills.npz").read_bytes()
    assert any("crew_visit" in name for name in kept[0])  # the epoch's, which takes longest
    assert kept[1] == kept[0]
