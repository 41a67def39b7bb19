"""Tasks of `fake_run`, and a backend that does as it is told."""

from pathlib import Path

from autotelic.sweeps.attempt import Outcome
from autotelic.sweeps.backends.base import Backend
from autotelic.sweeps.folder import Record, Task

HERE = str(Path(__file__).parent)


def fake_task(
    sweep: Path, name: str = "a", epochs: int = 2, seconds: float = 0.0, fault: str = ""
) -> Task:
    run = str(sweep / "runs" / name)
    words = [run, str(epochs), str(seconds), fault]
    return Task(name, "train", "fake_run", words, run, epochs, 1, str(sweep), HERE)


class Scripted(Backend):
    """Every attempt at a task has the next of the outcomes written for it; None goes on until stopped."""

    def __init__(self, outcomes: dict[str, list[Outcome | None]], slots: int | None = None):
        self.outcomes = outcomes
        self.slots = slots
        self.running: list[Task] = []
        self.most = 0
        self.started: list[str] = []
        self.stopped = self.closed = False

    def start(self, task: Task, record: Record) -> None:
        self.started.append(task.name)
        self.running.append(task)
        self.most = max(self.most, len(self.running))

    def poll(self) -> list[tuple[Task, Outcome]]:
        ended: list[tuple[Task, Outcome]] = []
        for task in list(self.running):
            outcome = self.outcomes[task.name][0]
            if outcome is None and self.stopped:
                outcome = Outcome("stopped")
            if outcome is not None:
                self.outcomes[task.name].pop(0)
                self.running.remove(task)
                ended.append((task, outcome))
        return ended

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.closed = True
