"""Agents, objectives and environments of the user's own: the text that a file keeps of one, and the
word by which the shell makes it again.
"""

import dataclasses
import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Mapping
from collections.abc import Set as AnySet
from pathlib import Path
from typing import Any

import jax
import numpy as np

from autotelic._spelling import value_of
from autotelic.selectors.state import settings_of

DEPTH = 6
"""How far objects within objects are looked into: one may hold itself."""
NOWHERE = object()
"""Stands for the value of an argument that an object does not keep under its name."""
SHOWN = 16
"""Entries of an array that are written out; of a larger one a digest is."""


def text_of(value: Any, depth: int = DEPTH) -> str:
    """An object as a text: two that differ in a setting differ in it, equal ones do not.

    The text is the same in every process, so it has no memory address; nor does it say in which
    module a class is, which may be a script one day and imported the next.

    >>> class Plain:
    ...     def __init__(self, rate):
    ...         self.rate = rate
    >>> text_of(Plain(0.5)), text_of((2.0, np.zeros(2))), text_of(Plain)
    ('Plain(rate=0.5)', '(2, float64[2] [0.0, 0.0])', '<class Plain>')
    """
    if not depth:
        return f"{type(value).__qualname__}(...)"
    inner = functools.partial(text_of, depth=depth - 1)
    if isinstance(value, type):
        return f"<class {value.__qualname__}>"
    if isinstance(value, np.generic):
        return inner(value.item())
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return repr(int(value))  # equal, and the shell's word for either is 2
    if isinstance(value, np.ndarray | jax.Array) and isinstance(value.dtype, np.dtype):
        return _array_text(np.asarray(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inner(key)}: {inner(item)}" for key, item in value.items()) + "}"
    if isinstance(value, AnySet):
        return "{" + ", ".join(sorted(map(inner, value))) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inner, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(inner, value)) + "," * (len(value) == 1) + ")"
    bare = type(value).__repr__ is object.__repr__
    name = getattr(value, "__qualname__", None)
    if bare and name:  # a function in a wrapper, such as jax.nn.relu
        return f"<function {name}>"
    if bare or dataclasses.is_dataclass(value):
        settings = (f"{name}={inner(item)}" for name, item in settings_of(value).items())
        return f"{type(value).__qualname__}({', '.join(settings)})"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _array_text(array: np.ndarray) -> str:
    kind = f"{array.dtype}{list(array.shape)}"
    if array.size <= SHOWN:
        return f"{kind} {array.tolist()}"
    return f"{kind} {hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]}"


def spelling(value: Any) -> str | None:
    """The word by which the shell makes a part again, `module.Name:option=value`; None without one.

    Options are those that differ from their defaults.
    """
    named = isinstance(value, type) or inspect.isfunction(value)
    kind = value if named else type(value)
    module = _module_of(kind)
    if isinstance(value, str | functools.partial) or module is None:
        return None
    if not kind.__qualname__.isidentifier():  # within a function or a class
        return None
    words = []
    for name, default in {} if named else _options(kind).items():
        own = text_of(getattr(value, name, NOWHERE))
        if own == text_of(default):
            continue
        word = str(getattr(value, name, "")).strip()
        if not word or "," in word or text_of(value_of(word)) != own:
            return None  # no word of the shell says it
        words.append(f"{name}={word}")
    return f"{module}.{kind.__qualname__}" + (":" + ",".join(words) if words else "")


def _options(kind: Any) -> dict[str, Any]:
    """The arguments that a class is made with, and their defaults."""
    if not dataclasses.is_dataclass(kind):
        taken = inspect.signature(kind).parameters.values()
        return {p.name: p.default for p in taken if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    made = {f.name: f.default_factory for f in dataclasses.fields(kind) if f.init}
    defaults = {f.name: f.default for f in dataclasses.fields(kind) if f.init}
    return {
        name: defaults[name] if make is dataclasses.MISSING else make()
        for name, make in made.items()
    }


def _module_of(kind: Any) -> str | None:
    """The module that a class or function is imported from; that of a script is its file's name."""
    if kind.__module__ != "__main__":
        return kind.__module__
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    name = spec.name if spec else Path(getattr(main, "__file__", None) or "").stem
    return name if name.replace(".", "").isidentifier() else None
