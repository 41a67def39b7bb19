"""The one door for files from outside: only regular files, JSON of bounded size and depth, and values of the
kinds that are expected. Whatever else is found is refused by a sentence that names the file and the entry.

A kind is a type as Python spells it: `int`, `str | None`, `list[int]`, `tuple[str, int]`,
`dict[str, float]`, `Literal["a", "b"]`, `Annotated[int, Within(1, 9)]`, or a TypedDict, NamedTuple or dict
of kinds by name. Documents of ours carry a format number and a checksum of their content. It finds damage. It
is no signature: whoever forges a file forges its checksum too.
"""

import errno
import json
import math
import os
import re
import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from autotelic import _printable

LARGEST = 2**30
"""Bytes of a document."""
DEPTH = 100
"""Lists and objects within each other."""
DIGITS = 40
"""Of a whole number: the state of a random generator has 39."""
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET = re.compile(r"[\[{\]}]")


class FileError(ValueError):
    """A file that cannot be used: says which, and what is wrong with it."""

    def __init__(self, path: Path | str, problem: str):
        super().__init__(f"{path}: {problem}")


class DamagedFile(FileError):
    """A file that is missing, short, changed since it was written, or not what it should be."""


class Within(NamedTuple):
    """The smallest and the largest number, or length of a list or object."""

    low: float = 0
    high: float = 2**63 - 1


Count = Annotated[int, Within()]


def open_to_read(path: Path) -> int:
    """A descriptor of a regular file: to open a pipe would wait for ever, a device may be anything."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DamagedFile(path, "it is no regular file")
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        raise DamagedFile(path, "it is missing") from None
    return descriptor


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """All bytes of a regular file of bounded size."""
    with open(open_to_read(path), "rb") as file:
        if (size := os.fstat(file.fileno()).st_size) > largest:
            raise DamagedFile(path, f"it has {size} bytes, and at most {largest} are read")
        return file.read()


def parse(data: bytes) -> Any:
    """The value of a JSON text; refuses deep nesting, endless numbers, names that are there twice, and texts
    that would steer a terminal.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no text ({error})") from None
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEPTH:
            raise ValueError(f"it nests lists and objects more than {DEPTH} deep")
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_float, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON ({error})") from None
    if r"\u" in text and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
        raise ValueError("it holds half a character")
    _printable.check(value)
    return value


def read(path: Path, kind: Any, form: int | None = None) -> Any:
    """The value of a JSON file, of a kind; of format `form` and with its checksum if that is given."""
    try:
        value = parse(read_bytes(path))
        if form is not None:
            found = fit(value, dict[str, Any]).get("format")
            if type(found) is int and found != form:
                raise FileError(
                    path,
                    f"it has format {found}, and this version of autotelic reads format {form}; use the "
                    "version that wrote it",
                )
            crc32 = value.pop("crc32", None)
            if crc32 != _checksum(value):
                raise ValueError("it has changed since it was written (its checksum differs)")
            fit(value.pop("format", None), int, "format")
        return fit(value, kind)
    except FileError:
        raise
    except ValueError as error:
        raise DamagedFile(path, str(error)) from None


def checked(path: Path, value: Any, kind: Any, name: str) -> Any:
    """`fit` of an entry of a file."""
    try:
        return fit(value, kind, name)
    except ValueError as error:
        raise DamagedFile(path, str(error)) from None


def sealed(content: Mapping[str, Any], form: int) -> dict[str, Any]:
    """The content as a document: with its format and its checksum."""
    document = {"format": form, **content}
    return {**document, "crc32": _checksum(document)}


