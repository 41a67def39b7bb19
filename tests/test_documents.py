"""What comes from outside is checked in one place: files, JSON and the kinds of values."""

import json
import os
import socket
import zlib
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from autotelic._documents import (
    DEPTH,
    DamagedFile,
    FileError,
    Within,
    fit,
    parse,
    read,
    read_bytes,
    sealed,
)


class Point(NamedTuple):
    x: Annotated[int, Within(0, 9)]
    y: float = 0.5


class Entry(TypedDict):
    name: str
    points: list[Point]
    more: NotRequired[dict[str, int | None]]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (3, int, 3),
        (3, float, 3.0),
        (None, int | None, None),
        ("b", Literal["a", "b"], "b"),
        ([1, "a"], tuple[int, str], (1, "a")),
        ([1, 2, 3], tuple[int, ...], (1, 2, 3)),
        ({"x": 3}, Point, Point(3, 0.5)),
        (
            {"name": "n", "points": [{"x": 1, "y": 2}]},
            Entry,
            {"name": "n", "points": [Point(1, 2.0)]},
        ),
        ([{"a": {}}], Any, [{"a": {}}]),
        ({"a": [1]}, {"a": list[int]}, {"a": [1]}),
    ],
)
def test_a_value_of_its_kind_comes_back_as_python_has_it(value: Any, kind: Any, expected: Any):
    found = fit(value, kind)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind", "sentence"),
    [
        ([], dict[str, Any], "it must be an object, got []"),
        (True, int, "it must be a whole number, got True"),
        (1.0, int, "it must be a whole number, got 1.0"),
        (2**64, int, "it is too large a number, 18446744073709551616"),
        (float("nan"), float, "it must be a finite number, got nan"),
        (float("inf"), float | None, "it must be a finite number or null, got inf"),
        ("c", Literal["a", "b"], 'it must be "a" or "b", got \'c\''),
        ([1], tuple[int, str], "it must be a list of 2, got a list"),
        (["a"], list[int], "[0] must be a whole number, got 'a'"),
        ({}, Annotated[dict[str, int], Within(1)], "it must be an object of at least 1, got {}"),
        ({"x": 10}, Point, "x must be a whole number from 0 to 9, got 10"),
        ({"y": 1}, Point, "x is missing"),
        ({"x": 1, "\x1b[2J": 1}, Point, r"'\x1b[2J' is unknown"),
        (
            {"name": "n", "points": [], "more": {"a": "x" * 100}},
            Entry,
            f"more.a must be a whole number or null, got '{'x' * 79}",
        ),
        (
            {"name": "n", "points": [{"x": 1}, {"x": None}]},
            Entry,
            "points[1].x must be a whole number from 0 to 9, got None",
        ),
    ],
)
def test_another_value_is_refused_by_the_path_of_its_entry(value: Any, kind: Any, sentence: str):
    with pytest.raises(ValueError) as refused:
        fit(value, kind)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"\xff", "it is no text"),
        (b"{", "it is no JSON"),
        (b'{"a": 1, "a": 1}', "a name is there twice"),
        (b"1" * 41, "it holds a whole number of 41 digits"),
        (b"1e999", "1e999 is too large a number"),
        (rb'"\ud800"', "it holds half a character"),
        (b"[" * 200_000 + b"]" * 200_000, "it nests lists and objects more than 100 deep"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "it nests lists and objects more than 100 deep"),
    ],
)
def test_what_is_no_json_of_ours_is_refused(text: bytes, problem: str):
    with pytest.raises(ValueError, match=problem):
        parse(text)


def test_brackets_within_texts_do_not_nest():
    text = json.dumps(["[" * 1000 + '"\\', {"{": rf"\{'}'}"}])
    assert parse(text.encode()) == json.loads(text)
    assert parse(b"[" * DEPTH + b"]" * DEPTH) is not None


def test_a_document_has_its_format_and_its_checksum(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(sealed({"x": 3, "y": 0.1}, 2)))
    assert read(path, Point, 2) == Point(3, 0.1)
    text = path.read_text()
    path.write_text(text.replace('"x": 3', '"x":\n 3'))
    assert read(path, Point, 2) == Point(3, 0.1)
    for old, new, problem in [
        ("0.1", "0.2", "it has changed since it was written"),
        ('"crc32"', '"crc33"', "it has changed since"),
        (
            '"format": 2',
            '"format": 3',
            "it has format 3, and this version of autotelic reads format 2",
        ),
    ]:
        path.write_text(text.replace(old, new))
        with pytest.raises(FileError, match=problem) as refused:
            read(path, Point, 2)
        assert str(refused.value).startswith(f"{path}: ")
    for form in ("2", None):
        document = {"x": 3, **({} if form is None else {"format": form})}
        path.write_text(
            json.dumps({**document, "crc32": zlib.crc32(json.dumps(document).encode())})
        )
        with pytest.raises(DamagedFile, match=f"format must be a whole number, got {form!r}"):
            read(path, Point, 2)


def test_only_regular_files_of_bounded_size_are_read(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    (tmp_path / "long").write_bytes(b"12345")
    for name, problem in [
        ("pipe", "it is no regular file"),
        ("device", "it is no regular file"),
        ("socket", "it is no regular file"),
        (".", "it is no regular file"),
        ("itself", "it is missing"),
        ("long/er", "it is missing"),
        ("nothing", "it is missing"),
        ("long", "it has 5 bytes, and at most 4 are read"),
    ]:
        with pytest.raises(DamagedFile, match=problem):
            read_bytes(tmp_path / name, 4)
    assert read_bytes(tmp_path / "long", 5) == b"12345"
