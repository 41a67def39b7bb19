"""Damaged skill files: what the loader makes of them.

    python -m tools.fuzz_skills skills.npz --files 10000

Damage to bytes must be refused by a SkillFileError, or leave header and arrays as they were (some bytes of
an archive mean nothing). A forged file, whose checksums fit what was changed, must be refused likewise or
be skills that act: its values are its maker's business.
"""

import argparse
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from autotelic.skills import SkillFileError, Skills
from autotelic.skills.file import decode

Damage = Callable[[bytes, np.random.Generator], bytes]
HOSTILE: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        1,
        2**31,
        10**400,
        1e308,
        -0.5,
        "",
        "eval",
        "../../etc/passwd",
        "__reduce__",
    ),
    *([], {}, [1], {"a": 1}, "NaN", [[[]]], "sac", "gmm-sac", "discrete-sac", "cic", "dads"),
)


def flip(data: bytes, rng: np.random.Generator) -> bytes:
    """One to eight bits are others."""
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def overwrite(data: bytes, rng: np.random.Generator) -> bytes:
    """A span holds noise, or zeros."""
    begin, end = _span(data, rng)
    noise = rng.bytes(end - begin) if rng.random() < 0.5 else bytes(end - begin)
    return data[:begin] + noise + data[end:]


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    """The end is missing."""
    return data[: int(rng.integers(len(data)))]


def remove(data: bytes, rng: np.random.Generator) -> bytes:
    """A span is missing."""
    begin, end = _span(data, rng)
    return data[:begin] + data[end:]


def insert(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes were put in, at the end too."""
    place = (0, len(data), int(rng.integers(len(data))))[rng.integers(3)]
    return data[:place] + rng.bytes(int(rng.integers(1, 100))) + data[place:]


def move(data: bytes, rng: np.random.Generator) -> bytes:
    """Two neighbouring spans changed places."""
    a, b, c = sorted(rng.integers(len(data) + 1, size=3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def directory(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes of the archive's directory, at its end, are others: names, sizes, places."""
    begin = data.rindex(b"PK\x01\x02")
    changed = bytearray(data)
    for place in rng.integers(begin, len(data), size=rng.integers(1, 5)):
        changed[place] = int(rng.integers(256))
    return bytes(changed)


def rearranged(data: bytes, rng: np.random.Generator) -> bytes:
    """A sound archive whose entries are others: missing, renamed, doubled, compressed, changed."""
    entries = _entries(data)
    name = str(rng.choice(list(entries)))
    kind = int(rng.integers(7))
    body = bytearray(entries.pop(name))
    compression = zipfile.ZIP_DEFLATED if kind == 1 else zipfile.ZIP_STORED
    if kind == 2:
        name = str(
            rng.choice(["../../x.npy", "/etc/x.npy", "x", "policy\0.npy", "a" * 9000 + ".npy"])
        )
    if kind == 3:
        body[int(rng.integers(len(body)))] ^= 255
    if kind == 4:
        body = bytearray(_pickled())
    if kind == 5:
        entries["extra.npy"] = bytes(body)
    if kind == 6:
        body = body + body
    if kind:
        entries[name] = bytes(body)
    return _archive(entries, compression)


def forged(data: bytes, rng: np.random.Generator) -> bytes:
    """An entry of the header is another, and all checksums fit it."""
    entries = _entries(data)
    header = json.loads(_body(entries["header.npy"]))
    inner: Any = header
    while True:
        key = rng.choice(list(inner)) if isinstance(inner, dict) else int(rng.integers(len(inner)))
        if not isinstance(inner[key], dict | list) or not inner[key] or rng.random() < 0.2:
            break
        inner = inner[key]
    inner[key] = HOSTILE[int(rng.integers(len(HOSTILE)))]
    text = json.dumps(header).encode()
    entries["header.npy"] = _npy(np.frombuffer(text, np.uint8))
    entries["checksum.npy"] = _npy(np.frombuffer(hashlib.sha256(text).digest(), np.uint8))
    return _archive(entries)


DAMAGES: tuple[Damage, ...] = (
    *(flip, overwrite, cut, remove, insert, move, directory, rearranged, forged),
)


def outcome(original: bytes, damaged: bytes, damage: Damage) -> str:
    """`refused`, `unchanged`, or `acts` of a forged file; anything else is an AssertionError."""
    try:
        header, arrays = decode(damaged)
        skills = Skills(header, arrays)
    except SkillFileError as error:
        assert str(error)
        return "refused"
    if damage is forged:
        goal = np.random.default_rng(0)
        action = skills.act(np.zeros(skills.observation_size), 0, goal)
        assert np.isfinite(action).all() and skills.info and repr(skills)
        return "acts"
    expected_header, expected = decode(original)
    assert header == expected_header, f"{damage.__name__}: another header"
    assert set(arrays) == set(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(arrays[name], array, err_msg=damage.__name__)
    return "unchanged"


def fuzz(original: bytes, files: int, seed: int = 0) -> Counter[tuple[str, str]]:
    """How often each kind of damage had which outcome."""
    rng = np.random.default_rng(seed)
    found: Counter[tuple[str, str]] = Counter()
    for number in range(files):
        damage = DAMAGES[number % len(DAMAGES)]
        damaged = damage(original, rng)
        try:
            found[damage.__name__, outcome(original, damaged, damage)] += 1
        except Exception as error:
            raise AssertionError(
                f"file {number} ({damage.__name__}, seed {seed}): {type(error).__name__}: {error}"
            ) from error
    return found


def _span(data: bytes, rng: np.random.Generator) -> tuple[int, int]:
    begin = int(rng.integers(len(data)))
    return begin, min(len(data), begin + int(rng.geometric(0.01)))


def _entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(entries: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, body in entries.items():
            archive.writestr(name, body)
    return data.getvalue()


def _npy(array: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


def _body(entry: bytes) -> bytes:
    return entry[10 + int.from_bytes(entry[8:10], "little") :]


def _pickled() -> bytes:
    """An array whose unpickling would raise, and cannot be told from worse."""
    data = io.BytesIO()
    np.save(data, np.array([Unpicklable()], object), allow_pickle=True)
    return data.getvalue()


class Unpicklable:
    """Ends whoever unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return SystemExit, ("a file was unpickled",)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    found = fuzz(words.file.read_bytes(), words.files, words.seed)
    for (damage, result), count in sorted(found.items()):
        print(f"{damage:12}{result:12}{count:8}")
    print(f"{sum(found.values())} files, no other error and no other result")


if __name__ == "__main__":
    main()
