"""Files that are never half there: a name holds the old bytes or all the new, whenever we die."""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

PARTIAL = ".partial"
"""Suffix of a file being written; one left by a killed process is never read, but replaced."""


class DamagedFile(ValueError):
    """A file that is missing, short or changed since it was written."""

    def __init__(self, path: Path, problem: str):
        super().__init__(f"{path} {problem}")


class Written(NamedTuple):
    """What a file must look like when it is read back."""

    size: int
    crc32: int


class Stream:
    """A write-only file that measures and checksums the bytes on their way to the disk."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.written: Written = Written(0, 0)

    def write(self, data: Any) -> int:
        """Write all of the bytes."""
        size, crc32 = self.written
        self._file.write(data)
        self.written = Written(size + memoryview(data).nbytes, zlib.crc32(data, crc32))
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Hand the bytes to the operating system."""
        self._file.flush()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error name the file: one of a write, to a full disk for example, does not by itself."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def write(path: Path, fill: Callable[[Stream], object]) -> Written:
    """Let `fill` write the file, and give it its name only when the bytes are on the disk."""
    partial = path.with_name(path.name + PARTIAL)
    with naming(path), open(partial, "wb") as file:
        stream = Stream(file)
        fill(stream)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    sync_folder(path.parent)
    return stream.written


def write_bytes(path: Path, data: bytes) -> Written:
    """Write the bytes atomically."""
    return write(path, lambda stream: stream.write(data))


def write_json(path: Path, value: Any) -> Written:
    """Write the value as JSON atomically; floats keep every bit."""
    return write_bytes(path, (json.dumps(value, indent=1) + "\n").encode())


def read(path: Path, written: Written) -> bytes:
    """The bytes of the file, or DamagedFile if they are not those that were written."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DamagedFile(path, "is missing") from None
    if len(data) != written.size:
        raise DamagedFile(path, f"has {len(data)} bytes, but {written.size} were written")
    if zlib.crc32(data) != written.crc32:
        raise DamagedFile(path, "has changed since it was written (its checksum differs)")
    return data


def make_folder(path: Path) -> None:
    """Create the folder and those above it, where missing; the new names survive a power cut."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder (created, renamed, deleted) durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
