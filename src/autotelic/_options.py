"""Options of agents and objectives: what the shell says of a field stands beside it."""

import dataclasses
from typing import TypeVar, cast

Value = TypeVar("Value")


def option(
    default: Value, words: str, *, choices: tuple[str, ...] = (), unset: str = "", metavar: str = ""
) -> Value:
    """A field of a frozen dataclass that the shell offers as a flag.

    Args:
        default: its value unless given.
        words: a sentence for `--help`.
        choices: the words it may be, for one that is a word.
        unset: what a default of None stands for.
        metavar: what the help shows for its value, by default N for whole numbers and X for others.
    """
    metadata = {"words": words, "choices": choices, "unset": unset, "metavar": metavar}
    return cast(Value, dataclasses.field(default=default, metadata=metadata))
