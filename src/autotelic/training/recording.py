"""What crews did, in the order of time: an epoch goes to the history when all of them have done it."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autotelic._documents import open_to_read
from autotelic.learner.learner import LearnerFunctions
from autotelic.observers.base import Audience
from autotelic.runs.atomic import Written
from autotelic.runs.history import HISTORY_FILE, HistoryWriter, history_columns
from autotelic.training.crew import Crew, Row


class Recorder:
    """Writes history.csv and tells the observers.

    written: of history.csv at the checkpoint that the run continues from, None if it begins.
    kept: what the history of a run that lost its checkpoints is called now; None if there is none.
    latest_priors: each member's p(g) when it chose its latest goal.
    """

    def __init__(
        self, folder: Path, functions: LearnerFunctions, written: Written | None, audience: Audience
    ):
        path = folder / HISTORY_FILE
        self.kept: Path | None = None if written else _set_aside(path)
        setting = functions.setting
        losses = [] if setting.frozen else functions.loss_names
        columns = history_columns(
            setting.num_goals,
            losses,
            success=setting.objective.gives_success,
            returns=setting.objective.needs_reward,
        )
        self.history: HistoryWriter = HistoryWriter(path, columns, written)
        self.audience = audience
        self.latest_priors: dict[int, np.ndarray] = {}
        self._waiting: dict[int, list[Row]] = defaultdict(list)

    def add(self, crew: Crew, crews: Sequence[Crew]) -> None:
        """Take a crew's epoch in, and write it if it was the last that the others waited for."""
        epoch = crew.epoch
        self._waiting[epoch] += crew.take_in()
        for member in crew.members:
            self.audience.tell("practised", member.number, epoch)
        if all(one.epoch > epoch for one in crews):
            rows = self._waiting.pop(epoch)
            rows.sort(key=lambda row: (row["visit"], row["member"]))
            self.latest_priors = {row["member"]: row["prior"] for row in rows}
            self.history.append(rows)
            self.audience.tell("epoch_done", epoch, rows)


def _set_aside(path: Path) -> Path | None:
    """Keep a history that nothing continues under another name, if it has rows."""
    if not path.exists():
        return None
    with open(open_to_read(path), "rb") as file:
        if not (file.readline() and file.readline().endswith(b"\n")):
            return None
    names = (path.with_name(f"history.{number}.csv") for number in itertools.count(1))
    return path.rename(next(name for name in names if not name.exists()))
