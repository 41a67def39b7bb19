import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from saved_runs import assert_equals_what_was_saved, contents, ring_after, row, save

from autotelic._documents import FileError
from autotelic.runs.replay_log import ReplayRows
from autotelic.runs.store import CheckpointStore, DamagedCheckpoint


def test_an_empty_folder_has_no_checkpoint(tmp_path: Path):
    assert CheckpointStore(tmp_path / "none").load_latest() is None
    assert os.listdir(tmp_path) == []


def test_the_last_two_are_kept_with_the_rows_they_need(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    for epoch in range(1, 6):
        save(store, epoch)
        assert assert_equals_what_was_saved(store) == epoch
        assert store.epochs == [1, 2, 3, 4, 5][max(0, epoch - 2) : epoch]
    # Epoch 4 needs rows 5..11 and epoch 5 rows 8..14: all files but the first, rows 0..2.
    assert list(contents(tmp_path)) == [
        "checkpoints/epoch-000004.json",
        "checkpoints/epoch-000004.npz",
        "checkpoints/epoch-000005.json",
        "checkpoints/epoch-000005.npz",
        "replay/rows-000000003-000000006.npy",
        "replay/rows-000000006-000000009.npy",
        "replay/rows-000000009-000000012.npy",
        "replay/rows-000000012-000000015.npy",
    ]


def test_rows_go_when_the_last_of_a_file_has_left_the_ring(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    for epoch in range(1, 5):
        store.save(epoch, {}, {}, ring_after(3 * epoch, capacity=6))
    # Epoch 3 needs rows 3..8 and epoch 4 rows 6..11.
    assert sorted(os.listdir(tmp_path / "replay")) == [
        "rows-000000003-000000006.npy",
        "rows-000000006-000000009.npy",
        "rows-000000009-000000012.npy",
    ]


def test_what_an_interrupted_save_left_is_ignored_and_then_deleted(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    save(store, 1)
    before = contents(tmp_path)
    for name in ("epoch-000003.npz", "epoch-000003.json.partial"):
        (tmp_path / "checkpoints" / name).write_bytes(b"half")
    (tmp_path / "replay/rows-000000003-000000009.npy").write_bytes(b"half")
    assert assert_equals_what_was_saved(store) == 1
    save(store, 2)
    assert assert_equals_what_was_saved(store) == 2
    assert set(contents(tmp_path)) - set(before) == {
        "checkpoints/epoch-000002.json",
        "checkpoints/epoch-000002.npz",
        "replay/rows-000000003-000000006.npy",
    }


def test_each_save_writes_the_new_rows_only(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    save(store, 1)
    save(store, 2)
    np.testing.assert_array_equal(
        np.load(tmp_path / "replay/rows-000000003-000000006.npy"),
        np.stack([row(3), row(4), row(5)], axis=1),
    )


@settings(max_examples=30, deadline=None)
@given(
    capacity=st.integers(1, 9),
    new=st.lists(st.integers(0, 25), min_size=1, max_size=6),
    d=st.data(),
)
def test_the_ring_comes_back_whatever_the_number_of_new_rows(
    tmp_path_factory: pytest.TempPathFactory, capacity: int, new: list[int], d: st.DataObject
):
    store = CheckpointStore(tmp_path_factory.mktemp("ring"))
    inserted = 0
    for epoch, count in enumerate(new):
        inserted += count
        if inserted <= capacity:  # a run that was prolonged may enlarge a ring that is not yet full
            capacity = d.draw(st.integers(capacity, capacity + 2))
        store.save(epoch, {}, {}, ring_after(inserted, capacity))
        checkpoint = store.load_latest()
        assert checkpoint is not None and checkpoint.replay is not None
        assert checkpoint.replay.inserted == inserted
        np.testing.assert_array_equal(
            checkpoint.replay.rings[0], ring_after(inserted, capacity).rings[0]
        )


def test_a_checkpoint_without_replay(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    store.save(0, {"a": np.arange(3)}, {"b": [1, 2]})
    checkpoint = store.load_latest()
    assert checkpoint is not None
    assert (checkpoint.epoch, checkpoint.meta, checkpoint.replay) == (0, {"b": [1, 2]}, None)
    assert checkpoint.arrays["a"].tolist() == [0, 1, 2]


def damaged(
    tmp_path: Path, name: str, change: Callable[[Path], object]
) -> tuple[CheckpointStore, str]:
    """Two checkpoints, one of whose files is changed; the store and what load_latest says."""
    store = CheckpointStore(tmp_path)
    save(store, 1)
    save(store, 2)
    change(tmp_path / name)
    before = contents(tmp_path)
    with pytest.raises(DamagedCheckpoint) as caught:
        store.load_latest()
    assert contents(tmp_path) == before
    return store, str(caught.value)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


@pytest.mark.parametrize(
    ("change", "problem"),
    [(flip, "has changed since"), (cut, "bytes, but"), (Path.unlink, "is missing")],
)
@pytest.mark.parametrize(
    "name", ["checkpoints/epoch-000002.npz", "replay/rows-000000003-000000006.npy"]
)
def test_damage_is_named_and_the_older_checkpoint_offered(
    tmp_path: Path, name: str, change: Callable[[Path], object], problem: str
):
    store, message = damaged(tmp_path, name, change)
    assert f"{tmp_path / name}: " in message and problem in message
    manifest = tmp_path / "checkpoints/epoch-000002.json"
    assert f"The checkpoint of epoch 1 is intact: to continue from it, remove {manifest}" in message
    manifest.unlink()
    assert assert_equals_what_was_saved(store) == 1
    save(store, 2)
    save(store, 3)
    assert assert_equals_what_was_saved(store) == 3


def test_damage_to_rows_that_both_checkpoints_need(tmp_path: Path):
    _, message = damaged(tmp_path, "replay/rows-000000000-000000003.npy", flip)
    assert "rows-000000000-000000003.npy: it has changed" in message
    assert "No older checkpoint is intact" in message


def change_meta(path: Path) -> None:
    path.write_text(path.read_text().replace("0.2857142857142857", "0.2857142857142858"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (change_meta, "has changed since"),
        (cut, "is no JSON"),
        (lambda path: path.write_text(""), "is no JSON"),
        (lambda path: path.write_text("[]"), "must be an object"),
        (lambda path: path.write_text("{}"), "has changed since"),
    ],
)
def test_a_damaged_manifest_is_named(
    tmp_path: Path, change: Callable[[Path], object], problem: str
):
    store, message = damaged(tmp_path, "checkpoints/epoch-000002.json", change)
    assert f"epoch-000002.json: it {problem}" in message
    assert "The checkpoint of epoch 1 is intact" in message
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=problem):
        save(store, 3)
    assert contents(tmp_path) == before


def test_another_format_is_refused(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    save(store, 1)
    path = tmp_path / "checkpoints/epoch-000001.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 9}))
    with pytest.raises(
        FileError, match="has format 9, and this version of autotelic reads format 2"
    ):
        store.load_latest()


def test_what_cannot_follow_is_refused_and_nothing_is_written(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    save(store, 4)  # 12 rows: the ring of 7 has forgotten rows 0..4
    before = contents(tmp_path)
    full = ring_after(15)
    for error, match, epoch, arrays, meta, replay in [
        (ValueError, "epoch must be above 4, .* got 4", 4, {}, {}, full),
        (ValueError, "epoch must be at least 0, got -1", -1, {}, {}, full),
        (TypeError, "'a' has dtype object", 5, {"a": np.array([None])}, {}, full),
        (TypeError, "not JSON serializable", 5, {}, {"a": np.arange(2)}, full),
        (ValueError, "inserted is 11, but 12 rows are already", 5, {}, {}, ring_after(11)),
        (
            ValueError,
            "3 features, but .* has 2 and 3",
            5,
            {},
            {},
            ReplayRows((full.rings[0][:1],), 15),
        ),
        (
            TypeError,
            "float32 .* got float64",
            5,
            {},
            {},
            ReplayRows((full.rings[0].astype("float64"),), 15),
        ),
        (TypeError, r"got float32 \[2, 3\]", 5, {}, {}, ReplayRows((row(0),), 15)),
        (ValueError, "capacity 11 reaches back to row 4, .* row 5", 5, {}, {}, ring_after(15, 11)),
    ]:
        with pytest.raises(error, match=match):
            store.save(epoch, arrays, meta, replay)
        assert contents(tmp_path) == before


def test_files_of_other_names_stay(tmp_path: Path):
    store = CheckpointStore(tmp_path)
    save(store, 1)
    (tmp_path / "checkpoints/notes.txt").write_text("mine")
    (tmp_path / "checkpoints/epoch-000001.json.bad").write_text("mine")
    for epoch in (2, 3):
        save(store, epoch)
    names = os.listdir(tmp_path / "checkpoints")
    assert {"notes.txt", "epoch-000001.json.bad"} <= set(names) and "epoch-000001.json" not in names
