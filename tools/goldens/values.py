"""What is kept of a value, and how two of them differ.

An array becomes [hash, size, turn]: the first digits of a SHA-256 of its bytes; the mean of its magnitudes;
and its mean with weights that differ from entry to entry, so that sign and order count. A text longer than
a line becomes a hash. Everything else is kept as it is.
"""

import hashlib
import json
from contextlib import suppress
from typing import Any

import numpy as np

TOLERANCE = 1e-4
"""How far `size` and `turn` may be off, as a share of `size`, on another machine."""
DIGITS = 8
SHORT = 60
"""Characters of a value that is kept as it is."""
ABSENT = "not there"
"""Stands for a value that only one of two goldens has."""
LIST = 8
"""Numbers in a list that is kept as it is; of a longer one the array is."""


def kept(value: Any) -> Any:
    """The value as JSON holds it."""
    if isinstance(value, list) and len(value) > LIST:
        with suppress(TypeError, ValueError):  # of words, or of lists that differ in length
            value = np.array(value, float)
    if isinstance(value, np.generic | np.ndarray):
        return _array(np.asarray(value))
    text = json.dumps(value, sort_keys=True)
    return value if len(text) <= SHORT else f"#{_hash(text.encode())}"


def _array(array: np.ndarray) -> list[Any]:
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)  # there is one NaN
    head = f"{array.dtype.str}{list(array.shape)}".encode()
    flat = np.nan_to_num(array.astype(float).ravel(), posinf=1e30, neginf=-1e30)
    weights = np.cos(np.arange(flat.size))
    count = max(flat.size, 1)
    size, turn = np.abs(flat).sum() / count, (flat * weights).sum() / count
    return [_hash(head + np.ascontiguousarray(array).tobytes()), _short(size), _short(turn)]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def _short(number: float) -> float:
    return float(f"{number:.6g}")


def difference(golden: Any, found: Any) -> tuple[bool, str] | None:
    """Whether the numbers differ too, or the bits alone, and a few words on it; None for no difference."""
    if golden == found:
        return None
    if not (_is_array(golden) and _is_array(found)):
        return True, f"was {_told(golden)}, is {_told(found)}"
    size = max(abs(golden[1]), abs(found[1]))
    off = max(abs(golden[at] - found[at]) for at in (1, 2)) / size if size else 0.0
    if off > TOLERANCE:
        return True, f"bits and numbers differ, by {off:.1g} of their size"
    return False, f"bits differ, numbers hold (to {off:.0e} of their size)"


def _is_array(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)


def _told(value: Any) -> str:
    return value if value == ABSENT else json.dumps(value)
