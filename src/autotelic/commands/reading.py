"""The words of a command as its flags."""

from collections.abc import Sequence
from typing import TypeVar

import tyro

Flags = TypeVar("Flags")


def read_flags(kind: type[Flags], command: str, words: Sequence[str]) -> Flags:
    """The flags of `autotelic COMMAND`; a switch has no opposite, and groups give no prefixes."""
    config = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    return tyro.cli(kind, prog=f"autotelic {command}", args=words, config=config)
