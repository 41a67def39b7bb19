"""What `autotelic train` would say to the runs of a sweep, without training: a process of its own.

A sweep starts it (`python -m autotelic.commands.sweep_check`), so that JAX is not loaded where runs are
started from. It reads JSON, a list of runs with their values by flag, and answers with a list of `Answer`.
"""

import contextlib
import io
import json
import os
import re
import sys
import types
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from tyro.conf import FlagCreatePairsOff

from autotelic import _validate
from autotelic.commands.exit_codes import REFUSED, exit_code
from autotelic.commands.train import methods_of, read
from autotelic.flags.parts import AgentFlags, ObjectiveFlags
from autotelic.flags.setting import SettingFlags, TrainFlags, seeds_of, setting_of
from autotelic.sweeps.file import BACKENDS, CELLS, CORES, GRID
from autotelic.sweeps.naming import hyphens_in, words_of
from autotelic.training.train import prepare

NO_OPPOSITE = get_args(FlagCreatePairsOff[bool])[1]
THOROUGH = 10
"""Runs that are looked through for more than their first fault, which takes a moment each."""
SPECIAL = {
    "seeds": Union[int, str, tuple[int, ...]],  # noqa: UP007 (a value that is looked into)
    "updates-per-step": Union[float, str],  # noqa: UP007
    "environment-options": Union[dict, tuple[str, ...]],  # noqa: UP007
}
"""Flags that a file can spell better than a shell."""


class Answer(NamedTuple):
    """What is known of a run: its words, its size, and its faults as (key or "", sentence)."""

    words: list[str]
    epochs: int
    learners: int
    faults: list[tuple[str, str]]


class Flag(NamedTuple):
    """A flag of `autotelic train`: the type of its value, and whether `--no-` turns it off."""

    hint: Any
    has_opposite: bool


def known_flags() -> dict[str, Flag]:
    """The flags by their names, without dashes in front."""
    found = {}
    for kind in (TrainFlags, SettingFlags, AgentFlags, ObjectiveFlags):
        hints = get_type_hints(kind, include_extras=True)
        for name in (one.name for one in fields(kind)):  # pyright: ignore[reportArgumentType]
            key = name.replace("_", "-")
            plain = get_type_hints(kind)[name]
            found[key] = Flag(SPECIAL.get(key, plain), NO_OPPOSITE not in get_args(hints[name]))
    for name in ("setting", "environment-by-flag", "out", "resume", "dry-run"):
        del found[name]
    return found


def fits(hint: Any, value: Any) -> bool:
    """Whether a value of a TOML file is of a flag's type.

    >>> fits(int, 3), fits(int, True), fits(float, 1), fits(tuple[str, ...], ["a"]), fits(int | None, "3")
    (True, False, True, True, False)
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(one, value) for one in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is tuple:
        many = value if isinstance(value, list) else [value]
        return all(fits(get_args(hint)[0], one) for one in many)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return hint is not type(None) and isinstance(value, hint)


def wanted(hint: Any) -> str:
    """A flag's type in words.

    >>> wanted(int | None), wanted(Literal["a", "b"]), wanted(tuple[str, ...])
    ('a whole number', "'a' or 'b'", 'a list, each a word in quotes')
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(wanted(one) for one in get_args(hint) if one is not type(None))
    if origin is Literal:
        return " or ".join(map(repr, get_args(hint)))
    if origin is tuple:
        return f"a list, each {wanted(get_args(hint)[0])}"
    names = {int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}
    return names.get(hint, "a word in quotes")


def faults_of_values(values: dict[str, Any], flags: dict[str, Flag]) -> list[tuple[str, str]]:
    """Keys that are no flags, and values that are not of their flags' types."""
    faults = []
    for key, value in values.items():
        if key not in flags:
            known = [*flags, GRID, CELLS, *BACKENDS, CORES]
            near = _validate.unknown("key", key, known).partition(" Did you mean ")[2]
            hint = f"; did you mean {near.rstrip('?')}?" if near else ""
            more = " (`autotelic train --help` lists them)" if not near else ""
            faults.append((key, f"{key} is no flag of `autotelic train`{hint}{more}"))
        elif not fits(flags[key].hint, value):
            faults.append((key, f"{key} must be {wanted(flags[key].hint)}, got {value!r}"))
        elif value == []:
            faults.append((key, f"{key} is an empty list; give a value, or leave it out"))
        else:
            faults += [
                (key, f"{key} must not begin with a hyphen, got {one!r}")
                for one in hyphens_in(value)
            ]
    return faults


