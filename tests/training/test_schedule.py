"""Where crews meet, of doubles: their epochs take no time."""

import time
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from autotelic.training import schedule
from autotelic.training.schedule import Schedule


class Crew:
    over = False

    def __init__(self, epoch: int = 0):
        self.epoch = epoch

    def practise(self) -> None:
        """In no time."""


class State:
    """A run of crews, and the epochs at which it was saved."""

    curve: Any = None
    nobody_left = False
    environment = None
    seconds_per_epoch = 0.0
    seconds_to_save = 0.0

    def __init__(self, *crews: Crew, epochs: int):
        self.crews, self.plan = list(crews), SimpleNamespace(epochs=epochs)
        self.saved: list[set[int]] = []
        self.notes: list[str] = []
        self.audience = SimpleNamespace(note=self.notes.append)

    def take_in(self, crew: Crew) -> None:
        crew.epoch += 1

    def measure(self) -> None:
        """There is nothing to measure."""

    def checkpoint(self) -> None:
        time.sleep(self.seconds_to_save)
        self.saved.append({crew.epoch for crew in self.crews})

    def stop(self) -> None:
        """There is nothing to stop."""


class Measured(State):
    """One that is measured every two epochs; measured: when it was."""

    def __init__(self, *crews: Crew, epochs: int):
        super().__init__(*crews, epochs=epochs)
        self.measured: list[int] = []

    def measure(self) -> None:
        self.measured.append(self.crews[0].epoch)
        self.curve = SimpleNamespace(due=self.measured[-1] + 2)


def made(state: State, checkpoint_every: int | None = None) -> Schedule:
    given: Any = state
    return Schedule(given, checkpoint_every)


def test_crews_meet_at_the_first_epoch_that_all_can_still_stop_at():
    slow, quick, queued = Crew(2), Crew(4), Crew(3)
    found = made(State(slow, quick, queued, epochs=9))
    under_way: list[Future[None]] = [Future(), Future()]
    for future in under_way:
        future.set_running_or_notify_cancel()
    waiting: Future[None] = Future()
    pending: Any = {under_way[0]: slow, under_way[1]: quick, waiting: queued}
    found.pending = pending
    found._meet()
    assert found.meeting and found.limit == 5  # the quick crew is within its fifth epoch
    assert waiting.cancelled()
    assert list(found.pending.values()) == [slow, quick, queued]  # whose epoch is before that
    found.executor.shutdown()


def test_a_crew_that_has_come_further_is_not_asked_to_go_back():
    slow, quick = Crew(1), Crew(4)
    found = made(State(slow, quick, epochs=9))
    found._meet()
    assert found.limit == 4 and found.pending == {}
    found.executor.shutdown()


def test_checkpoints_are_every_so_many_epochs_and_at_the_end():
    state = State(Crew(), Crew(), epochs=5)
    made(state, checkpoint_every=2).run()
    assert state.saved == [{2}, {4}, {5}]


def test_crews_stop_for_measurements_without_saving():
    state = Measured(Crew(), Crew(), epochs=5)
    made(state, checkpoint_every=5).run()
    assert state.measured == [0, 2, 4, 5] and state.saved == [{5}]


def test_without_an_interval_the_clock_decides(monkeypatch: pytest.MonkeyPatch):
    state = State(Crew(), epochs=3)
    made(state).run()
    assert state.saved == [{3}]  # long before the shortest interval is over
    costs: list[float] = []

    def overdue(writing: float, waiting: float) -> float:
        costs.append(writing)
        return -1.0

    monkeypatch.setattr(schedule, "checkpoint_interval", overdue)
    state = State(Crew(), Crew(), epochs=3)
    state.seconds_to_save = 0.01
    made(state).run()
    assert state.saved[-1] == {3} and all(len(epochs) == 1 for epochs in state.saved)
    assert len(state.saved) > 1
    assert costs[0] == 0.0 and costs[-1] >= 0.01  # what the last one took


def test_no_thread_is_left_after_a_run():
    found = made(State(Crew(), epochs=1))
    found.run()
    with pytest.raises(RuntimeError, match="after shutdown"):
        found.executor.submit(print)
