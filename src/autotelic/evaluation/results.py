"""What an evaluation found: a long table, its summary with intervals, and both on disk."""

import io
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from autotelic import _documents as documents
from autotelic._documents import FileError
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.health import Alarm
from autotelic.evaluation.statistics import (
    FEWEST_RUNS,
    interquartile_mean,
    interquartile_mean_interval,
)
from autotelic.runs.diverged import Diverged
from autotelic.runs.evaluated import (
    EVALUATION_FILE,
    TABLE_FILE,
    Estimate,
    EvaluationSetting,
    read_evaluated,
    write_evaluated,
)
from autotelic.runs.tables import read_table

if TYPE_CHECKING:
    import pandas

CONFIDENCE = 0.95
COLUMNS = ["member", "method", "seed", "trained", "metric", "value"]


@dataclass(frozen=True)
class Evaluation:
    """The metrics of all members of a run, for their skills and for those they began with.

    Args:
        setting: how they were evaluated.
        table: a row for each member, trained or not, and metric; see `COLUMNS`. A metric that a
            learner does not have (a correlation without visits, cells without positions) has none.
        alarms: what was wrong at the end of the run.
        diverged: the learners that have no skills to evaluate.
    """

    setting: EvaluationSetting
    table: "pandas.DataFrame"
    alarms: list[Alarm]
    diverged: list[Diverged] = field(default_factory=list)
    stored: list[Estimate] | None = field(default=None, repr=False, compare=False)
    """The summary, as it was saved."""

    def summary(self) -> list[Estimate]:
        """Every metric of every method, trained and not, over its seeds; it is computed once.

        The untrained skills of a seed are the same for all methods. A metric that some seeds of a
        method lack is left out: a mean over the others would not be of the method. Learners that
        diverged lack all; estimates are of the others, and say how many they are.
        """
        return self._computed if self.stored is None else self.stored

    @cached_property
    def _computed(self) -> list[Estimate]:
        seeds = self.table["seed"].nunique()
        lost = Counter(one.method for one in self.diverged)
        order = [name for name in METRICS if name in set(self.table["metric"])]
        groups = {
            key: rows["value"].to_numpy()
            for key, rows in self.table.groupby(["method", "trained", "metric"])
        }
        return [
            _estimate(method, trained, metric, values)
            for method in self.table["method"].unique()
            for trained in (True, False)
            for metric in order
            if (values := groups.get((method, trained, metric))) is not None
            and len(values) == seeds - (lost[method] if trained else 0)
        ]

    def save(self, folder: str | Path) -> None:
        """Write both files, in place of those of an earlier evaluation."""
        folder = Path(folder)
        names = [name for name in METRICS if name in set(self.table["metric"])]
        content = {
            "setting": self.setting._asdict(),
            "confidence": CONFIDENCE,
            "summary": [row._asdict() for row in self.summary()],
            "metrics": {name: METRICS[name].words() for name in names},
            "alarms": [alarm._asdict() for alarm in self.alarms],
            "diverged": [one._asdict() for one in self.diverged],
        }
        write_evaluated(folder, content, self.table.to_csv(index=False).encode())


def load_evaluation(folder: str | Path) -> Evaluation:
    """What `Evaluation.save` wrote to a run's folder."""
    folder = Path(folder)
    for name in (EVALUATION_FILE, TABLE_FILE):
        if not (folder / name).is_file():
            raise ValueError(
                f"{folder} has no {name}: the run is not evaluated yet; use `autotelic evaluate`"
            )
    content, data = read_evaluated(folder)
    path = folder / EVALUATION_FILE
    alarms = documents.checked(path, content["alarms"], list[Alarm], "alarms")
    table = read_table(io.BytesIO(data), folder / TABLE_FILE)
    if list(table.columns) != COLUMNS:
        raise FileError(folder / TABLE_FILE, f"its columns must be {', '.join(COLUMNS)}")
    return Evaluation(content["setting"], table, alarms, content["diverged"], content["summary"])


def _estimate(method: str, trained: bool, metric: str, values: np.ndarray) -> Estimate:
    low = high = None
    if len(values) >= FEWEST_RUNS:
        # A generator of its own: an interval must not depend on what else is summarised.
        interval = interquartile_mean_interval(
            values, np.random.default_rng(0), confidence=CONFIDENCE
        )
        low, high = interval.low, interval.high
    return Estimate(method, trained, metric, len(values), interquartile_mean(values), low, high)
