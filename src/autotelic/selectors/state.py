"""A selector's state as JSON and back, exactly. Reading runs no code and imports nothing that the
file names.
"""

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np

from autotelic import _validate
from autotelic.selectors.base import GoalSelector

FORMAT = 1
_KINDS = "biuf"  # array dtypes that may be read: booleans, integers, floats
DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""What reading a state fails with when somebody changed it."""
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _float(value: float) -> float | str:
    """A float as JSON writes it, NaN and infinities as words: JSON has none."""
    return value if math.isfinite(value) else repr(value)


def encode(value: Any) -> Any:
    """A state (numbers, words, arrays, tuples of those) as JSON-able values."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _KINDS:
            raise TypeError(
                f"a selector's state may hold arrays of numbers, got the dtype {value.dtype}"
            )
        flat = value.ravel().tolist()
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            flat = [_float(x) for x in flat]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "data": flat}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if _validate.is_integer(value):
        return int(value)
    if isinstance(value, float | np.floating):
        return {"float": _float(float(value))}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    raise TypeError(
        "a selector's state may hold numbers, words, arrays and tuples of those, "
        f"got {type(value).__name__}"
    )


def _read_float(value: Any) -> float:
    return _SPECIAL[value] if isinstance(value, str) else float(value)


def decode(data: Any, like: Any) -> Any:
    """The state behind encoded data; named tuples become those of `like`, a state of the same
    selector.
    """
    if isinstance(data, dict) and "float" in data:
        return _read_float(data["float"])
    if isinstance(data, dict):
        dtype = np.dtype(data["dtype"])
        if dtype.kind not in _KINDS:
            raise ValueError(f"an array of the dtype {dtype} is not part of a selector's state")
        flat = [_read_float(x) for x in data["data"]] if dtype.kind == "f" else data["data"]
        return np.array(flat, dtype=dtype).reshape(data["shape"])
    if isinstance(data, list):
        named = isinstance(like, tuple) and hasattr(like, "_fields")
        if named and len(data) != len(like):
            raise ValueError(
                f"{type(like).__name__} has {len(like)} fields, the saved one {len(data)}"
            )
        if named:
            return type(like)(
                *(decode(item, field) for item, field in zip(data, like, strict=True))
            )
        matched = isinstance(like, tuple) and len(like) == len(data)
        return tuple(decode(item, like[i] if matched else None) for i, item in enumerate(data))
    return data


def spelled(value: Any, depth: int = 4) -> str:
    """`repr`, without the addresses that it has for objects of plain classes: their settings instead,
    objects within objects down to a depth.

    >>> class Plain:
    ...     def __init__(self):
    ...         self.rate = 0.5
    >>> spelled((1, 2.0)), spelled(Plain())
    ('(1, 2.0)', 'Plain(rate=0.5)')
    """
    if " at 0x" not in (text := repr(value)):
        return text
    name = getattr(value, "__qualname__", type(value).__qualname__)
    own = settings_of(value) if depth else {}  # an object may hold itself
    inner = ", ".join(f"{key}={spelled(item, depth - 1)}" for key, item in own.items())
    return f"{name}({inner})"


def settings_of(value: Any) -> dict[str, Any]:
    """The fields by which a dataclass is compared, or the attributes of an object of any other class."""
    if dataclasses.is_dataclass(value):
        compared = (field.name for field in dataclasses.fields(value) if field.compare)
        found = {name: getattr(value, name) for name in compared}
    else:
        found = {
            name: item
            for name, item in getattr(value, "__dict__", {}).items()
            if not isinstance(getattr(type(value), name, None), cached_property)
        }
    return {
        name: item.item() if isinstance(item, np.generic) else item for name, item in found.items()
    }


def identity(selector: GoalSelector) -> dict[str, Any]:
    """Which selector this is: class, version and settings; a saved state fits only an identical
    one.
    """
    kind = type(selector)
    settings = {}
    for name, value in settings_of(selector).items():
        if isinstance(value, float):
            settings[name] = _float(value)
        elif value is None or isinstance(value, bool | int | str):
            settings[name] = value
        elif isinstance(value, GoalSelector):
            settings[name] = identity(value)
        else:
            settings[name] = spelled(value)
    return {
        "class": _without_file(f"{kind.__module__}.{kind.__qualname__}"),
        "version": kind.version,
        "settings": settings,
    }


def _without_file(name: str) -> str:
    """The name of a class; of ours without the file it is in, which may be another one day.

    >>> _without_file("autotelic.selectors.catalogue.uniform.Uniform"), _without_file("mine.Own")
    ('autotelic.Uniform', 'mine.Own')
    """
    words = name.split(".")
    return f"autotelic.{words[-1]}" if words[0] == "autotelic" else name


def state_to_json(selector: GoalSelector, state: Any) -> dict[str, Any]:
    """A JSON-able dict of the state, with the identity of its selector."""
    return {
        "format": FORMAT,
        "selector": identity(selector),
        "num_goals": len(selector.prior(state)),
        "state": encode(state),
    }


def _check_identity(selector: GoalSelector, saved: Any) -> None:
    """Refuse the state of another selector, version or setting; say what differs."""
    own = identity(selector)
    if (
        not isinstance(saved, dict)
        or set(saved) != set(own)
        or not isinstance(saved["settings"], dict)
    ):
        raise ValueError(f"not a saved selector state: its selector reads {saved!r}")
    saved = {**saved, "class": _without_file(str(saved["class"]))}  # as older states have it
    for key, word in (
        ("class", "another selector"),
        ("version", "another version of the selector"),
    ):
        if saved[key] != own[key]:
            raise ValueError(
                f"the saved state is of {word}: {key} {saved[key]!r} where {own[key]!r} is expected"
            )
    names = sorted(saved["settings"].keys() | own["settings"].keys())
    different = [
        f"{name}={saved['settings'].get(name)!r} (here {own['settings'].get(name)!r})"
        for name in names
        if saved["settings"].get(name) != own["settings"].get(name)
    ]
    if different:
        raise ValueError(
            f"the saved state is of a {type(selector).__name__} with {', '.join(different)}; "
            "make the selector with the saved settings, or start anew"
        )


def state_from_json(
    selector: GoalSelector, data: dict[str, Any], num_goals: int | None = None
) -> Any:
    """The state that `state_to_json` wrote, bit for bit; refuses that of another selector, version
    or setting, and of another number of goals if that is given.
    """
    if not isinstance(data, dict) or not {"format", "selector", "num_goals", "state"} <= set(data):
        raise ValueError(
            "not a saved selector state: it needs the keys format, selector, num_goals and state"
        )
    if data["format"] != FORMAT:
        raise ValueError(
            f"the saved state has the format {data['format']!r}; this version reads format {FORMAT}"
        )
    _check_identity(selector, data["selector"])
    saved = data["num_goals"]
    _validate.integer("num_goals", saved, minimum=1)
    if num_goals is not None and saved != num_goals:
        raise ValueError(f"the saved curriculum has {saved} goals, this one {num_goals}")
    try:
        state = decode(data["state"], selector.init(saved))
        prior = selector.prior(state)
    except DAMAGE as error:
        raise ValueError(f"the saved state is damaged: {error}") from error
    if np.shape(prior) != (saved,):
        raise ValueError(f"the saved state is damaged: its prior has the shape {np.shape(prior)}")
    if not np.isfinite(prior).all():
        raise ValueError(f"the saved state is damaged: its prior is {prior}")
    return state
