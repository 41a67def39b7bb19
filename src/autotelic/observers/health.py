"""Alarms while a run trains: each kind is told once for a method, when it first sounds."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autotelic.evaluation.health import Alarm, alarms, extended
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
        self._known: dict[int, LearnerHistory] = {}
        self._new: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        self._told: set[tuple[str, str]] = set()

    def started(self, start: RunStart) -> None:
        """Look back at the epochs that a resumed run has already done."""
        if start.first_epoch == 0:
            return
        # The run has cut off what was written after the checkpoint.
        table = read_history(start.folder / HISTORY_FILE)
        self._known = dict(enumerate(History(table).learners()))

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Look at every learner now and then."""
        for row in rows:
            self._new[row["member"]].append(row)
        if (epoch + 1) % INTERVAL == 0:
            for member, own in self._new.items():
                self._known[member] = extended(self._known.get(member), own)
            self._new.clear()
            self._tell([alarm for own in self._known.values() for alarm in alarms(own)])

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
