"""Alarms while a run trains: each kind is told once for a method, when it first sounds."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autotelic.evaluation.health import Alarm, alarms, stacked
from autotelic.observers.base import Observer, RunStart
from autotelic.runs.history import HISTORY_FILE, History, LearnerHistory, read_history

INTERVAL = 10
"""Epochs between two looks: alarms are about many epochs."""


class HealthWatch(Observer):
    """Tells a person what is wrong with learners, and what to try.

    Args:
        note: tells it, such as the `note` of the progress display.
    """

    def __init__(self, note: Callable[[str], None]):
        self._note = note
        self._rows: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        self._told: set[tuple[str, str]] = set()

    def started(self, start: RunStart) -> None:
        """Look back at the epochs that a resumed run has already done."""
        if start.first_epoch == 0:
            return
        # The run has cut off what was written after the checkpoint.
        table = read_history(start.folder / HISTORY_FILE)
        for member, history in enumerate(History(table).learners()):
            self._rows[member] = list(_rows(history))

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Look at every learner now and then."""
        for row in rows:
            self._rows[row["member"]].append(row)
        if (epoch + 1) % INTERVAL == 0:
            self._tell([a for own in self._rows.values() for a in alarms(stacked(own))])

    def _tell(self, found: Sequence[Alarm]) -> None:
        for kind, sentence in sentences(found).items():
            if kind not in self._told:
                self._told.add(kind)
                self._note(sentence)


def sentences(found: Sequence[Alarm]) -> dict[tuple[str, str], str]:
    """For each kind of alarm and method one sentence: which seeds, since when, and what to try."""
    return {
        kind: f"{kind[0]} ({whose(own)}): {own[0].message}" for kind, own in grouped(found).items()
    }


def grouped(found: Sequence[Alarm]) -> dict[tuple[str, str], list[Alarm]]:
    """The alarms by kind and method."""
    groups: dict[tuple[str, str], list[Alarm]] = defaultdict(list)
    for alarm in found:
        groups[alarm.name, alarm.member[0]].append(alarm)
    return groups


def whose(own: Sequence[Alarm]) -> str:
    """`DP, seeds 2, 4, since epoch 12`: which learners of one method, since when."""
    seeds = ", ".join(str(alarm.member[1]) for alarm in own)
    since = min(alarm.epoch for alarm in own) + 1  # people count epochs from 1
    return f"{own[0].member[0]}, seed{'s' * (len(own) > 1)} {seeds}, since epoch {since}"


def _rows(history: LearnerHistory) -> Sequence[Mapping[str, Any]]:
    method, seed = history.member
    return [
        {
            "method": method,
            "seed": seed,
            "visit": visit % history.visits_per_epoch,
            "goal": history.goals[visit],
            "certainty": history.certainty[visit],
            "prior": history.prior[visit],
            "signal": history.signal[visit],
            **({} if history.success is None else {"success": history.success[visit]}),
        }
        for visit in range(len(history.goals))
    ]
