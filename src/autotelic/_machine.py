"""What memory this machine has, and the refusal of what needs more."""

import math
from pathlib import Path

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def size(number: float) -> str:
    """Bytes for people.

    >>> size(900), size(1536), size(3 * 2**30)
    ('900 B', '1.5 KiB', '3.0 GiB')
    """
    if number < 1024:
        return f"{number:.0f} B"
    power = min(int(math.log(number, 1024)), len(UNITS))
    return f"{number / 1024**power:.1f} {UNITS[power - 1]}"


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that a new process could have: what the system has to give, or the group of processes that this
    one belongs to, if that is less; None where neither is said.
    """
    found = _said_of_memory(root, "MemAvailable")
    limit, used = (_said_of_group(root, word) for word in ("max", "current"))
    found += [] if limit is None or used is None else [limit - used]
    return min(found, default=None)


def whole_memory(root: Path = Path("/")) -> int | None:
    """Bytes of all memory and swap, or the limit of the group of processes, if that is less; None where
    neither is said.
    """
    found = [sum(_said_of_memory(root, "MemTotal", "SwapTotal"))]
    limit = _said_of_group(root, "max")
    found += [] if limit is None else [limit]
    return min(filter(None, found), default=None)


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuse what needs more than all the memory there is; how much of it is free is no limit."""
    whole, free = whole_memory(), free_memory()
    if whole is not None and needed > whole:
        of_it = "" if free is None else f" ({size(free)} of it free)"
        raise ValueError(
            f"{what} needs at least {size(needed)} of memory, and this machine has {size(whole)}{of_it}; "
            f"{remedy}"
        )


def _said_of_memory(root: Path, *names: str) -> list[int]:
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
    except OSError:
        return []
    words = [line.split() for line in lines]
    return [int(found[1]) * 1024 for found in words if found[0].rstrip(":") in names]


def _said_of_group(root: Path, word: str) -> int | None:
    try:
        said = (root / "sys/fs/cgroup" / f"memory.{word}").read_text().strip()
    except OSError:
        return None
    return None if said == "max" else int(said)
