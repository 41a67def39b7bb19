"""What a sweep's file names that is not autotelic's own, and the words of `autotelic` that a run is.

Neither needs JAX, so both are known where runs are started from.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autotelic import _names
from autotelic._spelling import is_own, value_of

PARTS = ("environment", "agent", "objective")
"""Keys whose value other commands need too, where it is the user's own."""


def names_of(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The names in the values of a run that would be imported, each with its key; options are left off.

    >>> names_of({"environment": "brax::ant", "methods": ["dp", "my_module.Mine:rate=1"]})
    [('environment', 'brax::ant'), ('methods', 'my_module.Mine')]
    """
    found = []
    for key in (*PARTS, "methods"):
        value = values.get(key, "")
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                found += [(key, name) for name in _names_in(key, word, values)]
    return found


def _names_in(key: str, word: str, values: Mapping[str, Any]) -> list[str]:
    if key != "environment" or _names.IMPORT_PATH.fullmatch(word):
        return [word.partition(":")[0]] if is_own(word) else []
    given = values.get("environment-options", {})
    options: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    listed = given if isinstance(given, list) else [given] if isinstance(given, str) else []
    for option in listed:
        name, _, text = str(option).partition("=")
        options[name] = value_of(text)
    return _names.imports_of(word, options)


def missing(values: Mapping[str, Any], allowed: Iterable[str]) -> list[tuple[str, str]]:
    """Why a run may not begin, each with its key: what it names and the command line does not."""
    known = set(allowed)
    return [
        (key, _names.not_allowed(name, called=key == "environment"))
        for key, name in names_of(values)
        if name not in known
    ]


def own_words(values: Mapping[str, Any]) -> list[str]:
    """The words by which other commands open a run whose parts are the user's own."""
    words = []
    for part in PARTS:
        named = [name for key, name in names_of(values) if key == part]
        path = named and (part != "environment" or _names.IMPORT_PATH.fullmatch(values[part]))
        # What an environment is made of is named in its place.
        words += [f"--{part}", values[part] if path else named[0]] if named else []
    return words


def hyphens_in(value: Any) -> list[str]:
    """The texts of a value that a command would take for flags of their own."""
    texts = value if isinstance(value, list | dict) else [value]
    return [one for one in texts if isinstance(one, str) and one.startswith("-")]


def words_of(values: Mapping[str, Any], has_opposite: Callable[[str], bool]) -> list[str]:
    """The words of `autotelic train` that say the same.

    has_opposite: whether `--no-` turns a flag off; another that is false is left out.
    """
    if hyphened := [word for value in values.values() for word in hyphens_in(value)]:
        raise ValueError(f"a value must not begin with a hyphen, got {hyphened[0]!a}")
    words = ["train"]
    if "environment" in values:
        words.append(values["environment"])
    for key, value in values.items():
        if key == "environment":
            continue
        if isinstance(value, bool):
            if value or has_opposite(key):
                words.append(f"--{key}" if value else f"--no-{key}")
            continue
        if key == "seeds" and isinstance(value, list):
            value = ",".join(map(str, value)) + ","
        if isinstance(value, dict):
            value = [f"{name}={json.dumps(one).strip(chr(34))}" for name, one in value.items()]
        words += [f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return words
