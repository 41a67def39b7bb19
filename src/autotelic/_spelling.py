"""Things as words of the shell: a value, `name=value,...`, and the import path of what is the user's own."""

import ast
import dataclasses
import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from autotelic import _names, _validate
from autotelic._modules import modules_here

Part = TypeVar("Part")


def value_of(word: str) -> Any:
    """The value that a word of the shell spells: a number, true, false, none, or the word."""
    if word.lower() in ("true", "false", "none"):
        word = word.capitalize()
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


def is_own(spelling: str) -> bool:
    """Whether a spelling is the import path of something of the user's own: its name has a dot.

    >>> is_own("my_module.MyAgent:rate=1"), is_own("dp:temperature=0.3")
    (True, False)
    """
    return "." in spelling.partition(":")[0]


def split(word: str, spelling: str) -> tuple[str, dict[str, Any]]:
    """`name:a=1,b=x` as a name and its options; `word` says of what, for refusals."""
    name, colon, text = spelling.partition(":")
    options: dict[str, Any] = {}
    for part in text.split(",") if colon else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not (option and equals and value):
            raise ValueError(
                f"{word} {spelling!r}: options read name=value, separated by commas; got {part!r}"
            )
        if option in options:
            raise ValueError(f"{word} {spelling!r} gives the option {option!r} twice")
        options[option] = value_of(value)
    return name, options


def make(factory: Callable[..., Any], options: dict[str, Any], name: str) -> Any:
    """The factory called with the options."""
    _check_options(factory, options, name)
    return factory(**options)


def _check_options(factory: Any, options: dict[str, Any], name: str) -> None:
    """Refuse an option that a dataclass does not have, with the valid ones and the nearest."""
    if not dataclasses.is_dataclass(factory):
        return
    fields = [field.name for field in dataclasses.fields(factory)]
    for option in options:
        if not fields:
            raise ValueError(f"{name} has no options, got {option!r}")
        _validate.choice(f"option of {name}", option, fields)


def imported(word: str, path: str, known: Iterable[str]) -> Any:
    """The attribute at a dotted path; modules in the current folder can be imported.

    word: what it is to be, for refusals; known: the names that could be meant instead.
    """
    module_name, _, attribute = path.rpartition(".")
    if not module_name or path.startswith("."):
        raise ValueError(_validate.unknown(word, path, known))
    if module_name.partition(".")[0] in sys.stdlib_module_names:
        raise ValueError(
            f"{word} {path!r} is in Python's standard library, which has no {word}; choose from "
            f"{', '.join(known)}, or name your own"
        )
    _names.check_allowed(path)
    try:
        with modules_here():
            module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{word} {path!r}: {error}. A name with a dot is the import path of your own {word}; "
            f"otherwise choose from {', '.join(known)}"
        ) from error
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if not name.startswith("_")]
        raise ValueError(_validate.unknown(f"name in {module_name}", attribute, names))
    return getattr(module, attribute)


def own(word: str, spelling: str, kind: type[Part], known: Iterable[str]) -> Part:
    """What the import path of something of the user's own stands for.

    An instance of `kind`, or a class of that kind, which the options are given to. Nothing else is
    called, so that a word which was copied from a file can start no function.
    """
    name, options = split(word, spelling)
    wanted = f"a{'n' * (kind.__name__[0] in 'AEIOU')} {kind.__name__}"
    found = imported(word, name, known)
    if isinstance(found, kind):
        if options:
            raise ValueError(f"{word} {spelling!r}: {name} is already made; options go to a class")
        return found
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise TypeError(
            f"{word} {spelling!r}: {name} must be {wanted} or a class of one, got {found!r}"
        )
    return make(found, options, name)
