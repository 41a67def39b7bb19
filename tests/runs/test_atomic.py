import json
import os
from pathlib import Path

import pytest

from autotelic.runs import atomic
from autotelic.runs.atomic import DamagedFile, Written


def test_write_reports_the_size_and_checksum_of_the_file(tmp_path: Path):
    path = tmp_path / "a.bin"
    written = atomic.write(path, lambda stream: [stream.write(b"1234"), stream.write(b"56789")])
    assert written == Written(9, 0xCBF43926)  # the check value of CRC-32 for "123456789"
    assert path.read_bytes() == b"123456789"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "a.bin"
    atomic.write_bytes(path, b"old")

    def fail(stream: atomic.Stream):
        stream.write(b"new, but not al")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        atomic.write(path, fail)
    assert path.read_bytes() == b"old"
    atomic.write_bytes(path, b"next")  # over what the failed one left behind
    assert path.read_bytes() == b"next"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_write_to_a_full_disk_names_the_file(tmp_path: Path):
    def fill(stream: atomic.Stream) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError) as failure:
        atomic.write(tmp_path / "a", fill)
    assert failure.value.filename == str(tmp_path / "a")
    with pytest.raises(FileNotFoundError) as failure:
        atomic.write(tmp_path / "nowhere" / "a", lambda stream: None)
    assert failure.value.filename == str(tmp_path / "nowhere" / "a.partial")


def test_the_bytes_are_durable_before_the_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls = []
    monkeypatch.setattr(os, "fsync", lambda _: calls.append("fsync"))
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *names: [calls.append("replace"), replace(*names)])
    atomic.write_bytes(tmp_path / "a.bin", b"x")
    assert calls == ["fsync", "replace", "fsync"]


def test_json_keeps_every_bit_of_a_float(tmp_path: Path):
    path = tmp_path / "a.json"
    value = {"a": [0.1 + 0.2, 5e-324, -0.0], "name": "süß"}
    atomic.write_json(path, value)
    assert json.loads(path.read_text()) == value
    assert path.read_bytes().endswith(b"\n")


def test_read_refuses_what_was_not_written(tmp_path: Path):
    path = tmp_path / "a.bin"
    written = atomic.write_bytes(path, b"abcdef")
    assert atomic.read(path, written) == b"abcdef"
    path.write_bytes(b"abcdeg")
    with pytest.raises(DamagedFile, match=r"a\.bin: it has changed since it was written"):
        atomic.read(path, written)
    path.write_bytes(b"abc")
    with pytest.raises(DamagedFile, match="has 3 bytes, but 6 were written"):
        atomic.read(path, written)
    path.unlink()
    with pytest.raises(DamagedFile, match="is missing"):
        atomic.read(path, written)


def test_make_folder_makes_those_above_it(tmp_path: Path):
    atomic.make_folder(tmp_path / "a" / "b")
    atomic.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
