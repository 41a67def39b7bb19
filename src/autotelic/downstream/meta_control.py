"""A meta-controller: learns which skill to use when; beside it primitive actions from scratch, random
skills, and all in turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autotelic import _documents as documents
from autotelic import _validate
from autotelic.agents import Agent, AutoSac
from autotelic.downstream.episodes import at_random, episodes, in_turn, returns
from autotelic.downstream.learning import FROM_SCRATCH, returns_over_steps, task_setting
from autotelic.downstream.skill_task import SKILL_TASK
from autotelic.downstream.tasks import TaskFor
from autotelic.evaluation.statistics import Interval, mean_interval
from autotelic.learner.setting import Setting
from autotelic.observers.base import Observer
from autotelic.runs import atomic
from autotelic.runs.run import Runs, load
from autotelic.selectors import RoundRobin
from autotelic.skills import Skills
from autotelic.training.train import train

if TYPE_CHECKING:
    import pandas

META, RANDOM, ROUND_ROBIN = "meta-controller", "random skills", "round-robin"
FOLDERS = {META: "meta", FROM_SCRATCH: "from_scratch"}
SKILLS, BASELINES = "skills.npz", "baselines.json"
FORMAT = 2
"""Of the baselines."""


@dataclass(frozen=True)
class MetaControl:
    """What was learned over skills, and what it is compared to.

    Args:
        meta: the run of the meta-controller; an action is a skill.
        from_scratch: the run that learned the task by the environment's own actions; None if it was left
            out.
        baselines: returns [episodes] of skills drawn at random, and of all in turn.
    """

    meta: Runs
    from_scratch: Runs | None
    baselines: Mapping[str, np.ndarray]

    def returns_over_steps(self) -> "pandas.DataFrame":
        """Return against steps of the environment, of both; see `autotelic.downstream.returns_over_steps`."""
        import pandas

        tables = [returns_over_steps(own) for own in (self.meta, self.from_scratch) if own]
        return pandas.concat(tables, ignore_index=True)

    def intervals(self) -> dict[str, Interval]:
        """The mean return of each baseline that does not learn."""
        return {name: mean_interval(own) for name, own in self.baselines.items()}


def meta_control(
    skills: Skills,
    task: str,
    out: str | Path,
    *,
    options: Mapping[str, Any] | None = None,
    seeds: Sequence[int] = range(5),
    epochs: int = 50,
    steps_per_skill: int = 25,
    choices_per_epoch: int = 40,
    discrete: bool | None = None,
    from_scratch: bool = True,
    hidden_units: int = 64,
    batch_size: int = 64,
    learning_rate: float = 3e-4,
    agent: Agent | None = None,
    episodes_of_baselines: int = 20,
    evaluate_every: int = 1,
    resume: bool = False,
    observers: Sequence[Observer] = (),
) -> MetaControl:
    """Learn a task with skills as actions: by `DiscreteSac`, or by `Sac` on the sphere of continuous ones.

    Both runs make the same number of steps of the environment.

    Args:
        skills: of one learner.
        task: a Gymnasium id with a reward, see `TaskFor`; it may add an aim to the observation.
        out: a folder for `meta/` and `from_scratch/`, which are run folders, the skills, and baselines.json.
        options: for the task, beside those of the skills' environment.
        seeds: of the learners.
        epochs: of `choices_per_epoch` choices each.
        steps_per_skill: for how long a skill acts.
        choices_per_epoch: how many skills are chosen in an epoch.
        discrete: choose among the goals where skills are continuous too, see `SkillActions`.
        from_scratch: train the baseline too.
        hidden_units: of the meta-controller; from scratch it has as many as the skills' networks.
        batch_size: of both; choices are few, so that a replay may hold no more for long.
        learning_rate: of both.
        agent: of the meta-controller; by default a soft actor-critic with a tuned entropy scale.
        episodes_of_baselines: of random skills and of all in turn.
        evaluate_every: epochs between measurements of the return.
        resume: continue the runs in the folder.
        observers: who is told what happens.
    """
    for name, value in (
        ("steps_per_skill", steps_per_skill),
        ("choices_per_epoch", choices_per_epoch),
        ("epochs", epochs),
        ("evaluate_every", evaluate_every),
    ):
        _validate.integer(name, value, minimum=1)
    _validate.integer("episodes_of_baselines", episodes_of_baselines, minimum=2)
    made = TaskFor(task, skills, options or {})
    folder = Path(out)
    places = {arm: atomic.inner(folder / name) for arm, name in FOLDERS.items()}
    if not resume and any(place.exists() for place in places.values()):
        raise ValueError(
            f"{folder} already holds runs, which are never overwritten; continue them with "
            "--resume (resume=True), or choose another folder"
        )
    path = _kept_skills(folder, skills)
    common: dict[str, Any] = {"learning_rate": learning_rate, "batch_size": batch_size}
    setting = task_setting(
        SKILL_TASK,
        {
            "task": task,
            "skills": str(path),
            "steps": steps_per_skill,
            "task_options": dict(made.options),
            "discrete": discrete,
            "checksum": skills.checksum(),
        },
        agent=AutoSac() if agent is None else agent,
        hidden_units=hidden_units,
        steps_per_epoch=choices_per_epoch,
        **common,
    )
    how: dict[str, Any] = {
        "seeds": list(seeds),
        "epochs": epochs,
        "resume": resume,
        "evaluate_every": evaluate_every,
        "observers": observers,
    }
    meta = train(setting, {META: RoundRobin()}, out=places[META], **how)
    scratch = None
    if from_scratch:
        primitive = from_scratch_setting(made, choices_per_epoch * steps_per_skill, **common)
        scratch = train(primitive, {FROM_SCRATCH: RoundRobin()}, out=places[FROM_SCRATCH], **how)
    baselines = _baselines(made, folder, steps_per_skill, episodes_of_baselines)
    return MetaControl(meta, scratch, baselines)


def from_scratch_setting(
    made: TaskFor, steps_per_epoch: int, learning_rate: float = 3e-4, batch_size: int = 64
) -> Setting:
    """The task by the environment's own actions, with networks as large as those of the skills."""
    return task_setting(
        made.task,
        made.options,
        hidden_units=made.skills.info["hidden_units"],
        steps_per_epoch=steps_per_epoch,
        learning_rate=learning_rate,
        batch_size=batch_size,
    )


