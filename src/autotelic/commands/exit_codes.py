"""How a command ends: 0 done; 1 something failed on the way (training, one of its learners, a folder in
use); 2 the command cannot be carried out as given, or with files as they are; 130 stopped by Ctrl-C or
SIGTERM.
"""

from autotelic._documents import FileError

FAILED, REFUSED, INTERRUPTED = 1, 2, 130


def exit_code(error: Exception) -> int | None:
    """How the command ends after an error; None for a bug, whose traceback must be seen."""
    if isinstance(error, FileError):
        return REFUSED
    if type(error).__module__.startswith("autotelic.") or isinstance(error, OSError):
        return FAILED
    if isinstance(error, ImportError):
        return None if (error.name or "").startswith("autotelic") else REFUSED
    if isinstance(error, ValueError | TypeError) and _raised_here(error):
        return REFUSED
    return None


def _raised_here(error: Exception) -> bool:
    """Whether this package raised the error, rather than a package it calls."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    name = traceback.tb_frame.f_globals.get("__name__", "") if traceback else ""
    return name.split(".")[0] == "autotelic"
