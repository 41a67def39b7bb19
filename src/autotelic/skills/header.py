"""What the header of a skill file must say: entries are looked up by path, and refused by it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autotelic.skills.file import SkillFileError, shown

LARGEST_SIZE = 10**6
"""Of anything that is counted, so that hostile headers ask for no impossible arrays."""

LARGEST_NUMBER = 1e300
"""Of a real number: a whole number of JSON may be too large for one."""


class Sizes(NamedTuple):
    """What the shapes of the arrays follow from."""

    observation: int
    action: int
    goals: int
    skill: int
    hidden: int


class Actions(NamedTuple):
    """The actions of the environment: bounds in its own units, or the number of the first of them.

    low, high: [action]; empty where actions are discrete.
    first: the number of the first discrete action.
    dtype: float32 or float64; int64 where actions are discrete.
    """

    discrete: bool
    low: tuple[float, ...]
    high: tuple[float, ...]
    first: int
    dtype: str


def sizes_of(header: Mapping[str, Any]) -> Sizes:
    """The sizes, each a whole number from 1."""
    discrete = text(header, "action.kind", ("box", "discrete")) == "discrete"
    low = () if discrete else _numbers(header, "action.low")
    action = whole(header, "action.number") if discrete else len(low)
    if not action:
        raise SkillFileError("its header's action.low is empty")
    return Sizes(
        whole(header, "observation.size"),
        action,
        whole(header, "goals.number"),
        whole(header, "goals.size"),
        whole(header, "hidden_units"),
    )


def actions_of(header: Mapping[str, Any]) -> Actions:
    """The actions, with bounds that are in order."""
    if text(header, "action.kind", ("box", "discrete")) == "discrete":
        first = whole(header, "action.first", minimum=-LARGEST_SIZE)
        return Actions(True, (), (), first, "int64")
    low, high = _numbers(header, "action.low"), _numbers(header, "action.high")
    if len(low) != len(high) or any(a > b for a, b in zip(low, high, strict=True)):
        raise SkillFileError("its header's action.low and action.high are no bounds")
    dtype = text(header, "action.dtype", ("float32", "float64"))
    return Actions(False, low, high, 0, dtype)


def at(header: Mapping[str, Any], path: str) -> Any:
    """The entry at a path such as `observation.size`."""
    value: Any = header
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            raise SkillFileError(f"its header has no {path}")
        value = value[name]
    return value


def text(header: Mapping[str, Any], path: str, choices: Sequence[str] = ()) -> str:
    """A text, one of the choices if there are any."""
    value = at(header, path)
    if not isinstance(value, str) or (choices and value not in choices):
        expected = f"one of {', '.join(choices)}" if choices else "a text"
        raise SkillFileError(f"its header's {path} must be {expected}, got {shown(value)}")
    return value


def whole(header: Mapping[str, Any], path: str, minimum: int = 1) -> int:
    """A whole number."""
    value = at(header, path)
    if type(value) is not int or not minimum <= value <= LARGEST_SIZE:
        raise SkillFileError(
            f"its header's {path} must be a whole number from {minimum} to {LARGEST_SIZE}, got "
            f"{shown(value)}"
        )
    return value


def positive(header: Mapping[str, Any], path: str) -> float:
    """A finite number above 0."""
    value = at(header, path)
    if type(value) not in (int, float) or not 0 < value < LARGEST_NUMBER:
        raise SkillFileError(f"its header's {path} must be a number above 0, got {shown(value)}")
    return float(value)


def entries(header: Mapping[str, Any], path: str, observation: int) -> tuple[int, ...] | None:
    """Indices into an observation of that size; None for all of it."""
    value = at(header, path)
    if value is None:
        return None
    if not isinstance(value, list) or not value or len(value) > LARGEST_SIZE:
        raise SkillFileError(f"its header's {path} must be a list of entries, or null")
    if any(type(one) is not int or not 0 <= one < observation for one in value):
        raise SkillFileError(f"its header's {path} must be entries of {observation}")
    return tuple(value)


def _numbers(header: Mapping[str, Any], path: str) -> tuple[float, ...]:
    value = at(header, path)
    if not isinstance(value, list) or len(value) > LARGEST_SIZE:
        raise SkillFileError(f"its header's {path} must be a list of numbers")
    for one in value:
        if type(one) not in (int, float) or not abs(one) < LARGEST_NUMBER:
            raise SkillFileError(f"its header's {path} must hold finite numbers")
    return tuple(float(one) for one in value)
