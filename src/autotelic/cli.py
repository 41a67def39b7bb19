"""The command line: finds the command, runs it, and turns what goes wrong into one sentence.

Little is loaded with this module: until `run` begins, nobody hears a stop signal.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple, NoReturn

from autotelic import _stopping
from autotelic._version import __version__
from autotelic.commands.exit_codes import FAILED, INTERRUPTED, REFUSED, exit_code


class Command(NamedTuple):
    """One word of the command line: the module whose `main` runs it, loaded only then."""

    module: str
    summary: str
    extra: str


COMMANDS = {
    "train": Command("autotelic.commands.train", "train goal selectors in an environment", "train"),
    "sweep": Command(
        "autotelic.commands.sweep",
        "train many runs from one file: here, on Ray or on Slurm",
        "train",
    ),
    "quickstart": Command(
        "autotelic.commands.quickstart",
        "see skills appear on 2D navigation within two minutes",
        "all",
    ),
    "evaluate": Command(
        "autotelic.commands.evaluate", "say how diverse the skills of a run are", "all"
    ),
    "report": Command(
        "autotelic.commands.report", "build a page of a run to open in a browser", "all"
    ),
    "figures": Command("autotelic.commands.figures", "draw the figures of a run", "all"),
    "export": Command(
        "autotelic.commands.export", "write one learner's skills to a file for NumPy", "train"
    ),
    "adapt": Command(
        "autotelic.commands.adapt", "use skills in a task: as they are, or by learning it", "all"
    ),
    "play": Command("autotelic.commands.play", "watch skills: a film, or a live window", "all"),
    "paper": Command(
        "autotelic.commands.paper", "train, evaluate and draw a figure of the paper", "all"
    ),
    "selectors": Command("autotelic.commands.selectors", "list the goal selectors", "train"),
    "objectives": Command("autotelic.commands.objectives", "list the objectives", "train"),
    "bench": Command(
        "autotelic.commands.bench",
        "measure how fast training is on this machine",
        "all",
    ),
}


CALLED = ("autotelic", "equinox", "jax", "matplotlib", "numpy", "pandas", "scipy", "sklearn")
"""Packages whose code warnings are attributed to, where a library warns its caller."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the words spell (by default those of the shell); returns its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"autotelic {__version__}")
        return 0
    name = words.pop(0)
    return _carry_out(name, words)


def _carry_out(name: str, words: Sequence[str]) -> int:
    """Run a command; says why it cannot be, or why it failed."""
    import warnings

    from autotelic import _validate
    from autotelic.commands.kept_programs import keep_programs
    from autotelic.runs.diverged import LearnersDiverged

    if name not in COMMANDS:
        return _say(_validate.unknown("command", name, COMMANDS), REFUSED)
    warnings.simplefilter("ignore", LearnersDiverged)  # commands say it in their own words
    keep_programs()
    try:
        import_module(COMMANDS[name].module).main(words)
    except SystemExit as exit:
        if exit.code is None or isinstance(exit.code, int):
            return exit.code or 0
        return _say(str(exit.code), FAILED)
    except KeyboardInterrupt as interrupt:
        return _say(str(interrupt) or "interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output has left; without this Python complains once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        code = exit_code(error)
        if code is None:
            raise
        return _say(sentence(error, name), code)
    return 0


def run() -> NoReturn:
    """The shell's program: ends with the exit code of its command."""
    _stopping.listen()
    if not sys.warnoptions:  # -W and PYTHONWARNINGS stand
        leave_out_warnings()
    code = main()
    if code == INTERRUPTED:
        _stopping.leave(code)
    sys.exit(code)


def leave_out_warnings() -> None:
    """Leave out what libraries warn their callers of, which are we; a user's modules are heard, and what
    Gymnasium says of an environment.
    """
    import warnings

    from autotelic._types import AutotelicWarning

    for package in CALLED:
        warnings.filterwarnings("ignore", module=rf"{package}(\.|$)")
    warnings.simplefilter("default", AutotelicWarning)


def overview() -> str:
    """The help of the whole command line."""
    width = max(len(name) for name in COMMANDS)
    commands = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: autotelic COMMAND [OPTIONS]",
            "",
            "Skill discovery with learned goal selection.",
            "",
            "commands:",
            *commands,
            "",
            "`autotelic COMMAND --help` explains a command; `autotelic --version` says which this is.",
        ]
    )


def sentence(error: Exception, command: str) -> str:
    """What to tell the user of an error."""
    if isinstance(error, ModuleNotFoundError) and "pip install" not in str(error):
        extra = COMMANDS[command].extra
        return f"autotelic {command} needs the package {error.name!r}: pip install 'autotelic[{extra}]'"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the system'}: {error.strerror}"
    return str(error)


def _say(message: str, code: int) -> int:
    prefix = "" if code == INTERRUPTED else "autotelic: "
    with suppress(BrokenPipeError):  # the exit code tells it even where nobody reads
        print(prefix + message, file=sys.stderr, flush=True)
    return code
