"""Further places for a run's numbers, beside the history: TensorBoard, Weights & Biases."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from autotelic.observers.base import Observer, RunStart
from autotelic.runs import atomic
from autotelic.runs.history import RETURN, effective_number


def scalars(row: Mapping[str, Any], start: RunStart) -> dict[str, float]:
    """The numbers of a line of the history that make curves; of a learner that has diverged, none."""
    if np.isnan(row["certainty"]):
        return {}
    number = effective_number(
        row["effective_selection"],
        row["effective_prior"],
        start.choices_before(row),
        len(row["prior"]),
    )
    return {
        "effective_skills": float(number),
        **{
            name: float(value)
            for name, value in row.items()
            if name in ("certainty", "goal", "success")
            or name.startswith("loss_")
            or (name == RETURN and np.isfinite(value))
        },
    }


class TensorBoard(Observer):
    """Writes each member's curves to FOLDER/tensorboard/METHOD-seedN."""

    def __init__(self) -> None:
        self._package = _package("tensorboardX", "tensorboard")
        self._writers: list[Any] = []
        self._start: Any = None

    def started(self, start: RunStart) -> None:
        """Open a writer for each member; what a killed process wrote beyond the checkpoint goes."""
        for method, seed in start.members:
            name = f"{method}-seed{seed}".replace("/", "_")
            folder = atomic.inner(atomic.inner(start.folder / "tensorboard") / name)
            for path in folder.glob("*"):
                atomic.inner(path)  # the package writes to what has the name of its next file
            purge = start.first_epoch * start.visits_per_epoch
            self._writers.append(self._package.SummaryWriter(str(folder), purge_step=purge))
        self._start = start

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """One point for every curve and visit to a goal; the visits are counted from the run's
        first.
        """
        for row in rows:
            step = epoch * self._start.visits_per_epoch + row["visit"]
            for name, value in scalars(row, self._start).items():
                self._writers[row["member"]].add_scalar(name, value, step)

    def ended(self) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()


class WeightsAndBiases(Observer):
    """Logs each method's curves to a project of Weights & Biases: means over its seeds and an epoch's
    visits.
    """

    def __init__(self, project: str) -> None:
        self._package = _package("wandb", "wandb")
        self._project = project
        self._run: Any = None
        self._start: Any = None

    def started(self, start: RunStart) -> None:
        """Begin a run there, under the folder's name."""
        self._start = start
        self._run = self._package.init(
            project=self._project,
            name=start.folder.name,
            dir=str(atomic.inner(start.folder / "wandb").parent),
            config={
                "members": [f"{method}, seed {seed}" for method, seed in start.members],
                "first_epoch": start.first_epoch,
                "epochs": start.epochs,
                "steps_per_epoch": start.steps_per_epoch,
            },
        )

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """One point for every curve; the goal's number has no mean and stays out."""
        values: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            for name, value in scalars(row, self._start).items():
                if name != "goal":
                    values[f"{name}/{row['method']}"].append(value)
        means = {name: float(np.mean(found)) for name, found in values.items()}
        self._run.log({"epoch": epoch, **means}, step=epoch)

    def ended(self) -> None:
        """Finish the run there."""
        if self._run is not None:
            self._run.finish()


def _package(name: str, extra: str) -> Any:
    """The package, or a refusal that says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(
            f"--{extra} needs the package {name!r}: pip install 'autotelic[{extra}]'", name=name
        ) from error
