"""Which crew runs when, and when all of them meet to be measured and saved."""

import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from autotelic.environments import EnvironmentFailure
from autotelic.training.crew import Crew
from autotelic.training.interruption import Interruption
from autotelic.training.run_state import RunState, TrainingFailure
from autotelic.training.workers import crew_threads

SHORTEST_INTERVAL = 30.0
"""Seconds between checkpoints at the least."""

LONGEST_WAIT = 0.2
"""Seconds after which the loop looks whether Ctrl-C was pressed."""

SHARE_OF_TIME = 1 / 50
"""The largest share of a run that checkpoints may take, waiting for each other's epochs included."""

LONGEST_INTERVAL = 300.0
"""Seconds between checkpoints at the most, unless writing them alone takes a larger share: what a killed
run loses."""


def checkpoint_interval(writing: float, waiting: float) -> float:
    """Seconds from one checkpoint to the next, by what it costs to write it and to wait for all crews.

    >>> [checkpoint_interval(*costs) for costs in [(0.1, 0.0), (1.0, 1.0), (1.0, 60.0), (12.0, 60.0)]]
    [30.0, 100.0, 300.0, 600.0]
    """
    asked = min((writing + waiting) / SHARE_OF_TIME, LONGEST_INTERVAL)
    return max(SHORTEST_INTERVAL, asked, writing / SHARE_OF_TIME)


class Schedule:
    """Which crew runs when: each as soon as a worker is free; they meet to be measured and saved."""

    def __init__(self, state: RunState, checkpoint_every: int | None):
        self.state = state
        self.checkpoint_every = checkpoint_every
        self.last_epoch: int = state.plan.epochs
        self.limit: int = self.last_epoch
        self.meeting: bool = False  # whether the limit was lowered since the crews set out
        self.interrupted: bool = False
        self.saved_at: float = time.monotonic()
        self.cost: float = 0.0  # seconds that the last checkpoint took
        self.pending: dict[Future[None], Crew] = {}
        self.executor: ThreadPoolExecutor = ThreadPoolExecutor(
            crew_threads(state.environment), thread_name_prefix="crew"
        )

    def run(self) -> None:
        """Run all crews to the last epoch, or to a checkpoint if Ctrl-C is pressed."""
        try:
            with Interruption() as interruption:
                self.state.measure()
                self._set_out()
                while self.pending or self._all_stopped():
                    finished, _ = wait(self.pending, LONGEST_WAIT, return_when=FIRST_COMPLETED)
                    crews = [self._finish(future) for future in finished]
                    if interruption.requested and not self.interrupted:
                        self._interrupt()
                    elif not self.meeting and self._is_overdue():
                        self._meet()
                    self._submit(crews)
        except BaseException:
            self.state.stop()  # or crews under way would be waited for until their epochs end
            raise
        finally:
            self.executor.shutdown(wait=True, cancel_futures=True)

    def _set_out(self) -> None:
        """All crews stand at the same epoch: let them run to the one at which they are to meet."""
        epoch = self.state.crews[0].epoch
        due = [self.last_epoch]
        if self.checkpoint_every is not None:
            due.append((epoch // self.checkpoint_every + 1) * self.checkpoint_every)
        if self.state.curve is not None:
            due.append(self.state.curve.due)
        self.limit = min(due)
        self.meeting = False
        self._submit(self.state.crews)

    def _submit(self, crews: Iterable[Crew]) -> None:
        for crew in crews:
            if crew.epoch < self.limit and not crew.over:
                self.pending[self.executor.submit(crew.practise)] = crew

    def _finish(self, future: Future[None]) -> Crew:
        """Take in what a crew's epoch yielded; a failure says where, and what is safe."""
        crew = self.pending.pop(future)
        try:
            future.result()
            self.state.take_in(crew)
        except EnvironmentFailure as failure:
            raise TrainingFailure(self.state.explain(failure, crew.epoch)) from failure
        if self.state.nobody_left:
            raise TrainingFailure(self.state.explain_end())
        return crew

    def _all_stopped(self) -> bool:
        """Nothing runs: measure, save, then go on unless this was the end. Whether crews set out."""
        self.state.measure()
        if self._is_to_be_saved():
            started = time.monotonic()
            self.state.checkpoint()
            self.saved_at = time.monotonic()
            self.cost = self.saved_at - started
        if self.limit == self.last_epoch:
            return False
        if self.interrupted:
            raise KeyboardInterrupt
        self._set_out()
        return True

    def _is_to_be_saved(self) -> bool:
        if self.limit == self.last_epoch or self.interrupted:
            return True
        if self.checkpoint_every is not None:
            return self.limit % self.checkpoint_every == 0
        return self._is_overdue()

    def _is_overdue(self) -> bool:
        """Whether the clock, which decides where no epochs are given, asks for a checkpoint."""
        if self.checkpoint_every is not None:
            return False
        waiting = 0.0
        if len(self.state.crews) > 1:  # they wait for each other, up to one epoch
            waiting = self.state.seconds_per_epoch * crew_threads(self.state.environment)
        return time.monotonic() - self.saved_at > checkpoint_interval(self.cost, waiting)

    def _interrupt(self) -> None:
        self.interrupted = True
        self.state.audience.note(
            "stopping: epochs under way are finished and saved first (Ctrl-C again: at once)"
        )
        self._meet()

    def _meet(self) -> None:
        """Lower the limit to the first epoch that every crew can still stop at."""
        self.meeting = True
        queued = [self.pending.pop(future) for future in list(self.pending) if future.cancel()]
        under_way = [crew.epoch + 1 for crew in self.pending.values()]
        self.limit = max([*under_way, *(crew.epoch for crew in self.state.crews)])
        self._submit(queued)
