"""The form of an evaluation on disk, for all that read one.

DIR/evaluation.csv    member, method, seed, trained, metric, value
DIR/evaluation.json   how it was evaluated, the summary, the alarms, the table's checksum
"""

from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from autotelic import _documents as documents
from autotelic._documents import FileError
from autotelic.runs import atomic
from autotelic.runs.atomic import Written
from autotelic.runs.diverged import Diverged

FORMAT = 2
EVALUATION_FILE, TABLE_FILE = "evaluation.json", "evaluation.csv"


class EvaluationSetting(NamedTuple):
    """How skills were sampled, and after how many epochs."""

    epochs: int
    per_goal: int
    steps: int
    seed: int


class Estimate(NamedTuple):
    """A metric's interquartile mean over a method's seeds; the interval is None with one seed."""

    method: str
    trained: bool
    metric: str
    seeds: int
    estimate: float
    low: float | None
    high: float | None


class Words(TypedDict):
    """What is said of a metric."""

    label: str
    meaning: str
    better: str
    headline: bool


class Evaluated(TypedDict):
    """What evaluation.json holds."""

    setting: EvaluationSetting
    confidence: float
    summary: list[Estimate]
    metrics: dict[str, Words]
    alarms: list[dict[str, Any]]
    diverged: list[Diverged]
    table: Written


def write_evaluated(folder: Path, content: dict[str, Any], table: bytes) -> None:
    """Write both files, in place of those of an earlier evaluation."""
    written = atomic.write_bytes(folder / TABLE_FILE, table)
    content = {**content, "table": written._asdict()}
    atomic.write_document(folder / EVALUATION_FILE, content, FORMAT)


def read_evaluated(folder: Path) -> tuple[Evaluated, bytes]:
    """What `write_evaluated` wrote: the content, and the table."""
    try:
        content: Evaluated = documents.read(folder / EVALUATION_FILE, Evaluated, FORMAT)
        return content, atomic.read(folder / TABLE_FILE, content["table"])
    except FileError as error:
        problem = (
            f"its evaluation cannot be used ({error}); make it again with `autotelic evaluate`"
        )
        raise FileError(folder, problem) from None
