"""Names that stand in files. Which of them would import a module, and who has allowed it.

A name on a command line is the user's word. A name in a file (a run, a sweep, skills) is not: it imports
nothing until the same name stands on the command line as well.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

IMPORT_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+(:.*=.*)?")
"""Python's words with dots; what is a Gymnasium id has a version, or a module before a colon."""
SKILL_TASK = "autotelic/SkillActions-v0"
"""Any task with skills of a file as its actions, see `autotelic.downstream.skill_task`."""
INDIRECT = {
    "autotelic/SkillActions": "task",
    "GymV21Environment": "env_id",
    "GymV26Environment": "env_id",
}
"""Ids, without versions, that make a further environment, and the option that names it."""
ALLOWED = "AUTOTELIC_ALLOWED_IMPORTS"
"""The environment variable by which a sweep tells its processes what its command line allows."""
_PLAIN_WORD = re.compile(
    r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\.(?P<last>[A-Za-z_]\w*)"
    r"(?P<options>:\w+=[\w.+-]+(,\w+=[\w.+-]+)*)?",
    re.ASCII,
)
_PLAIN_ID = re.compile(r"[A-Za-z_][\w.]*::?[A-Za-z_][\w./-]*", re.ASCII)


def further(name: str, options: Mapping[str, Any]) -> Any:
    """The environment that one of `INDIRECT` makes, as its options name it; None for any other."""
    # Gymnasium takes an id without its version for the latest one.
    option = INDIRECT.get(re.sub(r"-v\d+$", "", name.rpartition(":")[2]))
    return None if option is None else options.get(option, "")


def imports_of(name: str, options: Mapping[str, Any]) -> list[str]:
    """The names by which an environment imports a module: its id, or that of what it is made of.

    >>> imports_of("HalfCheetah-v5", {}), imports_of("my_module:MyEnv-v0", {}), imports_of("brax::ant", {})
    ([], ['my_module:MyEnv-v0'], ['brax::ant'])
    >>> imports_of("autotelic/SkillActions-v0", {"task": "my_module:MyEnv-v0"})
    ['my_module:MyEnv-v0']
    """
    found = [name] if ":" in name else []
    inner = further(name, options)
    if inner is None:
        return found
    if not isinstance(inner, str) or further(inner, {}) is not None:
        raise ValueError(
            f"the environment {name!r} must be made of a plain one, and its options name {inner!r}"
        )
    return found + imports_of(inner, {})


def is_id(text: str) -> bool:
    """Whether a text is a plain id of a module's environment, such as `my_module:MyEnv-v0`."""
    return _PLAIN_ID.fullmatch(text) is not None


def check_allowed(name: str) -> None:
    """Refuse a name that comes from a sweep's file alone; in other processes every word is the user's."""
    allowed = os.environ.get(ALLOWED)
    if allowed is not None and name not in allowed.split():
        raise ValueError(not_allowed(name))


def not_allowed(name: str, *, called: bool = False) -> str:
    """The sentence for a name that a sweep's command line does not allow; called: see `typable`."""
    return (
        f"{ascii(name)[:80]} would be imported, and a file must not say what to import; if it is yours, add "
        f"--allow {typable(name, called=called) or 'MODULE.NAME, where you have it,'} to the command"
    )


def variables(allowed: Iterable[str]) -> dict[str, str]:
    """The environment variables of a process that may import these names of its file, and no other."""
    return {ALLOWED: " ".join(allowed)}


def typable(word: str, *, called: bool = False) -> str:
    """The word, if it can be copied into a command without harm, else "".

    called: a function of that name would be called with what the file says, so it must be a class's.

    >>> typable("my_module.MyAgent:rate=1"), typable("os.system:command=ls"), typable("a.B;ls")
    ('my_module.MyAgent:rate=1', '', '')
    """
    if re.split("[.:]", word)[0] in sys.stdlib_module_names:
        return ""
    if is_id(word):
        return word
    found = _PLAIN_WORD.fullmatch(word)
    if found is None:
        return ""
    is_class = found["last"].lstrip("_")[:1].isupper()
    return "" if not is_class and (called or found["options"]) else word
