"""The replay ring on disk: each checkpoint adds one file with the rows inserted since the last.

Row k of the run lives in slot k % capacity of the ring, and for good in the file whose range
[start, stop) holds k. Files never change; a ring is rebuilt from the last `capacity` rows.
"""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from autotelic._documents import Count, DamagedFile, Within
from autotelic._validate import integer
from autotelic.runs import atomic
from autotelic.runs.arrays import decode_array
from autotelic.runs.atomic import Written


class ReplayRows(NamedTuple):
    """Rings `[members, capacity, features]` (float32), and the rows each member ever inserted.

    A ring for each crew, whose members follow each other: put together they would be a copy of all
    memories, for the few rows that a checkpoint adds.
    """

    rings: tuple[np.ndarray, ...]
    inserted: int


class RowsFile(NamedTuple):
    """Rows `start` to `stop` - 1 in one .npy file, `[members, stop - start, features]`."""

    start: Count
    stop: Count
    written: Written

    @property
    def name(self) -> str:
        """The file's name in the replay folder."""
        return _file_name(self.start, self.stop)


class ReplayLog(NamedTuple):
    """The shape of a ring and the files it is rebuilt from, oldest first."""

    members: Annotated[int, Within(1)]
    capacity: Annotated[int, Within(1)]
    features: Annotated[int, Within(1)]
    inserted: Count
    files: tuple[RowsFile, ...]

    def to_json(self) -> dict[str, Any]:
        """The log as JSON."""
        files = [{**file._asdict(), "written": file.written._asdict()} for file in self.files]
        return {**self._asdict(), "files": files}


def oldest_row(inserted: int, capacity: int) -> int:
    """The oldest row that is still in the ring."""
    return max(0, inserted - capacity)


def check_replay(replay: ReplayRows, previous: ReplayLog | None) -> None:
    """Refuse a ring that cannot follow the one already on disk."""
    rings, inserted = replay
    for ring in rings:
        if not isinstance(ring, np.ndarray) or ring.dtype != np.float32 or ring.ndim != 3:
            found = f"{getattr(ring, 'dtype', type(ring).__name__)} {list(np.shape(ring))}"
            raise TypeError(f"a ring must be float32 [members, capacity, features], got {found}")
        if ring.shape[1:] != rings[0].shape[1:]:
            raise ValueError(
                f"rings must be of one capacity and width, got {list(rings[0].shape[1:])} and "
                f"{list(ring.shape[1:])}"
            )
    integer("inserted", inserted, minimum=0)
    if previous is None:
        return
    members, capacity, features = _shape(rings)
    if (members, features) != (previous.members, previous.features):
        raise ValueError(
            f"ring has {members} members and {features} features, but the replay on disk has "
            f"{previous.members} and {previous.features}; save another run in another folder"
        )
    if inserted < previous.inserted:
        raise ValueError(
            f"inserted is {inserted}, but {previous.inserted} rows are already on disk; "
            f"continue from the latest checkpoint"
        )
    forgotten = oldest_row(previous.inserted, previous.capacity)
    if oldest_row(inserted, capacity) < forgotten:
        raise ValueError(
            f"capacity {capacity} reaches back to row {oldest_row(inserted, capacity)}, but the "
            f"replay on disk, of capacity {previous.capacity}, begins at row {forgotten}; "
            f"keep its capacity"
        )


def append_rows(folder: Path, replay: ReplayRows, previous: ReplayLog | None) -> ReplayLog:
    """Write the rows that came after `previous` to one new file; return the log with it.

    The rings are some that `check_replay` accepts.
    """
    rings, inserted = replay[0], int(replay[1])
    members, capacity, features = _shape(rings)
    oldest = oldest_row(inserted, capacity)
    files = [] if previous is None else [f for f in previous.files if f.stop > oldest]
    start = max(oldest, 0 if previous is None else previous.inserted)
    if start < inserted:
        slots = np.arange(start, inserted) % capacity
        rows = np.concatenate([np.take(ring, slots, axis=1) for ring in rings])
        written = atomic.write(
            folder / _file_name(start, inserted),
            lambda stream: npy.write_array(stream, rows, allow_pickle=False),
        )
        files.append(RowsFile(start, inserted, written))
    return ReplayLog(members, capacity, features, inserted, tuple(files))


def rebuild_ring(folder: Path, log: ReplayLog) -> ReplayRows:
    """All members in one ring as it was when the log was written; slots that never held a row are 0."""
    try:
        ring = np.zeros((log.members, log.capacity, log.features), np.float32)
    except (MemoryError, ValueError) as error:
        raise DamagedFile(folder, f"there is no room for the replay ({error})") from error
    for file in log.files:
        path = folder / file.name
        rows = decode_array(path, atomic.read(path, file.written))
        if rows.shape != (log.members, file.stop - file.start, log.features):
            raise DamagedFile(path, f"it holds rows of the shape {list(rows.shape)}")
        # In order, so that a newer row takes the slot of an older one, as it did in memory.
        ring[:, np.arange(file.start, file.stop) % log.capacity] = rows
    return ReplayRows((ring,), log.inserted)


def _shape(rings: tuple[np.ndarray, ...]) -> tuple[int, int, int]:
    """(members, capacity, features) of all rings together."""
    return sum(len(ring) for ring in rings), *rings[0].shape[1:]


def _file_name(start: int, stop: int) -> str:
    return f"rows-{start:09d}-{stop:09d}.npy"
