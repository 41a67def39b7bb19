"""The container of a skill file: named arrays and a header in one npz archive, read as plain bytes.

Nothing in a file is evaluated, unpickled or unpacked: entries are stored as they are, array headers are
matched against the one form that is written here, and the rest is JSON. Checksums find damage. They are
no signature: whoever makes a file makes its checksums too.

    header.npy     uint8, JSON: what the skills are, and the shape and SHA-256 of every array
    checksum.npy   uint8 [32], the SHA-256 of the header
    NAME.npy       float32, finite
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib import format as npy

from autotelic._documents import FileError, parse, shown

FORMAT, VERSION = "autotelic skills", 1
LARGEST_FILE = 2**30
MOST_ARRAYS = 2000
HEADER, CHECKSUM = "header", "checksum"
ENTRY = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\.npy")
ARRAY = re.compile(
    rb"\{'descr': '(<f4|\|u1)', 'fortran_order': False, "
    rb"'shape': \(((?:[0-9]{1,12}(?:, [0-9]{1,12}){0,3},?)?)\), \} *\n"
)
"""The header of an array, as NumPy writes it for the two types that a file holds."""


class SkillFileError(FileError):
    """A file that cannot be used as skills: damaged, of another version, or something else."""

    def __init__(self, problem: str, path: Any = None):
        ValueError.__init__(self, problem if path is None else f"{path}: {problem}")


def encode(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of a skill file; the same for the same skills.

    Args:
        header: what the skills are, as JSON values; format, version and arrays are added to it.
        arrays: float32 by name.
    """
    listed = {
        name: {"shape": list(array.shape), "sha256": _digest(array).hex()}
        for name, array in arrays.items()
    }
    whole = {"format": FORMAT, "version": VERSION, **header, "arrays": listed}
    text = json.dumps(whole, indent=1, allow_nan=False).encode()
    own = {
        HEADER: np.frombuffer(text, np.uint8),
        CHECKSUM: np.frombuffer(hashlib.sha256(text).digest(), np.uint8),
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, array in {**own, **arrays}.items():
            entry = io.BytesIO()
            npy.write_array(entry, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue())
    return data.getvalue()


def decode(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays that `encode` wrote, or a SkillFileError that says what is wrong."""
    entries = _entries(data)
    if HEADER not in entries or CHECKSUM not in entries:
        raise SkillFileError(
            f"it is no skill file: it has no {HEADER} and {CHECKSUM}; make one of a run with "
            "`autotelic export RUN --out FILE`"
        )
    text = _array(HEADER, entries.pop(HEADER), np.uint8).tobytes()
    if hashlib.sha256(text).digest() != _array(CHECKSUM, entries.pop(CHECKSUM), np.uint8).tobytes():
        raise SkillFileError("it is damaged: the header is not the one that was written")
    header = _header(text)
    listed = header["arrays"]
    if set(listed) != set(entries):
        raise SkillFileError(
            f"it is damaged: it holds {_names(set(entries) - set(listed))} too many, and "
            f"{_names(set(listed) - set(entries))} too few arrays"
        )
    arrays = {name: _array(name, entry, np.float32) for name, entry in entries.items()}
    for name, array in arrays.items():
        if listed[name] != {"shape": list(array.shape), "sha256": _digest(array).hex()}:
            raise SkillFileError(f"it is damaged: {name} is not the array that was written")
        if not np.isfinite(array).all():
            raise SkillFileError(f"{name} holds NaN or infinity, and no skill can act by it")
    return header, arrays


def _digest(array: np.ndarray) -> bytes:
    return hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).digest()


def _names(names: set[str]) -> str:
    return ", ".join(shown(name) for name in sorted(names)[:5]) or "none"


def _entries(data: bytes) -> dict[str, bytes]:
    """The bytes of every array by its name; sizes are looked at before anything is read."""
    if len(data) > LARGEST_FILE:
        raise SkillFileError(f"it has {len(data)} bytes, and a skill file at most {LARGEST_FILE}")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_entries(infos, len(data))
            return {info.filename.removesuffix(".npy"): archive.read(info) for info in infos}
    except SkillFileError:
        raise
    except Exception as error:  # damaged bytes let `zipfile` raise errors of many kinds
        raise SkillFileError(f"it is no npz file, or a damaged one ({str(error)[:100]})") from error


def _check_entries(infos: list[zipfile.ZipInfo], size: int) -> None:
    names = [info.filename for info in infos]
    if len(names) > MOST_ARRAYS:
        raise SkillFileError(
            f"it holds {len(names)} arrays, and a skill file at most {MOST_ARRAYS}"
        )
    if len(set(names)) < len(names):
        raise SkillFileError("it holds two arrays of one name")
    for info in infos:
        if not ENTRY.fullmatch(info.filename):
            raise SkillFileError(f"it is no skill file: {info.filename[:80]!r} is no array's name")
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise SkillFileError(
                f"{info.filename} is compressed or encrypted, and skill files never are"
            )
    declared = sum(info.file_size for info in infos)
    if declared > size:
        raise SkillFileError(f"it says to hold {declared} bytes, and has only {size}")


def _array(name: str, entry: bytes, kind: type[np.generic]) -> np.ndarray:
    """An array of the bytes of a .npy file."""
    dtype = np.dtype(kind).newbyteorder("<")
    begin = 10 + int.from_bytes(entry[8:10], "little")
    found = ARRAY.fullmatch(entry[10:begin])
    if entry[:8] != b"\x93NUMPY\x01\x00" or found is None or found[1].decode() != dtype.str:
        raise SkillFileError(f"{name} is no plain array of {np.dtype(kind)}")
    shape = [int(size) for size in found[2].split(b",") if size.strip()]
    needed = int(np.prod(np.array(shape, object), initial=1)) * dtype.itemsize
    if len(entry) - begin != needed:
        raise SkillFileError(
            f"{name} has {len(entry) - begin} bytes, and its shape {shape} needs {needed}"
        )
    return np.frombuffer(entry, dtype, offset=begin).reshape(shape).astype(kind)


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = parse(text)
    except ValueError as error:
        raise SkillFileError(f"its header cannot be read ({error})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SkillFileError(f"it is no skill file: its header has no format {FORMAT!r}")
    version, library = header.get("version"), header.get("library")
    if type(version) is not int or version != VERSION:
        raise SkillFileError(
            f"it has version {shown(version)}, and this version of autotelic reads {VERSION}; use the one "
            f"that wrote it (autotelic {shown(library)})"
        )
    if not isinstance(header.get("arrays"), dict):
        raise SkillFileError("its header lists no arrays")
    return header