def fit(value: Any, kind: Any, name: str = "") -> Any:
    """The value of JSON as its kind has it (tuples, named tuples), or a ValueError that names the entry."""
    if kind is Any:
        return value
    if get_origin(kind) is NotRequired:
        return fit(value, get_args(kind)[0], name)
    if get_origin(kind) in (Union, UnionType):
        fitting = [part for part in get_args(kind) if _is_of(value, part)]
        return fit(value, fitting[0], name) if fitting else _refuse(value, kind, name)
    if not _is_of(value, kind):
        _refuse(value, kind, name)
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Annotated:
        found, bounds = fit(value, parts[0], name), parts[1]
        size = len(found) if hasattr(found, "__len__") else found
        return found if bounds.low <= size <= bounds.high else _refuse(value, kind, name)
    if origin is list:
        return [fit(one, parts[0], f"{name}[{index}]") for index, one in enumerate(value)]
    if origin is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        if len(kinds) != len(value):
            _refuse(value, kind, name)
        return tuple(fit(value[i], kinds[i], f"{name}[{i}]") for i in range(len(kinds)))
    if origin is dict:
        return {
            fit(key, parts[0], f"a name in {name or 'it'}"): fit(one, parts[1], _within(name, key))
            for key, one in value.items()
        }
    if origin in (int, float):
        if abs(value) >= (2**64 if origin is int else 1e308):
            raise ValueError(f"{name or 'it'} is too large a number, {shown(value)}")
        return origin(value)
    if _has_fields(kind):
        return _fit_fields(value, kind, name)
    return value


def _has_fields(kind: Any) -> bool:
    return isinstance(kind, dict) or is_typeddict(kind) or hasattr(kind, "_fields")


def _fit_fields(value: dict[str, Any], kind: Any, name: str) -> Any:
    """An object whose entries have kinds of their own."""
    kinds: dict[str, Any] = (
        kind if isinstance(kind, dict) else get_type_hints(kind, include_extras=True)
    )
    optional = getattr(kind, "_field_defaults", getattr(kind, "__optional_keys__", ()))
    for key in kinds.keys() - set(optional) - value.keys():
        raise ValueError(f"{_within(name, key)} is missing")
    for key in value.keys() - kinds.keys():
        raise ValueError(f"{_within(name, key)} is unknown")
    found = {key: fit(one, kinds[key], _within(name, key)) for key, one in value.items()}
    made: Any = kind  # a named tuple, or what comes back as it is
    return made(**found) if hasattr(kind, "_fields") else found


def _is_of(value: Any, kind: Any) -> bool:
    """Whether the value itself, whatever it holds, is of a kind."""
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Any:
        return True
    if origin in (Annotated, NotRequired):
        return _is_of(value, parts[0])
    if origin in (Union, UnionType):
        return any(_is_of(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is float:
        return type(value) is int or (type(value) is float and math.isfinite(value))
    if _has_fields(kind):
        return type(value) is dict
    return type(value) is {None: NoneType, tuple: list}.get(origin, origin)


def _words(kind: Any) -> str:
    """What a value must be, for a refusal."""
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Annotated:
        low, high = parts[1]
        limits = f"from {low} to {high}" if high != Within().high else f"of at least {low}"
        return f"{_words(parts[0])} {limits}"
    if origin in (Union, UnionType):
        return " or ".join(map(_words, parts))
    if origin is Literal:
        return " or ".join(map(json.dumps, parts))
    if _has_fields(kind):
        return "an object"
    if origin is tuple and parts[-1] is not ...:
        return f"a list of {len(parts)}"
    names = {int: "a whole number", float: "a finite number", str: "a text", bool: "true or false"}
    names |= {list: "a list", tuple: "a list", NoneType: "null", None: "null"}
    return names.get(origin, "an object")


def shown(value: Any) -> str:
    """A value in a message, in plain characters; of one that may be endless the kind alone."""
    if value is None or isinstance(value, str | bool | int | float):
        return ascii(value)[:80]
    return ascii(value) if not value else f"a {type(value).__name__}"


def _refuse(value: Any, kind: Any, name: str) -> Any:
    raise ValueError(f"{name or 'it'} must be {_words(kind)}, got {shown(value)}")


def _within(name: str, key: str) -> str:
    """The path of an entry; names that are no words are quoted, as a terminal may obey what is in them."""
    word = key if re.fullmatch(r"[\w.+-]{1,80}", key, re.ASCII) else ascii(key)[:80]
    return f"{name}.{word}" if name else word


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content).encode())


def _integer(word: str) -> int:
    if len(word) > DIGITS:
        raise ValueError(f"it holds a whole number of {len(word)} digits")
    return int(word)


def _float(word: str) -> float:
    if not math.isfinite(found := float(word)):
        raise ValueError(f"{word[:80]} is too large a number")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two alike, readers would see one or the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found
