"""Which task runs when: as many as fit, again what was lost, and all the others when one fails."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from autotelic.sweeps import attempt
from autotelic.sweeps.attempt import Outcome
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.folder import Record, Task, epochs_done, read_record, write_record
from autotelic.training.interruption import Interruption

POLL = 0.1
"""Seconds between two looks at the backend."""


class Scheduler:
    """Brings all tasks to their ends.

    max_retries: attempts in a row that may be lost without getting further. A run that gets a bit
    further each time is not given up.
    tell: is told of every change, as a task's name and a sentence.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        backend: Backend,
        max_retries: int,
        tell: Callable[[str, str], None],
        parallel: int | None = None,
    ):
        self.backend = backend
        self.max_retries = max_retries
        self.tell = tell
        self.limit: int = min(
            [n for n in (parallel, backend.slots) if n is not None] or [len(tasks)]
        )
        self.waiting: list[Task] = [task for task in tasks if not task.done]
        self.running: list[Task] = []
        self.records: dict[str, Record] = {task.name: read_record(task) for task in tasks}
        self.interrupted: bool = False
        for task in tasks:
            state = "waiting" if task in self.waiting else "done"
            record = self.records[task.name]
            # A run that was given up may have ended by itself since.
            note = "" if state == "done" and record.state != "done" else record.note
            self._keep(task, record._replace(state=state, losses=0, note=note))

    def run(self, refresh: Callable[[], None] = lambda: None) -> None:
        """Until all are done or have failed; Ctrl-C lets those under way save themselves first."""
        try:
            with Interruption() as interruption:
                while self.running or self.waiting:
                    if interruption.requested and not self.interrupted:
                        self._interrupt()
                    while self.waiting and len(self.running) < self.limit:
                        self._start(self.waiting.pop(0))
                    for task, outcome in self.backend.poll():
                        self._take_in(task, outcome)
                    refresh()
                    time.sleep(POLL)
        finally:
            self.backend.close()
        if self.interrupted:
            raise KeyboardInterrupt

    def _start(self, task: Task) -> None:
        record = self.records[task.name]
        record = record._replace(state="waiting", attempts=record.attempts + 1)
        self._keep(task, record)
        try:
            self.backend.start(task, record)
        except OSError as error:
            self._fail(task, f"{error.filename or task.run}: {error.strerror or error}")
        else:
            self.running.append(task)

    def _take_in(self, task: Task, outcome: Outcome) -> None:
        self.running.remove(task)
        record = self.records[task.name]
        if outcome.kind == attempt.DONE:
            self._keep(task, record._replace(state="done", losses=0, note=outcome.sentence))
            self.tell(task.name, "done" + (f", but {outcome.sentence}" if outcome.sentence else ""))
        elif outcome.kind == attempt.FAILED:
            self._fail(task, outcome.sentence)
        elif outcome.kind == attempt.STOPPED:
            self._keep(task, record._replace(state="waiting"))
        else:
            self._lose(task, outcome.sentence)

    def _lose(self, task: Task, sentence: str) -> None:
        """Try again, unless too many attempts in a row got no further."""
        record, epoch = self.records[task.name], epochs_done(Path(task.run))
        losses = 1 if epoch > record.epoch else record.losses + 1
        record = record._replace(losses=losses, epoch=epoch, note=sentence)
        if attempt.OUT_OF_MEMORY in sentence and self.backend.slots is not None and self.limit > 1:
            self.limit -= 1
            sentence += f"; from here on {self.limit} at a time"
        self.records[task.name] = record
        if losses > self.max_retries:
            self._fail(task, f"given up after {record.attempts} attempts: {sentence}")
            return
        self._keep(task, record._replace(state="waiting"))
        self.tell(task.name, f"{sentence}; it is tried again from epoch {epoch}")
        if not self.interrupted:
            self.waiting.append(task)

    def _fail(self, task: Task, sentence: str) -> None:
        self._keep(task, self.records[task.name]._replace(state="failed", note=sentence))
        self.tell(task.name, f"failed: {sentence}")

    def _interrupt(self) -> None:
        self.interrupted = True
        self.waiting.clear()
        self.tell("", "stopping: runs under way are saved first (Ctrl-C again: at once)")
        self.backend.stop()

    def _keep(self, task: Task, record: Record) -> None:
        self.records[task.name] = record
        try:
            write_record(task, record)
        except OSError as error:  # the sweep goes on without; what is done is seen in the runs
            self.tell(task.name, f"its record could not be kept: {error}")
