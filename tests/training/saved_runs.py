"""A made-up run whose every checkpoint is known in advance."""

from pathlib import Path

import numpy as np

from autotelic.runs.replay_log import ReplayRows
from autotelic.runs.store import CheckpointStore

MEMBERS, CAPACITY, FEATURES = 2, 7, 3


def row(k: int) -> np.ndarray:
    """Row k of a run `[members, features]`: no two of its numbers are equal."""
    members, features = np.indices((MEMBERS, FEATURES))
    return (100 * k + 10 * members + features + 1).astype(np.float32)


def ring_after(inserted: int, capacity: int = CAPACITY) -> ReplayRows:
    """The ring that a learner has in memory after inserting rows one by one."""
    ring = np.zeros((MEMBERS, capacity, FEATURES), np.float32)
    for k in range(inserted):
        ring[:, k % capacity] = row(k)
    return ReplayRows((ring,), inserted)


def arrays_after(epoch: int) -> dict[str, np.ndarray]:
    return {
        ".agent.params[0]": np.array([epoch, epoch / 3], np.float32),
        ".key": np.array([[epoch, 7], [2**32 - 1, 0]], np.uint32),
        ".first": np.array(epoch == 1),
    }


def meta_after(epoch: int) -> dict:
    return {"selectors": [{"signal": [epoch / 7, None]}], "generator": {"state": 2**100 + epoch}}


def save(store: CheckpointStore, epoch: int, rows_per_epoch: int = 3) -> None:
    replay = ring_after(rows_per_epoch * epoch)
    store.save(epoch, arrays_after(epoch), meta_after(epoch), replay)


def assert_equals_what_was_saved(store: CheckpointStore, rows_per_epoch: int = 3) -> int:
    """Check the latest checkpoint against what was saved; its epoch, or 0 if there is none."""
    checkpoint = store.load_latest()
    if checkpoint is None:
        return 0
    expected = arrays_after(checkpoint.epoch)
    assert checkpoint.arrays.keys() == expected.keys()
    for name, array in expected.items():
        assert checkpoint.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(checkpoint.arrays[name], array, strict=True)
    assert checkpoint.meta == meta_after(checkpoint.epoch)
    assert checkpoint.replay is not None
    (ring,), inserted = ring_after(rows_per_epoch * checkpoint.epoch)
    assert checkpoint.replay.inserted == inserted
    np.testing.assert_array_equal(checkpoint.replay.rings[0], ring, strict=True)
    return checkpoint.epoch


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
