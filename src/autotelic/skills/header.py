"""What the header of a skill file must say: entries are looked up by path, and refused by it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from autotelic._documents import Within, fit
from autotelic.skills.file import SkillFileError

LARGEST_SIZE = 10**6
"""Of anything that is counted, so that hostile headers ask for no impossible arrays."""


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


def at(header: Mapping[str, Any], path: str, kind: Any = Any) -> Any:
    """The entry at a path such as `observation.size`, of a kind as in `autotelic._documents`."""
    value: Any = header
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            raise SkillFileError(f"its header has no {path}")
        value = value[name]
    try:
        return fit(value, kind, f"its header's {path}")
    except ValueError as error:
        raise SkillFileError(str(error)) from None


def text(header: Mapping[str, Any], path: str, choices: Sequence[str] = ()) -> str:
    """A text, one of the choices if there are any."""
    literal: Any = Literal
    return at(header, path, literal[tuple(choices)] if choices else str)


def whole(header: Mapping[str, Any], path: str, minimum: int = 1) -> int:
    """A whole number."""
    return at(header, path, Annotated[int, Within(minimum, LARGEST_SIZE)])


def positive(header: Mapping[str, Any], path: str) -> float:
    """A finite number above 0."""
    value = at(header, path, float)
    if value <= 0:
        raise SkillFileError(f"its header's {path} must be a number above 0, got {value}")
    return value


def entries(header: Mapping[str, Any], path: str, observation: int) -> tuple[int, ...] | None:
    """Indices into an observation of that size; None for all of it."""
    index: Any = Annotated[int, Within(0, observation - 1)]
    listed: Any = Annotated[list[index], Within(1, LARGEST_SIZE)]
    value = at(header, path, listed | None)
    return None if value is None else tuple(value)


def _numbers(header: Mapping[str, Any], path: str) -> tuple[float, ...]:
    return tuple(at(header, path, Annotated[list[float], Within(1, LARGEST_SIZE)]))
