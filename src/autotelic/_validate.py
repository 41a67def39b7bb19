"""Small named checks, one rule each: a bad value is refused by name, with what was found."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Whether the value counts as an integer: Python's and NumPy's, but not a bool."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and np.ndim(value) == 0


LARGEST = 2**31 - 1
"""What can be counted: compiled programs count in 32 bits."""


def integer(name: str, value: Any, *, minimum: int, maximum: int = LARGEST) -> None:
    """Refuse anything but an integer from `minimum` to `maximum`."""
    _at_least(name, value, minimum)
    if value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {_short(value)}")


def seed(name: str, value: Any) -> None:
    """Refuse anything but an integer of at least 0; a seed may have any number of digits."""
    _at_least(name, value, 0)


def _at_least(name: str, value: Any, minimum: int) -> None:
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r} ({type(value).__name__})")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {_short(value)}")


def _short(value: Any) -> str:
    """An integer, whatever its length: Python refuses to write out thousands of digits."""
    size = int(value).bit_length()
    return str(value) if size <= 256 else f"an integer of {size} bits"


def number(
    name: str,
    value: Any,
    *,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    above: float | None = None,
) -> None:
    """Refuse anything but a finite number in [minimum, maximum], above `above` if given."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__") or np.ndim(value):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")
    if above is not None and value <= above:
        raise ValueError(f"{name} must be greater than {above:g}, got {value:g}")
    if not minimum <= value <= maximum:
        low = f"[{minimum:g}" if above is None else f"({above:g}"
        raise ValueError(f"{name} must lie in {low}, {maximum:g}], got {value:g}")


def boolean(name: str, value: Any) -> None:
    """Refuse anything but True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r} ({type(value).__name__})")


def choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a word that is not among the choices; name them, and the nearest."""
    choices = list(choices)
    if value not in choices:
        raise ValueError(unknown(name, value, choices))


def unknown(name: str, value: Any, choices: Iterable[str]) -> str:
    """The sentence for an unknown word: the valid ones and the nearest match."""
    choices = list(choices)
    near = get_close_matches(str(value), choices, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    valid = f"choose from {', '.join(choices)}" if choices else "there is none to choose from"
    return f"unknown {name} {value!r}; {valid}.{hint}"