def answer(
    values: dict[str, Any],
    out: str,
    flags: dict[str, Flag],
    *,
    thorough: bool = True,
    imports: bool = True,
) -> Answer:
    """What `autotelic train` would say to one run: all of it, by leaving out what it refuses.

    thorough: or only the first thing. imports: or only what can be said without making its parts.
    """

    def has_opposite(key: str) -> bool:
        return flags[key].has_opposite

    faults = faults_of_values(values, flags)
    left = {key: value for key, value in values.items() if key not in dict(faults)}
    if not imports:
        return Answer([] if faults else words_of(left, has_opposite), 0, 0, faults)
    while "environment" in left or not faults:
        found = refused(words_of(left, has_opposite), out)
        if isinstance(found, Answer):
            return found._replace(faults=faults)
        key = key_named(found, left)
        faults.append((key, found))
        if not thorough or key == "environment" or key not in left:
            break
        left = without(left, key, found)
    return Answer([], 0, 0, faults)


def without(values: dict[str, Any], key: str, sentence: str) -> dict[str, Any]:
    """The values without the one that a sentence is about; of a list, the others stay.

    >>> without({"methods": ["dpp", "dp"]}, "methods", "unknown method 'dpp'")
    {'methods': ['dp']}
    """
    value = values[key]
    named = [one for one in value if repr(one) in sentence] if isinstance(value, list) else []
    others = [one for one in value if one not in named] if named else []
    return {k: others if k == key else v for k, v in values.items() if k != key or others}


def refused(words: list[str], out: str) -> Answer | str:
    """Why words are refused, or what they are."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parsed, base, _ = read([*words[1:], "--out", out])
            methods, seeds = methods_of(parsed, None), seeds_of(parsed.seeds)
            every = parsed.checkpoint_every, parsed.evaluate_every
            prepare(setting_of(parsed, base), methods, seeds, parsed.epochs, Path(out), *every)
    except SystemExit:
        return plain_text(said.getvalue())
    except Exception as error:
        # What fails for another reason than the words given may do so here alone: the run will tell.
        return str(error) if exit_code(error) == REFUSED else Answer(words, 0, 0, [])
    return Answer(words, parsed.epochs, len(methods) * len(seeds), [])


def key_named(sentence: str, values: dict[str, Any]) -> str:
    """The key that a refusal is about: the first that it names, "" if it names none.

    >>> key_named("num_goals must be at least 2, got 1", {"epochs": 3, "num-goals": 1})
    'num-goals'
    """
    spelled = sentence.replace("_", "-")
    # An option of the environment stands for the table that it is in.
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    owners = {one: key for key, table in tables.items() for one in table}
    owners |= {key: key for key in values}
    places = {
        owner: found.start()
        for word, owner in owners.items()
        if (found := re.search(rf"\b{re.escape(word.replace('_', '-'))}\b", spelled))
    }
    if not places:
        # A refusal may name the value alone: "unknown method 'dpp'".
        each = [(key, w) for key, v in values.items() for w in (v if isinstance(v, list) else [v])]
        found = (key for key, word in each if isinstance(word, str) and repr(word) in sentence)
        return next(found, "")
    return min(places, key=lambda key: places[key])


def plain_text(screen: str) -> str:
    """A message without the frame that it was drawn with."""
    letters = re.sub(r"\x1b\[[0-9;]*m|[^\x00-\x7f]", " ", screen)
    return " ".join(letters.split())


def main(requests: Sequence[dict[str, Any]]) -> list[Answer]:
    """An answer for each run."""
    flags = known_flags()
    return [
        answer(one["values"], one["out"], flags, thorough=number < THOROUGH, imports=one["imports"])
        for number, one in enumerate(requests)
    ]


if __name__ == "__main__":
    # What parts of the user's own print must not get into the answer.
    answers_to: io.TextIOBase = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with answers_to:
        json.dump(main(json.load(sys.stdin)), answers_to)
