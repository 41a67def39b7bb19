"""The words of a command as its flags, and the folder they name."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import tyro

from autotelic.flags.words import refuse_empty

Flags = TypeVar("Flags")


def read_flags(kind: type[Flags], command: str, words: Sequence[str]) -> Flags:
    """The flags of `autotelic COMMAND`; a switch has no opposite, and groups give no prefixes."""
    refuse_empty(words)
    config = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    return tyro.cli(kind, prog=f"autotelic {command}", args=words, config=config)


def check_folder(folder: Path) -> None:
    """Refuse a place where no folder can be."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise ValueError(f"--out {folder}: {existing} is a file; choose another folder")
    if not os.access(existing, os.W_OK):
        raise ValueError(f"--out {folder}: {existing} is not writable; choose another folder")
