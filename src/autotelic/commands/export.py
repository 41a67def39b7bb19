"""`autotelic export`: one learner's skills as a file that needs NumPy alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from tyro.conf import DisallowNone, Positional, arg

from autotelic.commands.reading import read_flags
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.runs.run import Runs


@dataclass(frozen=True)
class ExportFlags:
    """Write the skills of one learner to a file. In Python: autotelic.Skills.load(FILE), with NumPy alone."""

    folder: Annotated[Positional[str], arg(metavar="RUN")]
    """A run, finished or with a checkpoint."""
    method: Annotated[
        str, arg(metavar="NAME", help_behavior_hint="(default: the run's, if it has one)")
    ] = ""
    """The learner's method, as the run calls it."""
    seed: Annotated[
        DisallowNone[int | None],
        arg(metavar="N", help_behavior_hint="(default: the method's first that did not diverge)"),
    ] = None
    """The learner's seed."""
    out: Annotated[str, arg(metavar="FILE")] = "skills.npz"
    """Where the file is written; only an earlier skill file is replaced."""
    own: OwnFlags = field(default_factory=OwnFlags)


def main(words: Sequence[str]) -> None:
    """Run the command."""
    flags = read_flags(ExportFlags, "export", words)
    runs = open_run(flags.folder, flags.own, ["autotelic", "export", *words])
    method, seed = chosen_learner(runs, flags.method, flags.seed)
    path = runs.export(method, seed, flags.out)
    print(
        f"{path} holds {runs.setting.num_goals} skills of {method}, seed {seed} "
        f"({path.stat().st_size / 1e3:.0f} kB): autotelic.Skills.load({str(path)!r})"
    )


def chosen_learner(runs: Runs, method: str, seed: int | None) -> tuple[str, int]:
    """The learner that two flags name, which may be left out where there is one choice."""
    if not method:
        if len(runs.methods) > 1:
            raise ValueError(
                f"{runs.folder} has several methods; choose one with --method: "
                + ", ".join(runs.methods)
            )
        method = runs.methods[0]
    if seed is None and method in runs.methods:
        return runs.example(method)
    return method, 0 if seed is None else seed
