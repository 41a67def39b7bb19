"""Files that are never half there: a name holds the old bytes or all the new, whenever we die.

A folder may come from somebody else, so nothing is written through a symbolic link in it.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

from autotelic._documents import Count, DamagedFile, Within, open_to_read, sealed

CHUNK = 2**20
"""Bytes that are read at once where a checksum is all that is wanted."""
PARTIAL = ".partial"
"""Suffix of a file being written; one left by a killed process is never read, but replaced."""


class Written(NamedTuple):
    """What a file, or the first bytes of one that grows, must look like when it is read back."""

    size: Count = 0
    crc32: Annotated[int, Within(0, 2**32 - 1)] = 0

    def plus(self, data: Any) -> "Written":
        """The same with more bytes at the end."""
        return Written(self.size + memoryview(data).nbytes, zlib.crc32(data, self.crc32))


class Stream:
    """A write-only file that measures and checksums the bytes on their way to the disk."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.written: Written = Written()

    def write(self, data: Any) -> int:
        """Write all of the bytes."""
        self._file.write(data)
        self.written = self.written.plus(data)
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
    partial.unlink(missing_ok=True)
    with naming(path), open_to_write(partial, os.O_CREAT | os.O_EXCL) as file:
        stream = Stream(file)
        fill(stream)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    sync_folder(path.parent)
    return stream.written


def open_to_write(path: Path, flags: int) -> IO[bytes]:
    """The file itself, opened with more flags of the system; refuses a link, a pipe or a device there."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise DamagedFile(path, "it is a link or no regular file, and is not written to; remove it")
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # it may have become one since
    return open(os.open(path, flags | os.O_RDWR, 0o666), "r+b")


def write_bytes(path: Path, data: bytes) -> Written:
    """Write the bytes atomically."""
    return write(path, lambda stream: stream.write(data))


def write_json(path: Path, value: Any) -> Written:
    """Write the value as JSON atomically; floats keep every bit."""
    return write_bytes(path, (json.dumps(value, indent=1) + "\n").encode())


def write_document(path: Path, content: Mapping[str, Any], form: int) -> Written:
    """Write an object as a document of that format, whose content `documents.read` checks."""
    return write_json(path, sealed(content, form))


def read(path: Path, written: Written) -> bytes:
    """The bytes of the file, or DamagedFile if they are not those that were written."""
    with open(open_to_read(path), "rb") as file:
        data = file.read()
    _check(path, Written().plus(data), written)
    return data


def check_beginning(path: Path, written: Written, whole: bool = False) -> None:
    """DamagedFile if the file does not begin with the bytes that were written; `whole`: if more follows."""
    found = Written()
    with open(open_to_read(path), "rb") as file:
        while data := file.read(min(CHUNK, written.size - found.size)):
            found = found.plus(data)
        if whole:
            found = found._replace(size=os.fstat(file.fileno()).st_size)
    _check(path, found, written)


def _check(path: Path, found: Written, written: Written) -> None:
    if found.size != written.size:
        raise DamagedFile(path, f"it has {found.size} bytes, but {written.size} were written")
    if found != written:
        raise DamagedFile(path, "it has changed since it was written (its checksum differs)")


def make_folder(path: Path) -> None:
    """Create the folder and those above it, where missing; the new names survive a power cut."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def inner(path: Path) -> Path:
    """What is in a folder of ours and is about to be written to: it may be no link to another place."""
    if path.is_symlink():
        raise DamagedFile(path, "it is a symbolic link, and is not written to; remove it")
    return path


def sync_folder(path: Path) -> None:
    """Make the names in a folder (created, renamed, deleted) durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
