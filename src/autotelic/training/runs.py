"""A run on disk, opened: settings, history and skills. Opening one executes nothing that it names."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from autotelic.training import setting as settings
from autotelic.training.arrays import read_arrays, write_arrays
from autotelic.training.diverged import Diverged, read_diverged
from autotelic.training.history import read_history
from autotelic.training.learner import LearnerFunctions
from autotelic.training.plan import FORMAT, EnvironmentSizes, check_setting
from autotelic.training.setting import Setting
from autotelic.training.store import CheckpointStore

if TYPE_CHECKING:
    import pandas

SKILLS_FILE = "skills.npz"
NEEDED = ("format", "setting", "sizes", "methods", "seeds", "epochs", "crew")
"""What the description of a run must hold."""


class Skills(NamedTuple):
    """What was learned, without replay: parameters with a leading axis of members."""

    policy: Any
    discriminator: Any


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
        try:
            return settings.from_description(self.description["setting"])
        except KeyError as error:
            raise ValueError(
                f"{self.folder / 'run.json'} is damaged: its setting lacks {error}"
            ) from error

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
        """One row for each member and visit, in the order of time: folder / "history.csv", less the
        epoch that a kill may have torn.
        """
        return read_history(self.folder / "history.csv")

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
    def skills(self) -> Skills:
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
        template = jax.eval_shape(lambda: untrained_skills(self))  # names and shapes, no work
        return fill(template, arrays, self.folder)

    @cached_property
    def untrained(self) -> Skills:
        """See `untrained_skills`; kept, as making them takes seconds of compilation."""
        return untrained_skills(self)


def load(folder: str | Path, setting: Setting | None = None) -> Runs:
    """Open the run in a folder.

    Args:
        folder: of the run.
        setting: what it was trained with. Needed where the agent, the objective or the environment is
            an object of your own, which a file cannot bring back; another setting is refused.
    """
    folder = Path(folder)
    path = folder / "run.json"
    if not path.is_file():
        raise ValueError(
            f"{folder} holds no run: {path.name} is not there; give a folder made by `autotelic train`"
        )
    try:
        description = json.loads(path.read_text())
        found = description["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} is damaged: it is not the description of a run ({error})"
        ) from error
    if found != FORMAT:
        raise ValueError(
            f"{path} has format {found}, but this version of autotelic reads format {FORMAT}; "
            "use the version that wrote it"
        )
    missing = [name for name in NEEDED if name not in description]
    if missing:
        raise ValueError(f"{path} is damaged: it lacks {', '.join(missing)}")
    description["setting"] = {**settings.OLDER, **description["setting"]}
    if not isinstance(description.setdefault("versions", {}), list):  # before runs kept a list
        description["versions"] = [{"from_epoch": 0, **description["versions"]}]
    return Runs(
        folder, description, None if setting is None else check_setting(description, setting)
    )


def learner_functions(setting: Setting, sizes: EnvironmentSizes, epochs: int) -> LearnerFunctions:
    """The pure functions of one learner in an environment, for a run of so many epochs."""
    setting.objective.check(sizes.observation_size)
    first_update = setting.first_update or sizes.episode_length or setting.steps_per_epoch
    return LearnerFunctions(
        setting,
        sizes.observation_size,
        sizes.action_size,
        setting.capacity(epochs),
        first_update,
    )


def untrained_skills(runs: Runs) -> Skills:
    """The same members' skills before their first step: the null that learning is measured against."""
    functions = runs.functions()
    keys = jax.vmap(jax.random.key)(np.array([seed for _, seed in runs.members], np.uint32))
    return jax.jit(jax.vmap(lambda key: initial_skills(functions, key)))(keys)


def initial_skills(functions: LearnerFunctions, seed_key: jax.Array) -> Skills:
    """One learner's skills before its first step, from its seed's key."""
    learner_key, _ = jax.random.split(seed_key)
    learner = functions.init(learner_key, (), np.zeros(functions.observation_size, np.float32))
    return Skills(functions.setting.agent.policy(learner.agent), learner.discriminator)


def named_arrays(tree: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """The arrays of a pytree by their paths in it."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {prefix + jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def fill(template: Any, arrays: dict[str, np.ndarray], source: Path) -> Any:
    """A pytree like the template with the named arrays in it; refuses other names, shapes or types."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    filled = []
    for path, leaf in leaves:
        name = jax.tree_util.keystr(path)
        found = arrays.get(name)
        if found is None or found.shape != leaf.shape or found.dtype != leaf.dtype:
            what = "is missing" if found is None else f"is {found.dtype}{list(found.shape)}"
            raise ValueError(
                f"{source} does not fit its settings: {name} {what}, expected "
                f"{leaf.dtype}{list(leaf.shape)}"
            )
        filled.append(found)
    return jax.tree.unflatten(structure, filled)


def skill_arrays(
    functions: LearnerFunctions, arrays: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Of a checkpoint's arrays those that make the skills, named as in a skills file."""
    shapes = jax.eval_shape(
        lambda key: functions.init(key, (), np.zeros(functions.observation_size, np.float32)),
        jax.random.key(0),
    )
    learner = jax.tree_util.tree_map_with_path(
        lambda path, leaf: arrays.get(jax.tree_util.keystr(path), leaf), shapes
    )
    return named_arrays(
        Skills(functions.setting.agent.policy(learner.agent), learner.discriminator)
    )


def save_skills(folder: Path, skills: Skills) -> None:
    """Write the skills alone: small, and all that evaluation needs."""
    write_arrays(folder / SKILLS_FILE, named_arrays(skills))
