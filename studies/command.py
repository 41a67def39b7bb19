"""A study as a command: reads the flags, runs what is missing, writes the results."""

import argparse
import shlex
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autotelic.commands.exit_codes import INTERRUPTED, exit_code
from autotelic.observers.display import for_terminal
from autotelic.runs.run import load
from autotelic.sweeps.backends.ray_cluster import Ray
from studies import results
from studies.kept import Kept, forget, keep, kept
from studies.results import Facts, Further
from studies.spread import spread
from studies.study import Part, Study, parts, run, seconds
from studies.tables import Tables, joined, part_tables

Extend = Callable[[Study, Path, Tables], Further]


def main(
    module: str,
    studies: Mapping[str, Study],
    flag: str = "",
    extend: Extend | None = None,
    words: Sequence[str] | None = None,
    prepare: Callable[[Study, Path], Study] | None = None,
) -> int:
    """Run the study that the words name; returns the exit code of the command.

    Args:
        module: its name, as in `python -m studies.MODULE`.
        studies: by the value of the flag; the first is the default.
        flag: that chooses among several studies, without dashes.
        extend: adds to the tables.
        words: of the command, by default the shell's.
        prepare: completes the study with what must be trained first, given where its runs are kept.
    """
    words = list(sys.argv[1:] if words is None else words)
    parser = _parser(module, studies, flag)
    flags = parser.parse_args(words)
    study = studies[getattr(flags, flag)] if flag else next(iter(studies.values()))
    try:
        small = smaller(study, flags.seeds, flags.epochs)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if small != study and flags.out is None:
        parser.error("a smaller study is not the one in docs/results: name a folder with --out")
    runs = flags.runs or Path("studies/runs") / study.name
    out = flags.out or Path("docs/results") / study.name
    command = f"python -m studies.{module}" + (f" --{flag} {getattr(flags, flag)}" if flag else "")
    for name in ("seeds", "epochs"):
        value = getattr(flags, name)
        command += "" if value is None else f" --{name} {value}"
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if prepare is not None:
            small = prepare(small, runs)
        if flags.population:
            others = [part.folder for part in parts(small) if part.folder != flags.population]
            run(small, runs, lambda: [for_terminal()], is_kept=lambda part: part.folder in others)
            return 0
        if flags.backend:
            again = shlex.split(command)[3:]
            again += ["--runs", str(runs.absolute()), "--out", str(out.absolute())]
            place = Ray(runs.absolute(), 1, flags.address)
            spread(
                module,
                again,
                small,
                runs.absolute(),
                place,
                lambda part: kept(out, part) is not None,
            )
        done = _train(small, runs, out)
        tables = joined(small, [part.tables for part in done])
        further = Further(tables, {}) if extend is None else extend(small, runs, tables)
        found = zip(parts(small), done, strict=True)
        facts = {part.folder: Facts(own.seconds, own.versions) for part, own in found}
        results.write(small, further, facts, out, command)
        forget(out)
    except KeyboardInterrupt:
        again = shlex.join(["python", "-m", f"studies.{module}", *words])
        print(f"interrupted; the same command continues:\n  {again}", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        code = exit_code(error)
        if code is None:  # a bug, whose traceback must be seen
            raise
        print(f"studies.{module}: {error}", file=sys.stderr)
        return code
    finally:
        signal.signal(signal.SIGTERM, previous)
    print(f"{out} holds the results")
    return 0


def _train(study: Study, runs: Path, out: Path) -> list[Kept]:
    """Train what is missing; every finished part is kept beside the results at once."""

    def finished(part: Part) -> None:
        own = load(runs / part.folder)
        rows = part_tables(study, part, own)
        keep(out, part, Kept(rows, seconds(part, runs), own.description["versions"][-1]))

    run(
        study,
        runs,
        observers=lambda: [for_terminal()],
        is_kept=lambda part: kept(out, part) is not None,
        finished=finished,
    )
    found = [kept(out, part) for part in parts(study)]
    return [part for part in found if part is not None]


def smaller(study: Study, seeds: int | None, epochs: int | None) -> Study:
    """The study with the first of its seeds, and with another number of epochs."""
    if seeds is not None and not 2 <= seeds <= len(study.seeds):
        raise ValueError(f"--seeds must lie in [2, {len(study.seeds)}], got {seeds}")
    epochs = study.epochs if epochs is None else epochs
    return replace(
        study,
        seeds=study.seeds[:seeds],
        epochs=epochs,
        evaluate_every=min(study.evaluate_every, max(epochs, 1)),
    )


def _parser(module: str, studies: Mapping[str, Study], flag: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m studies.{module}",
        description="Run the study, or what is left of it, and write its results. "
        + " ".join(dict.fromkeys(study.question for study in studies.values())),
    )
    if flag:
        parser.add_argument(f"--{flag}", choices=list(studies), default=next(iter(studies)))
    parser.add_argument("--out", type=Path, help="results (default: docs/results/NAME)")
    parser.add_argument("--runs", type=Path, help="runs (default: studies/runs/NAME)")
    parser.add_argument("--backend", choices=["ray"], help="train populations on a Ray cluster")
    parser.add_argument("--address", default="", help="of the cluster (default: found or made)")
    parser.add_argument("--population", default="", help=argparse.SUPPRESS)
    parser.add_argument("--seeds", type=int, metavar="N", help="only the first N seeds")
    parser.add_argument("--epochs", type=int, metavar="N", help="another number of epochs")
    return parser
