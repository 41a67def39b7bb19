"""A Python function as a target of XLA's foreign functions: compiled programs call it by a name.

JAX does not keep a program on disk that holds one of its own callbacks. A foreign function is looked up by
its name when a program is loaded, in whichever process, so a program that calls one can be kept.

The structures are those of XLA's C interface, of which version 0.1 and all later ones up to now have these
fields (xla/ffi/api/c_api.h, which jaxlib brings). XLA adds fields at their ends.
"""

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import jax
import numpy as np

Function = Callable[[list[np.ndarray], list[np.ndarray]], None]
"""Is given the call's arguments, and its results to be filled in; they are XLA's own memory."""

VERSION = (0, 1)
TYPES: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 11: np.dtype(np.float32)}
"""By XLA's numbers, those that are needed here."""
FAILED = 13
"""XLA's number of an internal error."""


class _Version(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("major", c_int),
        ("minor", c_int),
    )


class _Metadata(ctypes.Structure):
    _fields_ = (("struct_size", c_size_t), ("version", _Version), ("traits", c_uint32))


class _MetadataQuestion(ctypes.Structure):
    """What a call holds that asks for the target's version, and nothing else."""

    _fields_ = (
        ("struct_size", c_size_t),
        ("type", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(_Metadata)),
    )


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("type", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("shape", POINTER(c_int64)),
    )


class _Buffers(ctypes.Structure):
    """Arguments or results."""

    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("count", c_int64),
        ("types", c_void_p),
        ("buffers", POINTER(POINTER(_Buffer))),
    )


class _Error(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("message", c_char_p),
        ("code", c_int),
    )


_CreateError = ctypes.CFUNCTYPE(c_void_p, POINTER(_Error))


class _Api(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("version", _Version),
        ("internal", c_void_p),
        ("create_error", _CreateError),
    )


class _Call(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("extension_start", POINTER(_MetadataQuestion)),
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
    )


_Target = ctypes.CFUNCTYPE(c_void_p, POINTER(_Call))
_targets: list[Any] = []
"""Python must not collect what XLA may call."""


def register(name: str, function: Function) -> None:
    """Let programs on the CPU call a function by this name, for as long as the process lives.

    What it raises ends the program with an error.
    """

    def answer(called: Any) -> int | None:
        call: _Call = called.contents
        if call.extension_start:
            version = call.extension_start.contents.metadata.contents.version
            version.major, version.minor = VERSION
            return None
        try:
            function(_arrays(call.arguments), _arrays(call.results))
        except BaseException as error:  # nothing may pass through XLA
            words = f"{type(error).__name__}: {error}".encode()
            told = _Error(ctypes.sizeof(_Error), None, words, FAILED)
            return call.api.contents.create_error(ctypes.byref(told))
        return None

    target = _Target(answer)
    _targets.append(target)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(target), platform="cpu")


def _arrays(buffers: _Buffers) -> list[np.ndarray]:
    """Views of XLA's memory."""
    return [_array(buffers.buffers[i].contents) for i in range(buffers.count)]


def _array(buffer: _Buffer) -> np.ndarray:
    kind, shape = TYPES[buffer.type], buffer.shape[: buffer.rank]
    size = kind.itemsize
    for length in shape:
        size *= length
    memory: Any = (ctypes.c_char * size).from_address(buffer.data)
    return np.ndarray(shape, kind, memory)
