"""What an evaluation found: a long table, its summary with intervals, and both on disk.

DIR/evaluation.csv    member, method, seed, trained, metric, value
DIR/evaluation.json   how it was evaluated, the summary, the alarms
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autotelic import _printable
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.health import Alarm
from autotelic.evaluation.statistics import (
    FEWEST_RUNS,
    interquartile_mean,
    interquartile_mean_interval,
)
from autotelic.runs import atomic
from autotelic.runs.diverged import Diverged
from autotelic.runs.tables import read_table

if TYPE_CHECKING:
    import pandas

FORMAT = 1
CONFIDENCE = 0.95
COLUMNS = ["member", "method", "seed", "trained", "metric", "value"]


class EvaluationSetting(NamedTuple):
    """How skills were sampled, and after how many epochs."""

    epochs: int
    per_goal: int
    steps: int
    seed: int


class Estimate(NamedTuple):
    """A metric's interquartile mean over a method's seeds; fewer than five give no interval (None)."""

    method: str
    trained: bool
    metric: str
    seeds: int
    estimate: float
    low: float | None
    high: float | None


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

    def summary(self) -> list[Estimate]:
        """Every metric of every method, trained and not, over its seeds.

        The untrained skills of a seed are the same for all methods. A metric that some seeds of a
        method lack is left out: a mean over the others would not be of the method. Learners that
        diverged lack all; estimates are of the others, and say how many they are.
        """
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
            "format": FORMAT,
            "setting": self.setting._asdict(),
            "confidence": CONFIDENCE,
            "summary": [row._asdict() for row in self.summary()],
            "metrics": {name: METRICS[name].words() for name in names},
            "alarms": [alarm._asdict() for alarm in self.alarms],
            "diverged": [one._asdict() for one in self.diverged],
        }
        atomic.write_bytes(folder / "evaluation.csv", self.table.to_csv(index=False).encode())
        atomic.write_json(folder / "evaluation.json", content)


def load_evaluation(folder: str | Path) -> Evaluation:
    """What `Evaluation.save` wrote to a run's folder."""
    folder = Path(folder)
    for name in ("evaluation.json", "evaluation.csv"):
        if not (folder / name).is_file():
            raise ValueError(
                f"{folder} has no {name}: the run is not evaluated yet; use `autotelic evaluate`"
            )
    try:
        content: Any = json.loads((folder / "evaluation.json").read_text())
        _printable.check(folder / "evaluation.json", content)
        table = read_table(folder / "evaluation.csv")
        if content["format"] == FORMAT and list(table.columns) == COLUMNS:
            alarms = [Alarm(**{**a, "member": tuple(a["member"])}) for a in content["alarms"]]
            diverged = [Diverged(**one) for one in content.get("diverged", [])]
            return Evaluation(EvaluationSetting(**content["setting"]), table, alarms, diverged)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"the evaluation in {folder} is damaged ({error}); make it again with "
            "`autotelic evaluate`"
        ) from error
    raise ValueError(
        f"the evaluation in {folder} is of another version (format {content['format']!r}, this one "
        f"reads {FORMAT}); make it again with `autotelic evaluate`"
    )


def _estimate(method: str, trained: bool, metric: str, values: np.ndarray) -> Estimate:
    low = high = None
    if len(values) >= FEWEST_RUNS:
        # A generator of its own: an interval must not depend on what else is summarised.
        interval = interquartile_mean_interval(
            values, np.random.default_rng(0), confidence=CONFIDENCE
        )
        low, high = interval.low, interval.high
    return Estimate(method, trained, metric, len(values), interquartile_mean(values), low, high)
