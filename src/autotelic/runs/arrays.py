"""Named arrays in one npz file, without pickle: opening a stranger's file executes nothing."""

import io
import math
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.lib import format as npy

from autotelic._documents import DamagedFile, read_bytes
from autotelic.runs import atomic
from autotelic.runs.atomic import Stream, Written

KINDS = "biufc"
"""Of numbers and booleans, by NumPy's letters."""


def check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse what cannot come back bit for bit: anything but named numbers and booleans."""
    for name, array in arrays.items():
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError(f"an array's name must be a non-empty text without NUL, got {name!r}")
        if not isinstance(array, np.ndarray | np.generic):
            kind = type(array).__name__
            raise TypeError(f"{name!r} must be a NumPy array, got {kind}; use numpy.asarray")
        if array.dtype.kind not in KINDS or array.dtype.isbuiltin == 2:
            raise TypeError(
                f"{name!r} has dtype {array.dtype}, which an npz file cannot hold without pickle; "
                f"convert it to one of NumPy's numbers or booleans"
            )


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], *, compressed: bool = False
) -> Written:
    """Write the arrays atomically as an npz; names such as `.params[0]` come back."""
    check_arrays(arrays)

    # numpy.savez seeks back to patch each entry, which no running checksum survives, and takes
    # names as keyword arguments, two of which (file, allow_pickle) it keeps for itself.
    def fill(stream: Stream) -> None:
        with zipfile.ZipFile(cast(IO[bytes], stream), "w") as archive:
            for name, array in arrays.items():
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
                with archive.open(entry, "w", force_zip64=True) as member:
                    npy.write_array(member, np.asarray(array), allow_pickle=False)

    return atomic.write(path, fill)


def read_arrays(path: Path, *, unpacked: int | None = None) -> dict[str, np.ndarray]:
    """The arrays of an npz file; DamagedFile names one that is missing or cannot be read.

    unpacked: bytes that a compressed one may hold; None for files that are not compressed.
    """
    return decode_arrays(path, read_bytes(path, sys.maxsize), unpacked=unpacked)


def decode_arrays(path: Path, data: bytes, *, unpacked: int | None = None) -> dict[str, np.ndarray]:
    """The arrays in the bytes of an npz file; `path` names it in a refusal."""
    packings = {zipfile.ZIP_STORED} | ({zipfile.ZIP_DEFLATED} if unpacked is not None else set())
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if any(entry.compress_type not in packings for entry in entries):
                raise ValueError("it is compressed in another way")
            largest = len(data) if unpacked is None else unpacked
            if sum(entry.file_size for entry in entries) > largest:
                raise ValueError("it says to hold more than it has")
            if len({entry.filename for entry in entries}) < len(entries):
                raise ValueError("it holds two arrays of one name")
            found = {entry.filename: archive.read(entry) for entry in entries}
        return {
            name.removesuffix(".npy"): decode_array(path, entry) for name, entry in found.items()
        }
    except DamagedFile:
        raise
    except Exception as error:  # damaged bytes let `zipfile` raise errors of many kinds
        raise DamagedFile(path, f"it is no readable npz file ({str(error)[:100]})") from error


def decode_array(path: Path, data: bytes) -> np.ndarray:
    """The array in the bytes of an npy file: no longer than they are, and without pickle."""
    file = io.BytesIO(data)
    try:
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, _, dtype = read_header[npy.read_magic(file)](file)
        if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != len(data) - file.tell():
            raise ValueError(f"{dtype}{list(shape)} is not what follows")
        file.seek(0)
        return npy.read_array(file, allow_pickle=False)
    except Exception as error:  # as of an archive
        raise DamagedFile(path, f"it holds no readable array ({str(error)[:100]})") from error
