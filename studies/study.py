"""A study as data: arms that differ in few things, the same seeds for all; and how it is run."""

import hashlib
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autotelic import _validate
from autotelic._version import NUMBERS
from autotelic.learner import setting as settings
from autotelic.learner.plan import make_plan
from autotelic.learner.setting import Setting
from autotelic.observers.base import Observer
from autotelic.runs import atomic
from autotelic.runs.diverged import read_diverged
from autotelic.runs.run import Runs, load
from autotelic.selectors import GoalSelector, describe
from autotelic.training.run_state import TrainingFailure
from autotelic.training.train import train

LARGEST_POPULATION = 40
"""Learners trained together: enough for full crews, and a run that is finished is safe."""

SECONDS_FILE = "seconds.json"

ACCURACIES = ("area", "area_per_step", "area_discriminator")
"""What studies of recognisable skills are about, the primary measures first; see `tables.MEASURES`."""


@dataclass(frozen=True)
class Arm:
    """One line of a study's table.

    name: what it is called in tables and figures.
    setting, selector: what is trained.
    condition: arms are compared with the baselines of their own condition; "" if there is one only.
    """

    name: str
    setting: Setting
    selector: GoalSelector
    condition: str = ""

    @property
    def label(self) -> str:
        """The name in its run, which may hold arms of several conditions."""
        return f"{self.condition}: {self.name}" if self.condition else self.name


@dataclass(frozen=True)
class Study:
    """A question and what is trained to answer it.

    name: of its folders.
    question: a sentence.
    arms: what is compared.
    seeds: the same for every arm, so that arms are compared in pairs.
    epochs: of training, a multiple of `evaluate_every`.
    baselines: names of the arms that all others of their condition are compared with.
    evaluate_every: epochs between two points of the learning curves.
    measures: what its page is about, the first the most; see `tables.MEASURES`.
    """

    name: str
    question: str
    arms: tuple[Arm, ...]
    seeds: tuple[int, ...]
    epochs: int
    baselines: tuple[str, ...]
    evaluate_every: int = 5
    measures: tuple[str, ...] = ACCURACIES

    def __post_init__(self) -> None:
        _validate.integer("epochs", self.epochs, minimum=1)
        _validate.integer("evaluate_every", self.evaluate_every, minimum=1)
        if self.epochs % self.evaluate_every:
            raise ValueError(
                f"epochs must be a multiple of {self.evaluate_every}, the epochs between two "
                f"measurements, got {self.epochs}"
            )
        if len(self.seeds) < 2:
            raise ValueError(f"a study needs at least 2 seeds for intervals, got {len(self.seeds)}")
        labels = [(arm.condition, arm.name) for arm in self.arms]
        twice = [label for label in labels if labels.count(label) > 1]
        if twice or not labels:
            raise ValueError(f"arms must be at least one, each once, got {twice or 'none'}")
        for baseline in self.baselines:
            _validate.choice("baseline", baseline, [arm.name for arm in self.arms])
        for arm in self.arms:
            make_plan(arm.setting, {arm.label: arm.selector}, self.seeds, self.epochs)

    @property
    def conditions(self) -> list[str]:
        """In the order of their first arms."""
        return list(dict.fromkeys(arm.condition for arm in self.arms))


class Part(NamedTuple):
    """Arms that are trained as one population, and the folder's name."""

    folder: str
    setting: Setting
    arms: tuple[Arm, ...]


def parts(study: Study) -> list[Part]:
    """The study's runs: arms with one setting together, up to `LARGEST_POPULATION` learners.

    A folder's name says what is in it: a changed study finds the runs that stayed the same.
    """
    groups: list[list[Arm]] = []
    for arm in study.arms:
        own = next((group for group in groups if group[0].setting == arm.setting), None)
        if own is None:
            groups.append([arm])
        else:
            own.append(arm)
    size = max(1, LARGEST_POPULATION // len(study.seeds))
    chunks = [tuple(g[i : i + size]) for g in groups for i in range(0, len(g), size)]
    return [Part(_folder_name(study, arms), arms[0].setting, arms) for arms in chunks]


def run(
    study: Study,
    folder: Path,
    observers: Callable[[], Sequence[Observer]] = tuple,
    is_kept: Callable[[Part], bool] = lambda part: False,
    finished: Callable[[Part], None] = lambda part: None,
) -> list[Path]:
    """Train what is not trained yet; returns the folders of all runs, in the order of `parts`.

    Stopped at any moment and called again, it goes on where it was. A run whose learners all diverged is
    noted, and the next one follows.

    Args:
        study: what to train.
        folder: where the runs are kept.
        observers: makes those who are told of one run.
        is_kept: whether a part's numbers are there without its run.
        finished: is told of every part whose run is over.
    """
    found = parts(study)
    for number, part in enumerate(found, start=1):
        target = folder / part.folder
        if is_kept(part):
            continue
        if (target / "run.json").exists() and _is_over(load(target)):
            finished(part)
            continue
        watching = observers()
        for observer in watching:
            names = ", ".join(arm.label for arm in part.arms)
            observer.note(f"{study.name}, run {number} of {len(found)}: {names}")
        started = time.monotonic()
        try:
            train(
                part.setting,
                {arm.label: arm.selector for arm in part.arms},
                study.seeds,
                study.epochs,
                target,
                resume=True,
                evaluate_every=study.evaluate_every,
                observers=watching,
            )
        except TrainingFailure as failure:
            if not _is_over(load(target)):
                raise
            for observer in watching:
                observer.note(str(failure))
        finally:
            _add_seconds(folder, part.folder, time.monotonic() - started)
        finished(part)
    return [folder / part.folder for part in found]


def _is_over(runs: Runs) -> bool:
    """Whether nothing is left to train: all epochs are done, or all learners have diverged."""
    return runs.finished or len(read_diverged(runs.folder)) == len(runs.members)


def seconds(part: Part, folder: Path) -> float:
    """How long a part's run took, measuring included; what was killed does not count."""
    return _known_seconds(folder, part.folder)


def _known_seconds(folder: Path, name: str) -> float:
    own, together = folder / f"{name}.{SECONDS_FILE}", folder / SECONDS_FILE
    if own.exists():
        return json.loads(own.read_text())
    # One file held those of all parts before parts could be trained side by side.
    return json.loads(together.read_text()).get(name, 0.0) if together.exists() else 0.0


def _add_seconds(folder: Path, name: str, elapsed: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    total = round(_known_seconds(folder, name) + elapsed, 1)
    atomic.write_json(folder / f"{name}.{SECONDS_FILE}", total)


def _folder_name(study: Study, arms: Sequence[Arm]) -> str:
    """The first arm's name, and a digest of all that decides the run."""
    content = {
        "setting": settings.describe(arms[0].setting),
        "methods": {arm.label: describe(arm.selector) for arm in arms},
        "seeds": study.seeds,
        "epochs": study.epochs,
        "evaluate_every": study.evaluate_every,
        "numbers": NUMBERS,
    }
    text = json.dumps(settings.plain(content), sort_keys=True)
    word = re.sub(r"[^a-z0-9.]+", "-", arms[0].label.lower()).strip("-")
    return f"{word}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
