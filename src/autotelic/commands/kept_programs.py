"""Compiled programs are kept between commands: the second run of a setting starts without compiling it.

JAX keeps them in a folder, which it is told of by the environment. One that the user has set stands.
"""

import hashlib
import os
import platform
import warnings
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path

FOLDER = "JAX_COMPILATION_CACHE_DIR"
SHORTEST = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"
LARGEST = 200 << 20
"""Bytes of all programs; the oldest go. One of 2D navigation has half a million."""


def keep_programs(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let JAX keep programs in the user's folder of caches, if it can be written to.

    To be called before JAX is loaded. What goes wrong with a file is no reason to say anything: its
    program is compiled again.
    """
    if FOLDER in environment:
        return
    home = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(home) / "autotelic" / f"programs-{_machine()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        make_room(folder, LARGEST)
    except OSError:
        return
    if os.access(folder, os.W_OK):
        environment[FOLDER] = str(folder)
        environment.setdefault(SHORTEST, "0.2")
        warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache")


def make_room(folder: Path, largest: int) -> None:
    """Remove the files that were used longest ago until the others have at most so many bytes."""
    files = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another process makes room too
            files.append((path.stat(), path))
    total = 0
    for status, path in sorted(files, key=lambda file: -max(file[0].st_atime, file[0].st_mtime)):
        total += status.st_size
        if total > largest:
            path.unlink(missing_ok=True)


def _machine() -> str:
    """A word for this kind of processor: a home may be shared by several, and programs may not."""
    said = platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        known = ("model name", "flags", "Features")
        said += "".join(sorted({line for line in lines if line.startswith(known)}))
    return hashlib.sha256(said.encode()).hexdigest()[:12]
