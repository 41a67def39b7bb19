"""A run on disk, opened: settings, history and skills. Opening one executes nothing that it names."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

import jax

from autotelic import _documents as documents
from autotelic import _validate
from autotelic._documents import DamagedFile, Within
from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.learner import setting as settings
from autotelic.learner.learner import LearnerFunctions, learner_functions
from autotelic.learner.plan import FORMAT, LARGEST_SEED, EnvironmentSizes, check_setting
from autotelic.learner.setting import Setting
from autotelic.runs import atomic
from autotelic.runs.arrays import read_arrays
from autotelic.runs.atomic import Written
from autotelic.runs.diverged import Diverged, read_diverged
from autotelic.runs.export import export_skills
from autotelic.runs.history import (
    CURVE_FILE,
    GROWING,
    HISTORY_FILE,
    completed,
    read_curve,
    read_history,
)
from autotelic.runs.skills import SKILLS_FILE, SkillArrays, fill, initial_skills, skill_arrays
from autotelic.runs.start import Start, begun_skills, read_start
from autotelic.runs.store import CheckpointStore

if TYPE_CHECKING:
    import pandas

RUN_FILE = "run.json"


class Begun(TypedDict):
    """Policies that learners began with, see `Start.describe`."""

    members: list[tuple[str, int]]
    checksum: str


class Description(TypedDict):
    """What run.json says of a run; `grown` is what the manifest of its last checkpoint says of tables."""

    setting: dict[str, Any]
    own_parts: dict[str, str | None]
    sizes: dict[str, Any]
    methods: Annotated[dict[str, dict[str, Any]], Within(1)]
    seeds: Annotated[list[Annotated[int, Within(0, LARGEST_SEED)]], Within(1)]
    epochs: Annotated[int, Within(1)]
    crew: Annotated[int, Within(1)]
    versions: Annotated[list[dict[str, Any]], Within(1)]
    machine: str
    evaluate_every: NotRequired[Annotated[int, Within(1)] | None]
    devices: NotRequired[Annotated[int, Within(1)]]
    start: NotRequired[Begun]
    grown: NotRequired[dict[GROWING, dict[str, Any]]]


@dataclass(frozen=True)
class Runs:
    """A run folder: every method with every seed. Made by `train` and `load`.

    given: the setting that `load` was given, for parts that a file cannot bring back.
    """

    folder: Path
    description: dict[str, Any]
    given: Setting | None = None

    @cached_property
    def setting(self) -> Setting:
        """The settings all learners share."""
        if self.given is not None:
            return self.given
        return settings.from_description(self.description["setting"])

    @cached_property
    def environment(self) -> JaxEnvironment | HostEnvironment:
        """The environment that the learners act in; made once, as that may load a simulator."""
        return self.setting.make_environment()

    @property
    def methods(self) -> list[str]:
        """The methods' labels, in the order they were given."""
        return list(self.description["methods"])

    @property
    def seeds(self) -> list[int]:
        """The seeds every method was run with."""
        return list(self.description["seeds"])

    @property
    def members(self) -> list[tuple[str, int]]:
        """(method, seed) of every member, in the order of the population."""
        return [(method, seed) for method in self.methods for seed in self.seeds]

    @property
    def epochs(self) -> int:
        """How many epochs were planned."""
        return self.description["epochs"]

    @cached_property
    def history(self) -> "pandas.DataFrame":
        """One row for each member and visit, in the order of time: folder / "history.csv" as far as the
        latest checkpoint. What follows there is of no skills and has no checksum; before the first
        checkpoint it is all that there is, less the epoch that a kill may have torn.
        """
        path, written = self.folder / HISTORY_FILE, self._grown.get(HISTORY_FILE)
        return completed(read_history(path) if written is None else read_curve(path, written.size))

    @cached_property
    def learning_curve(self) -> "pandas.DataFrame | None":
        """What was measured while the run trained (`evaluate_every`), as far as the history; one row for
        each member and measurement; None if nothing was.
        """
        path, written = self.folder / CURVE_FILE, self._grown.get(CURVE_FILE)
        if written is not None:
            return read_curve(path, written.size)
        return None if self._grown or not path.exists() else read_curve(path)

    @cached_property
    def _grown(self) -> dict[GROWING, Written]:
        """What is known of the run's tables, checked."""
        return _check_tables(self.folder, self.description)

    @property
    def finished(self) -> bool:
        """Whether all planned epochs are done."""
        return (self.folder / SKILLS_FILE).exists() and self.epochs_done >= self.epochs

    @property
    def epochs_done(self) -> int:
        """Epochs that are in the latest checkpoint."""
        return max(CheckpointStore(self.folder).epochs, default=0)

    @property
    def diverged(self) -> list[Diverged]:
        """The learners that diverged before the end of the run, or before its latest checkpoint: they
        have no skills.
        """
        done = self.epochs if (self.folder / SKILLS_FILE).exists() else self.epochs_done
        return [one for one in read_diverged(self.folder) if one.epoch < done]

    @property
    def sound_members(self) -> list[tuple[str, int]]:
        """(method, seed) of every member that did not diverge, in the order of the population."""
        lost = {one.member for one in self.diverged}
        return [member for number, member in enumerate(self.members) if number not in lost]

    def example(self, method: str) -> tuple[str, int]:
        """The first learner of a method that did not diverge, for what shows one alone."""
        _validate.choice("method", method, self.methods)
        for member in self.sound_members:
            if member[0] == method:
                return member
        reason = next(one.sentence for one in self.diverged if one.method == method)
        raise ValueError(f"all learners of {method} have diverged; the first: {reason}")

    def functions(self) -> LearnerFunctions:
        """The pure functions of one learner of this run; the environment is not made."""
        sizes = EnvironmentSizes(**self.description["sizes"])
        return learner_functions(self.setting, sizes, self.epochs)

    @cached_property
    def skills(self) -> SkillArrays:
        """The skills at the end of the run, or at its latest checkpoint."""
        path = self.folder / SKILLS_FILE
        if path.exists():
            arrays = read_arrays(path)
        else:
            checkpoint = CheckpointStore(self.folder).load_latest()
            if checkpoint is None:
                raise ValueError(
                    f"{self.folder} has no checkpoint yet, so there are no skills; train it further "
                    "with --resume"
                )
            arrays = skill_arrays(self.functions(), checkpoint.arrays)
        functions, seeds = self.functions(), [seed for _, seed in self.members]
        template = jax.eval_shape(
            lambda: initial_skills(functions, seeds)
        )  # names and shapes, no work
        return fill(template, arrays, self.folder)

    @cached_property
    def start(self) -> Start | None:
        """The policies that learners began with, where they were given; None otherwise."""
        return read_start(self.folder, self.description.get("start"))

    @cached_property
    def untrained(self) -> SkillArrays:
        """The same members' skills before their first step: the null that learning is measured against.

        Kept, as making them takes seconds of compilation.
        """
        skills = initial_skills(self.functions(), [seed for _, seed in self.members])
        return skills if self.start is None else begun_skills(self.start, self.members, skills)

    def export(self, method: str, seed: int, out: str | Path) -> Path:
        """Write one learner's skills to a file that `autotelic.Skills.load` reads with NumPy alone.

        Args:
            method: the learner's, a label of `methods`.
            seed: the learner's.
            out: the file, such as "skills.npz"; only an earlier skill file is replaced.
        """
        return export_skills(self, method, seed, out)


