"""Checkpoints on disk: a kill at any byte leaves the one before loadable; damage is named.

    checkpoints/epoch-000040.npz    the arrays
    checkpoints/epoch-000040.json   the manifest: the checksum of every file, and the rest as JSON
    history.csv ...                 of which the manifest has the length and checksum until then
    replay/rows-000035000-000040000.npy ...

The manifest is written last, when all it names is durable: it makes the checkpoint exist.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from autotelic import _documents as documents
from autotelic._documents import Count, DamagedFile, FileError
from autotelic._validate import integer
from autotelic.runs import atomic
from autotelic.runs.arrays import check_arrays, decode_arrays, write_arrays
from autotelic.runs.atomic import Written
from autotelic.runs.history import GROWING
from autotelic.runs.replay_log import (
    ReplayLog,
    ReplayRows,
    append_rows,
    check_replay,
    rebuild_ring,
)

FORMAT = 2
SKILLS_FILE = "skills.npz"
"""Beside the checkpoints when a run has ended: policies and discriminators alone."""
_OWN_FILES = re.compile(r"(epoch-\d{6,}\.(npz|json)|rows-\d{9,}-\d{9,}\.npy)(\.partial)?")


class DamagedCheckpoint(FileError):
    """The latest checkpoint is damaged: says which file, what is wrong and what can be done."""


Found = TypeVar("Found")


class Checkpoint(NamedTuple):
    """All that was saved after `epoch` epochs."""

    epoch: int
    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]
    replay: ReplayRows | None
    grown: dict[GROWING, Written]


class Manifest(NamedTuple):
    """What belongs to one checkpoint; `grown` is how far the tables were that grow with the run."""

    epoch: Count
    arrays: Written
    replay: ReplayLog | None
    grown: dict[GROWING, Written]
    meta: dict[str, Any]

    @property
    def files(self) -> set[str]:
        """The names of the files that the checkpoint needs, the manifest's own included."""
        rows = self.replay.files if self.replay else ()
        return {_manifest(self.epoch), _arrays(self.epoch), *(file.name for file in rows)}


