"""Selectors as words: the shell's `dp:temperature=0.3`, a label for a figure, a description for a
file.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from autotelic import _validate
from autotelic._spelling import is_own, make, own, split
from autotelic.selectors import catalogue
from autotelic.selectors.base import GoalSelector
from autotelic.selectors.composition import ComposedSelector
from autotelic.selectors.state import settings_of, spelled


def _catalogue() -> dict[str, type[GoalSelector]]:
    """The selectors of all files in the catalogue, by the names that their classes declare."""
    found: dict[str, type[GoalSelector]] = {}
    for module in pkgutil.iter_modules(catalogue.__path__, f"{catalogue.__name__}."):
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, ComposedSelector) and kind.shell_name:
                found[kind.shell_name] = kind
    return found


_FIRST = ("diayn", "dp", "vic", "learned-prior", "round-robin")
_FOUND = _catalogue()
NAMES = {name: _FOUND[name] for name in _FIRST} | _FOUND
"""The shell's names: the paper's methods first."""
ALIASES: dict[str, type[GoalSelector]] = {"uniform": catalogue.Uniform}


Defaults = Mapping[str, Mapping[str, Any]]
"""By the shell's names: options that a selector has where none are given, in place of its own."""


def parse_method(spelling: str, defaults: Defaults | None = None) -> tuple[str, GoalSelector]:
    """A label and a selector from the shell's spelling.

    `name`, or `name:option=value,option=value`. A name with a dot is the import path of a selector
    of your own: an instance, or a class or function that makes one, which the options are given to.

    >>> parse_method("dp:temperature=0.3,offset=900,smoothing=100")[1].temperature
    0.3
    """
    spelling = spelling.strip()
    if is_own(spelling):
        return spelling, own("method", spelling, GoalSelector, NAMES)
    name, options = split("method", spelling)
    names = NAMES | ALIASES
    if name not in names:
        raise ValueError(_validate.unknown("method", name, names))
    return spelling, make(names[name], {**(defaults or {}).get(name, {}), **options}, name)


def _catalogue_name(selector: GoalSelector) -> str | None:
    return next((name for name, kind in NAMES.items() if type(selector) is kind), None)


def label(selector: GoalSelector, defaults: Defaults | None = None) -> str:
    """A short readable name: the shell's spelling with the options that differ from the defaults.

    >>> label(catalogue.DiversityProgress(temperature=0.3))
    'dp:temperature=0.3'
    """
    name = _catalogue_name(selector)
    if name is None:
        return type(selector).__name__
    default = settings_of(type(selector)(**(defaults or {}).get(name, {})))
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
    return make(NAMES[name], settings, name)
