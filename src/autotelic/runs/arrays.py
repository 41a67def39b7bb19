"""Named arrays in one npz file, without pickle: opening a stranger's file executes nothing."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.lib import format as npy

from autotelic.runs import atomic
from autotelic.runs.atomic import DamagedFile, Stream, Written


def check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse what cannot come back bit for bit: anything but named numbers and booleans."""
    for name, array in arrays.items():
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError(f"an array's name must be a non-empty text without NUL, got {name!r}")
        if not isinstance(array, np.ndarray | np.generic):
            kind = type(array).__name__
            raise TypeError(f"{name!r} must be a NumPy array, got {kind}; use numpy.asarray")
        if array.dtype.kind not in "biufc" or array.dtype.isbuiltin == 2:
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


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an npz file; DamagedFile names one that is missing or cannot be read."""
    try:
        return decode_arrays(path.read_bytes())
    except FileNotFoundError:
        raise DamagedFile(path, "is missing") from None
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError) as error:
        raise DamagedFile(path, f"is not a readable npz file: {error}") from error


def decode_arrays(data: bytes) -> dict[str, np.ndarray]:
    """The arrays in the bytes of an npz file."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as member:
                arrays[entry.removesuffix(".npy")] = npy.read_array(member, allow_pickle=False)
    return arrays