def load_meta_control(folder: str | Path) -> MetaControl:
    """What `meta_control` left in a folder."""
    folder = Path(folder)
    scratch = folder / FOLDERS[FROM_SCRATCH]
    saved = documents.read(folder / BASELINES, dict[str, list[float]], FORMAT)
    return MetaControl(
        load(folder / FOLDERS[META]),
        load(scratch) if scratch.exists() else None,
        {name: np.array(own) for name, own in saved.items()},
    )


def _kept_skills(folder: Path, skills: Skills) -> Path:
    """The file in the folder that the runs take their actions from."""
    path = (folder / SKILLS).absolute()
    if not path.exists():
        atomic.make_folder(folder)
        skills.save(path)
    elif Skills.load(path).checksum() != skills.checksum():
        raise ValueError(
            f"{path} holds other skills than those given; continue with its own, or choose another folder"
        )
    return path


def _baselines(
    made: TaskFor, folder: Path, steps_per_skill: int, count: int
) -> dict[str, np.ndarray]:
    """Returns of what does not learn, kept in a file."""
    plans = {RANDOM: at_random(len(made.skills)), ROUND_ROBIN: in_turn(len(made.skills))}
    found = {
        name: returns(episodes(made, plan, range(count), steps_per_skill=steps_per_skill))
        for name, plan in plans.items()
    }
    lists = {name: own.tolist() for name, own in found.items()}
    atomic.write_document(folder / BASELINES, lists, FORMAT)
    return found
