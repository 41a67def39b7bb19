"""Selectors as words: the shell's `dp:temperature=0.3`, a label for a figure, a description for a
file.
"""

import ast
import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

from autotelic import _validate
from autotelic._modules import modules_here
from autotelic.selectors import catalogue, literature
from autotelic.selectors.base import GoalSelector
from autotelic.selectors.state import settings_of, spelled

NAMES: dict[str, type[GoalSelector]] = {
    "diayn": catalogue.Uniform,
    "dp": catalogue.DiversityProgress,
    "vic": catalogue.VariationalControl,
    "learned-prior": catalogue.LearnedPrior,
    "round-robin": catalogue.RoundRobin,
    "curious": literature.Curious,
    "competence-progress": literature.CompetenceProgress,
    "alp": literature.AbsoluteLearningProgress,
    "teacher-student": literature.TeacherStudent,
    "exp3s": literature.Exp3S,
    "learnability": literature.Learnability,
    "remaining-error": catalogue.RemainingError,
}
ALIASES: dict[str, type[GoalSelector]] = {"uniform": catalogue.Uniform}


def value_of(word: str) -> Any:
    """The value that a word of the shell spells: a number, true, false, none, or the word."""
    if word.lower() in ("true", "false", "none"):
        word = word.capitalize()
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


def _options(text: str, spelling: str) -> dict[str, Any]:
    """`a=1,b=x` as a dict."""
    options: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, word = (piece.strip() for piece in part.partition("="))
        if not (name and equals and word):
            raise ValueError(
                f"method {spelling!r}: options read name=value, separated by commas; got {part!r}"
            )
        if name in options:
            raise ValueError(f"method {spelling!r} gives the option {name!r} twice")
        options[name] = value_of(word)
    return options


def _check_options(factory: Any, options: dict[str, Any], name: str) -> None:
    """Refuse an option that a dataclass does not have, with the valid ones and the nearest."""
    if not dataclasses.is_dataclass(factory):
        return
    fields = [field.name for field in dataclasses.fields(factory)]
    for option in options:
        if not fields:
            raise ValueError(f"{name} has no options, got {option!r}")
        _validate.choice(f"option of {name}", option, fields)


def _make(factory: Callable[..., Any], options: dict[str, Any], name: str) -> Any:
    """The factory called with the options."""
    _check_options(factory, options, name)
    return factory(**options)


def _import(path: str) -> Any:
    """The attribute at a dotted path; modules in the current directory can be imported."""
    module_name, _, attribute = path.rpartition(".")
    if not module_name or path.startswith("."):
        raise ValueError(_validate.unknown("method", path, NAMES))
    try:
        with modules_here():
            module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"method {path!r}: {error}. A name with a dot is the import path of your own selector; "
            f"otherwise choose from {', '.join(NAMES)}"
        ) from error
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if not name.startswith("_")]
        raise ValueError(_validate.unknown(f"name in {module_name}", attribute, names))
    return getattr(module, attribute)


def parse_method(spelling: str) -> tuple[str, GoalSelector]:
    """A label and a selector from the shell's spelling.

    `name`, or `name:option=value,option=value`. A name with a dot is the import path of a selector
    of your own: an instance, or a class or function that makes one, which the options are given to.

    >>> parse_method("dp:temperature=0.3,offset=900,smoothing=100")[1].temperature
    0.3
    """
    spelling = spelling.strip()
    name, colon, text = spelling.partition(":")
    options = _options(text, spelling) if colon else {}
    if "." not in name:
        names = NAMES | ALIASES
        if name not in names:
            raise ValueError(_validate.unknown("method", name, names))
        return spelling, _make(names[name], options, name)
    found = _import(name)
    if isinstance(found, GoalSelector):
        if options:
            raise ValueError(
                f"method {spelling!r}: {name} is a selector already made; options go to a class"
            )
        return spelling, found
    if not callable(found):
        raise TypeError(
            f"method {spelling!r}: {name} must be a GoalSelector or make one, got {found!r}"
        )
    selector = _make(found, options, name)
    if not isinstance(selector, GoalSelector):
        raise TypeError(f"method {spelling!r}: {name} must make a GoalSelector, got {selector!r}")
    return spelling, selector


def _catalogue_name(selector: GoalSelector) -> str | None:
    return next((name for name, kind in NAMES.items() if type(selector) is kind), None)


def label(selector: GoalSelector) -> str:
    """A short readable name: the shell's spelling with the options that differ from the defaults.

    >>> label(catalogue.DiversityProgress(temperature=0.3))
    'dp:temperature=0.3'
    """
    name = _catalogue_name(selector)
    if name is None:
        return type(selector).__name__
    default = settings_of(type(selector)())
    changed = [
        f"{key}={value}" for key, value in settings_of(selector).items() if value != default[key]
    ]
    return name + (":" + ",".join(changed) if changed else "")


def describe(selector: GoalSelector) -> dict[str, Any]:
    """A JSON-able description: the name and all settings of a selector of the catalogue, the repr
    of any other.
    """
    name = _catalogue_name(selector)
    if name is None:
        kind = type(selector)
        return {
            "name": None,
            "class": f"{kind.__module__}.{kind.__qualname__}",
            "repr": spelled(selector),
        }
    return {"name": name, "settings": settings_of(selector)}


def from_description(description: dict[str, Any]) -> GoalSelector:
    """The selector that `describe` described. Never imports or runs what a file names: only our own
    can be rebuilt.
    """
    if not isinstance(description, dict) or "name" not in description:
        raise ValueError(f"not the description of a selector: {description!r}")
    name = description["name"]
    if name is None:
        raise ValueError(
            f"{description.get('class')} is not in the catalogue, and a file cannot rebuild it; "
            f"pass the selector itself again, made as {description.get('repr')}"
        )
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(_validate.unknown("selector", name, NAMES))
    settings = description.get("settings")
    if not isinstance(settings, dict):
        raise ValueError(f"the settings of the selector {name} must be a dict, got {settings!r}")
    return _make(NAMES[name], settings, name)
