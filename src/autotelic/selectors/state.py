"""A selector's state as JSON and back, exactly. Reading runs no code and imports nothing that the
file names.
"""

import dataclasses
import math
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from autotelic import _validate
from autotelic._documents import Count, Within, fit, shown
from autotelic.selectors.base import GoalSelector

FORMAT = 1
_KINDS = "biuf"  # array dtypes that may be written: booleans, integers, floats
_DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
]
DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""What reading a state fails with when somebody changed it."""
_SAVED: Any = {
    "format": int,
    "selector": {"class": str, "version": int, "settings": dict[str, Any]},
    "num_goals": Annotated[int, Within(1)],
    "state": Any,
}
MANY = 100
"""Arrays in a tuple that are written as one."""
LARGEST_SEEN = 1e100
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
        return _encoded_rows(value) or [encode(item) for item in value]
    raise TypeError(
        "a selector's state may hold numbers, words, arrays and tuples of those, "
        f"got {type(value).__name__}"
    )


def _encoded_rows(items: tuple[Any, ...]) -> dict[str, Any] | None:
    """A plain tuple of many arrays that differ in their length alone, as one array with the lengths: one by
    one a hundred thousand would take seconds. None if it is something else.
    """
    if type(items) is not tuple or len(items) < MANY:
        return None
    kinds = {isinstance(x, np.ndarray) and (x.dtype, x.ndim, x.shape[1:]) for x in items}
    if len(kinds) > 1 or kinds == {False} or not items[0].ndim:
        return None
    return {"lengths": [len(item) for item in items], "rows": encode(np.concatenate(items))}


def decode(data: Any, like: Any, name: str = "state") -> Any:
    """The state behind encoded data; `like` is a fresh state of the same selector, whose kinds, named tuples
    and lengths it must have. What is empty or None in that may have grown since.
    """
    if isinstance(like, np.ndarray):
        return _decode_array(data, like, name)
    if isinstance(like, tuple):
        return _decode_tuple(data, like, name)
    if isinstance(data, dict) and data.keys() == {"float"}:
        data = _floats([data["float"]], name)[0]
    elif isinstance(data, dict):
        data = _decode_array(data, None, name)
    elif isinstance(data, list):
        data = _decode_tuple(data, (), name)
    kinds = (int, float) if type(like) in (int, float) else type(like)
    if like is not None and (
        not isinstance(data, kinds) or isinstance(data, bool) != isinstance(like, bool)
    ):
        raise ValueError(f"{name} must be of the kind {type(like).__name__}, got {shown(data)}")
    wild = isinstance(like, int | float) and math.isfinite(like) and not math.isfinite(data)
    if wild or (data != data and like == like):
        raise ValueError(f"{name} must be a finite number, got {data}")
    return data


def _decode_rows(data: Any, like: tuple[Any, ...], name: str) -> tuple[np.ndarray, ...]:
    """What `_encoded_rows` made of a tuple of arrays, each of which may have grown from none."""
    fields = fit(data, {"lengths": list[Annotated[int, Within(0)]], "rows": Any}, name)
    lengths = fields["lengths"]
    if not all(isinstance(item, np.ndarray) for item in like):
        raise ValueError(f"{name} must be a list of {len(like)}, got an object")
    known = [len(item) for item in like]
    alike = like[0][:0] if 0 in known else np.concatenate(like)
    rows = _decode_array(fields["rows"], alike, f"{name}.rows")
    wrong = len(lengths) != len(like) or sum(lengths) != len(rows)
    if wrong or any(a != b and b for a, b in zip(lengths, known, strict=True)):
        raise ValueError(
            f"{name} must be of {len(like)} arrays with {len(rows)} rows together, got {len(lengths)} "
            f"lengths that sum to {sum(lengths)}"
        )
    ends = np.cumsum(lengths).tolist()
    return tuple(rows[a:b].copy() for a, b in zip([0, *ends], ends, strict=False))


def _decode_tuple(data: Any, like: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    if isinstance(data, dict) and like and type(like) is tuple:
        return _decode_rows(data, like, name)
    if not isinstance(data, list) or len(data) != len(like or data):
        kind = f"{type(like).__name__} of {len(like)} fields"
        found = f"a list of {len(data)}" if isinstance(data, list) else shown(data)
        raise ValueError(f"{name} must be a {kind}, got {found}")
    names = getattr(like, "_fields", range(len(data)))
    items = [
        decode(item, like[at] if like else None, f"{name}.{names[at]}")
        for at, item in enumerate(data)
    ]
    kinds = getattr(type(like), "__annotations__", {})
    for field, item in zip(names, items, strict=True):
        if kinds.get(field) is Count:
            fit(item, Count, f"{name}.{field}")
    return type(like)(*items) if hasattr(like, "_fields") else tuple(items)


def _decode_array(data: Any, like: np.ndarray | None, name: str) -> np.ndarray:
    fields = fit(data, {"dtype": str, "shape": list[int], "data": list[Any]}, name)
    dtypes = (
        {kind: np.dtype(kind) for kind in _DTYPES}
        if like is None
        else {like.dtype.name: like.dtype}
    )
    if fields["dtype"] not in dtypes:
        raise ValueError(
            f"{name}.dtype must be {' or '.join(dtypes)}, got {shown(fields['dtype'])}"
        )
    dtype, shape, flat = dtypes[fields["dtype"]], fields["shape"], fields["data"]
    if like is not None and (
        len(shape) != like.ndim
        or any(b not in (a, 0) for a, b in zip(shape, like.shape, strict=True))
    ):
        raise ValueError(f"{name}.shape must be {list(like.shape)}, got {shape}")
    if min(shape, default=0) < 0 or math.prod(shape) != len(flat):
        raise ValueError(f"{name} has {len(flat)} numbers, and its shape is {shape}")
    if dtype.kind == "f":
        flat = _floats(flat, name)
    elif not set(map(type, flat)) <= {bool if dtype.kind == "b" else int}:
        raise ValueError(f"{name}.data must be of {dtype.name} alone")
    array = np.array(flat, dtype).reshape(shape)
    if dtype.kind == "f" and like is not None:
        wrong = np.isnan(array) & ~np.isnan(like).any()
        # What is remembered, by a signal or in an array that has grown, was seen; it is squared and summed.
        if (name.startswith("state.signal") or not like.size) and not np.isinf(like).any():
            wrong |= np.abs(array) >= LARGEST_SEEN
        if wrong.any():
            raise ValueError(f"{name} must be of numbers, and holds {array[wrong][0]}")
    return array


def _floats(values: list[Any], name: str) -> list[float]:
    wrong = [
        v
        for v in values
        if type(v) not in (int, float) and (type(v) is not str or v not in _SPECIAL)
    ]
    if wrong:
        raise ValueError(f"{name} must be of numbers, got {shown(wrong[0])}")
    return [_SPECIAL[value] if isinstance(value, str) else float(value) for value in values]


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
        "num_goals": len(selector.values(state)),
        "state": encode(state),
    }


def _check_identity(selector: GoalSelector, saved: Any) -> None:
    """Refuse the state of another selector, version or setting; say what differs."""
    own = identity(selector)
    saved = {**saved, "class": _without_file(saved["class"])}  # as older states have it
    for key, word in (
        ("class", "another selector"),
        ("version", "another version of the selector"),
    ):
        if saved[key] != own[key]:
            raise ValueError(
                f"the saved state is of {word}: {key} {shown(saved[key])} where {own[key]!r} is expected"
            )
    names = sorted(saved["settings"].keys() | own["settings"].keys())
    different = [
        f"{shown(name)[1:-1]}={shown(saved['settings'].get(name))} (here {own['settings'].get(name)!r})"
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
    try:
        data = fit(data, _SAVED)
    except ValueError as error:
        raise ValueError(f"not a saved selector state: {error}") from None
    if data["format"] != FORMAT:
        raise ValueError(
            f"the saved state has the format {data['format']!r}; this version reads format {FORMAT}"
        )
    _check_identity(selector, data["selector"])
    saved = data["num_goals"]
    if num_goals is not None and saved != num_goals:
        raise ValueError(f"the saved curriculum has {saved} goals, this one {num_goals}")
    try:
        state = decode(data["state"], selector.init(saved))
        with np.errstate(all="ignore"):
            found = {
                "prior": selector.prior(state),
                "selection": selector.selection_probabilities(state),
                "values": selector.values(state),
            }
    except DAMAGE as error:
        raise ValueError(f"the saved state is damaged: {error}") from error
    for name, values in found.items():
        if np.shape(values) != (saved,):
            raise ValueError(
                f"the saved state is damaged: its {name} has the shape {np.shape(values)}"
            )
        if name != "values" and not (np.all(values >= 0) and abs(np.sum(values) - 1) < 1e-6):
            raise ValueError(f"the saved state is damaged: its {name} is {values}")
    return state
