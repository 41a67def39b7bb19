"""One process at a time trains a run folder."""

import fcntl
import os
from pathlib import Path

from autotelic._documents import DamagedFile, open_to_read
from autotelic.runs import atomic


class RunLocked(RuntimeError):
    """Another process is training this folder."""


class RunLock:
    """Holds the run folder within `with`; the kernel lets go when the process ends, even killed."""

    def __init__(self, folder: str | Path):
        self.path: Path = Path(folder) / ".lock"

    def __enter__(self) -> "RunLock":
        atomic.make_folder(self.path.parent)
        self._file = atomic.open_to_write(self.path, os.O_CREAT)  # held open until __exit__
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with self._file:
                self._file.seek(0)
                owner = ascii(self._file.read(20).decode(errors="replace").strip()).strip("'")
            raise RunLocked(
                f"{self.path.parent} is being trained by process {owner or '(unknown)'}; "
                f"wait for it, stop it, or choose another folder"
            ) from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n".encode())
        self._file.flush()
        return self

    def __exit__(self, *_: object) -> None:
        # The file stays: deleting it would let two processes hold locks on two files of one name.
        self._file.close()


def is_held(folder: str | Path) -> bool:
    """Whether a process holds the folder. Asking takes the lock for a moment."""
    try:
        with open(open_to_read(Path(folder) / ".lock")) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, DamagedFile):  # no such file, or none that may be read
        return False
    return False