def load(folder: str | Path, setting: Setting | None = None, *, environment: Any = None) -> Runs:
    """Open the run in a folder.

    Args:
        folder: of the run.
        setting: what it was trained with. Needed where the agent, the objective or the environment is
            an object of your own, which a file cannot bring back; another setting is refused.
        environment: in place of a setting, the run's environment alone. Needed where its name imports a
            module, such as "my_module:MyEnv-v0" or "brax::ant", as a file must not say what to import.
    """
    folder = Path(folder)
    path = folder / RUN_FILE
    if not path.exists():
        raise ValueError(
            f"{folder} holds no run: {path.name} is not there; give a folder made by `autotelic train`"
        )
    description = documents.read(path, Description, FORMAT)
    documents.checked(path, description["setting"], settings.DESCRIBED, "setting")
    documents.checked(path, description["sizes"], EnvironmentSizes, "sizes")
    if description["epochs"] < (done := max(CheckpointStore(folder).epochs, default=0)):
        raise DamagedFile(path, f"it plans {description['epochs']} epochs, and {done} are done")
    _check_tables(folder, description)
    if setting is None and environment is not None:
        setting = settings.from_description(description["setting"], environment=environment)
    return Runs(
        folder, description, None if setting is None else check_setting(description, setting)
    )


def _check_tables(folder: Path, description: dict[str, Any]) -> dict[GROWING, Written]:
    """How far the tables of a run have checksums, which is as far as its latest checkpoint; refuses what has
    changed.
    """
    path, store = folder / RUN_FILE, CheckpointStore(folder)
    grown = documents.checked(path, description.get("grown", {}), dict[GROWING, Written], "grown")
    known = store.check_tables()
    known = grown if known is None else known
    # A finished run has no rows beyond, and need not keep its checkpoints.
    if (folder / SKILLS_FILE).exists() and store.epochs[-1:] in ([], [description["epochs"]]):
        for name, written in known.items():
            atomic.check_beginning(folder / name, written, whole=True)
    return known
