"""Checkpoints on disk: a kill at any byte leaves the one before loadable; damage is named.

    checkpoints/epoch-000040.npz    the arrays
    checkpoints/epoch-000040.json   the manifest: the checksum of every file, and the rest as JSON
    replay/rows-000035000-000040000.npy ...

The manifest is written last, when all it names is durable: it makes the checkpoint exist.
"""

import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autotelic._validate import integer
from autotelic.runs import atomic
from autotelic.runs.arrays import check_arrays, decode_arrays, write_arrays
from autotelic.runs.atomic import DamagedFile, Written
from autotelic.runs.replay_log import (
    ReplayLog,
    ReplayRows,
    append_rows,
    check_replay,
    rebuild_ring,
)

FORMAT = 1
SKILLS_FILE = "skills.npz"
"""Beside the checkpoints when a run has ended: policies and discriminators alone."""
_OWN_FILES = re.compile(r"(epoch-\d{6,}\.(npz|json)|rows-\d{9,}-\d{9,}\.npy)(\.partial)?")


class DamagedCheckpoint(ValueError):
    """The latest checkpoint is damaged: says which file, what is wrong and what can be done."""


class Checkpoint(NamedTuple):
    """All that was saved after `epoch` epochs."""

    epoch: int
    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]
    replay: ReplayRows | None


class Manifest(NamedTuple):
    """What belongs to one checkpoint."""

    epoch: int
    arrays: Written
    replay: ReplayLog | None
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
    ) -> None:
        """Write a checkpoint; its cost is that of the arrays and of the rows new in the ring.

        Args:
            epoch: how many epochs are done; more than at the latest checkpoint.
            arrays: NumPy arrays of numbers or booleans, by name.
            meta: anything JSON can hold; comes back as JSON has it (tuples as lists).
            replay: the rings, in which only rows after the latest checkpoint's have changed.
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

        atomic.make_folder(self.checkpoints)
        atomic.make_folder(self.replay)
        written = write_arrays(self.checkpoints / _arrays(epoch), arrays)
        log = append_rows(self.replay, replay, log) if replay is not None else None
        manifest = Manifest(int(epoch), written, log, plain)
        self._write_manifest(manifest)
        # Two are kept: one to resume from, and one in case a disk damages it.
        self._delete_all_but(manifest.files | (previous.files if previous else set()))

    def load_latest(self) -> Checkpoint | None:
        """The latest complete checkpoint, checked byte for byte, or None if there is none yet.

        A checkpoint whose writing was interrupted has no manifest and does not count. One that was
        complete and is now damaged raises DamagedCheckpoint: nothing is deleted, and nothing older
        takes its place in silence.
        """
        epochs = self.epochs
        if not epochs:
            return None
        try:
            return self._load(epochs[-1])
        except DamagedFile as error:
            raise DamagedCheckpoint(
                f"the checkpoint of epoch {epochs[-1]} is damaged: {error}. "
                f"Nothing was deleted. {self._remedy(epochs)}"
            ) from error

    def _load(self, epoch: int) -> Checkpoint:
        manifest = self._read_manifest(epoch)
        data = atomic.read(self.checkpoints / _arrays(epoch), manifest.arrays)
        replay = rebuild_ring(self.replay, manifest.replay) if manifest.replay else None
        return Checkpoint(epoch, decode_arrays(data), manifest.meta, replay)

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

    def _write_manifest(self, manifest: Manifest) -> None:
        content = {
            "format": FORMAT,
            "epoch": manifest.epoch,
            "arrays": manifest.arrays._asdict(),
            "replay": manifest.replay.to_json() if manifest.replay else None,
            "meta": manifest.meta,
        }
        path = self.checkpoints / _manifest(manifest.epoch)
        atomic.write_json(path, {**content, "crc32": _checksum(content)})

    def _read_manifest(self, epoch: int) -> Manifest:
        path = self.checkpoints / _manifest(epoch)
        try:
            content = json.loads(path.read_bytes())
            crc32 = content.pop("crc32")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DamagedFile(path, "is not a whole manifest") from None
        if content.get("format") != FORMAT:
            raise ValueError(
                f"{path} has format {content.get('format')!r}, but this version of autotelic reads "
                f"format {FORMAT}; use the version that wrote it"
            )
        if crc32 != _checksum(content) or content["epoch"] != epoch:
            raise DamagedFile(path, "has changed since it was written (its checksum differs)")
        replay = content["replay"]
        return Manifest(
            epoch,
            Written(**content["arrays"]),
            ReplayLog.from_json(replay) if replay else None,
            content["meta"],
        )

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


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content).encode())