class CheckpointStore:
    """The checkpoints of the run in `folder`; at any time the last two complete ones.

    One process at a time may save (see `RunLock`); `save` continues from what is on disk, so a
    training loop must start from `load_latest`.
    """

    def __init__(self, folder: str | Path):
        self.folder: Path = Path(folder)
        self.checkpoints: Path = Path(folder) / "checkpoints"
        self.replay: Path = Path(folder) / "replay"

    @property
    def epochs(self) -> list[int]:
        """The epochs of the complete checkpoints, oldest first."""
        names = self.checkpoints.iterdir() if self.checkpoints.is_dir() else ()
        found = (re.fullmatch(r"epoch-(\d{6,})\.json", path.name) for path in names)
        return sorted(int(match[1]) for match in found if match)

    def save(
        self,
        epoch: int,
        arrays: Mapping[str, np.ndarray],
        meta: Mapping[str, Any],
        replay: ReplayRows | None = None,
        grown: Mapping[GROWING, Written] | None = None,
    ) -> None:
        """Write a checkpoint; its cost is that of the arrays and of the rows new in the ring.

        Args:
            epoch: how many epochs are done; more than at the latest checkpoint.
            arrays: NumPy arrays of numbers or booleans, by name.
            meta: anything JSON can hold; comes back as JSON has it (tuples as lists).
            replay: the rings, in which only rows after the latest checkpoint's have changed.
            grown: what the run's tables hold by now.
        """
        integer("epoch", epoch, minimum=0)
        check_arrays(arrays)
        plain = json.loads(json.dumps(dict(meta)))
        epochs = self.epochs
        previous = self._read_manifest(epochs[-1]) if epochs else None
        if previous and epoch <= previous.epoch:
            raise ValueError(
                f"epoch must be above {previous.epoch}, that of the latest checkpoint in "
                f"{self.checkpoints}, got {epoch}"
            )
        log = previous.replay if previous else None
        if replay is not None:
            check_replay(replay, log)

        atomic.make_folder(atomic.inner(self.checkpoints))
        atomic.make_folder(atomic.inner(self.replay))
        written = write_arrays(self.checkpoints / _arrays(epoch), arrays)
        log = append_rows(self.replay, replay, log) if replay is not None else None
        manifest = Manifest(int(epoch), written, log, dict(grown or {}), plain)
        content = {
            **manifest._asdict(),
            "arrays": written._asdict(),
            "replay": log.to_json() if log else None,
            "grown": {name: one._asdict() for name, one in manifest.grown.items()},
        }
        atomic.write_document(self.checkpoints / _manifest(manifest.epoch), content, FORMAT)
        # Two are kept: one to resume from, and one in case a disk damages it.
        self._delete_all_but(manifest.files | (previous.files if previous else set()))

    def load_latest(self) -> Checkpoint | None:
        """The latest complete checkpoint, checked byte for byte, or None if there is none yet.

        A checkpoint whose writing was interrupted has no manifest and does not count. One that was
        complete and is now damaged raises DamagedCheckpoint: nothing is deleted, and nothing older
        takes its place in silence.
        """
        return self._latest(self._load)

    def check_tables(self) -> dict[GROWING, Written] | None:
        """How far the tables were at the latest checkpoint, None without one; refuses what has changed."""
        manifest = self._latest(self._checked_manifest)
        return None if manifest is None else manifest.grown

    def _latest(self, load: Callable[[int], Found]) -> Found | None:
        epochs = self.epochs
        if not epochs:
            return None
        try:
            return load(epochs[-1])
        except DamagedFile as error:
            raise DamagedCheckpoint(
                self.folder,
                f"the checkpoint of epoch {epochs[-1]} is damaged: {error}. "
                f"Nothing was deleted. {self._remedy(epochs)}",
            ) from error

    def _load(self, epoch: int) -> Checkpoint:
        manifest = self._checked_manifest(epoch)
        path = self.checkpoints / _arrays(epoch)
        arrays = decode_arrays(path, atomic.read(path, manifest.arrays))
        replay = rebuild_ring(self.replay, manifest.replay) if manifest.replay else None
        return Checkpoint(epoch, arrays, manifest.meta, replay, manifest.grown)

    def _checked_manifest(self, epoch: int) -> Manifest:
        manifest = self._read_manifest(epoch)
        for name, written in manifest.grown.items():
            atomic.check_beginning(self.folder / name, written)
        return manifest

    def _remedy(self, epochs: list[int]) -> str:
        for epoch in reversed(epochs[:-1]):
            try:
                self._load(epoch)
            except DamagedFile:
                continue
            newer = [str(self.checkpoints / _manifest(e)) for e in epochs if e > epoch]
            return (
                f"The checkpoint of epoch {epoch} is intact: "
                f"to continue from it, remove {' and '.join(newer)}"
            )
        return "No older checkpoint is intact: restore the file, or start again in a new folder"

    def _read_manifest(self, epoch: int) -> Manifest:
        path = self.checkpoints / _manifest(epoch)
        manifest = documents.read(path, Manifest, FORMAT)
        if manifest.epoch != epoch:
            raise DamagedFile(path, f"it is the manifest of epoch {manifest.epoch}")
        return manifest

    def _delete_all_but(self, needed: set[str]) -> None:
        """Delete what no kept checkpoint needs; files of other names are not ours and stay."""
        # Manifests (".json") go first: one must never outlive the files it names.
        paths = [*self.checkpoints.iterdir(), *self.replay.iterdir()]
        for path in sorted(paths, key=lambda path: (path.suffix != ".json", path.name)):
            if _OWN_FILES.fullmatch(path.name) and path.name not in needed:
                os.unlink(path)


def _manifest(epoch: int) -> str:
    return f"epoch-{epoch:06d}.json"


def _arrays(epoch: int) -> str:
    return f"epoch-{epoch:06d}.npz"
