"""Put a fault into a module that is loaded: the code of its functions is exchanged, in place.

Whoever holds a function (an import, a decorator, a compiled program to be) then calls the fault.
What a module does while it is loaded cannot be exchanged: constants, default arguments.
"""

import gc
from collections.abc import Container, Iterator
from types import CodeType, FunctionType
from typing import NamedTuple

OPTIMIZED = 1
"""The flag of code that is a function's, not a module's or a class's."""


class Key(NamedTuple):
    """What a function is found by."""

    file: str
    name: str
    line: int


class Swap(NamedTuple):
    """The functions whose code differs, with the code that they are to have."""

    codes: dict[Key, CodeType]

    @property
    def keys(self) -> frozenset[Key]:
        """Of the functions that change."""
        return frozenset(self.codes)


def key_of(code: CodeType) -> Key:
    """A name may be used twice in a file, at two lines."""
    return Key(code.co_filename, code.co_qualname, code.co_firstlineno)


def swap(before: CodeType, after: CodeType) -> Swap | None:
    """From a module's code to that with the fault; None if more than functions differ."""
    codes: dict[Key, CodeType] = {}
    return Swap(codes) if _collect(before, after, codes) and codes else None


def _collect(before: CodeType, after: CodeType, codes: dict[Key, CodeType]) -> bool:
    """Gather the functions that differ; False if what is no function does."""
    if before == after:
        return True
    inner, changed = list(_inner(before)), list(_inner(after))
    if before.co_flags & OPTIMIZED:
        if before.co_freevars != after.co_freevars:
            return False
        codes[key_of(before)] = after
    elif _alone(before) != _alone(after):
        return False
    if [key_of(code) for code in inner] != [key_of(code) for code in changed]:
        return bool(before.co_flags & OPTIMIZED)
    return all(_collect(one, other, codes) for one, other in zip(inner, changed, strict=True))


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _alone(code: CodeType) -> CodeType:
    """Without the functions in it."""
    kept = tuple(None if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=kept)


def functions_of(files: Container[str]) -> dict[Key, list[FunctionType]]:
    """All functions alive that files define; a decorator may hold the only reference to one."""
    found: dict[Key, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in files:
            found.setdefault(key_of(thing.__code__), []).append(thing)
    return found


def exchange(change: Swap, functions: dict[Key, list[FunctionType]]) -> None:
    """Give the functions their new code; there is no way back, so do it in a child."""
    for key, code in change.codes.items():
        for function in functions.get(key, ()):
            function.__code__ = code
