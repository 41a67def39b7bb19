"""Progress for people: live on a terminal, a plain line now and then elsewhere."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from autotelic._words import count
from autotelic.observers.base import Observer, RunStart
from autotelic.runs.history import RETURN, effective_number

PLAIN_INTERVAL = 30.0
"""Seconds between plain lines at the least."""

WIDTH_OF_BARS = 90
"""Columns of a terminal from which there is room for bars beside the numbers."""


class MethodNumbers(NamedTuple):
    """Means over a method's seeds and visits in the latest complete epoch.

    effective_skills: see `autotelic.runs.history.effective_number`. success: of goals that can be
    reached; None of other goals. returned: of a task, what episodes that ended in the epoch were paid,
    NaN if none did; None of other runs.
    """

    effective_skills: float
    certainty: float
    num_goals: int
    success: float | None = None
    returned: float | None = None

    @property
    def words(self) -> str:
        """What a line of a log says."""
        if self.returned is not None:
            return f"return {self.returned:.2f}"
        first = f"certainty {self.certainty:.2f}"
        if self.success is not None:
            first = f"success {self.success:.2f}"
        return f"{first}, {self.effective_skills:.1f} of {self.num_goals} effective skills"


def mean_numbers(rows: Sequence[Mapping[str, Any]], start: RunStart) -> dict[str, MethodNumbers]:
    """An epoch's lines of the history as means over seeds and visits, by method; learners that have
    diverged, and methods with no others, are left out.
    """
    by_method: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if np.isfinite(row["certainty"]):
            by_method[row["method"]].append(row)
    return {
        method: MethodNumbers(
            _mean_effective_number(found, start),
            float(np.mean([row["certainty"] for row in found])),
            len(found[0]["prior"]),
            float(np.mean([row["success"] for row in found])) if "success" in found[0] else None,
            _mean_return(found) if RETURN in found[0] else None,
        )
        for method, found in by_method.items()
    }


def _mean_effective_number(rows: Sequence[Mapping[str, Any]], start: RunStart) -> float:
    selection = [row["effective_selection"] for row in rows]
    prior = [row["effective_prior"] for row in rows]
    before = [start.choices_before(row) for row in rows]
    return float(effective_number(selection, prior, before, len(rows[0]["prior"])).mean())


def _mean_return(rows: Sequence[Mapping[str, Any]]) -> float:
    """The mean over rows in which an episode ended."""
    known = [row[RETURN] for row in rows if np.isfinite(row[RETURN])]
    return float(np.mean(known)) if known else float("nan")


class Tally(Observer):
    """Counts what is done and how fast.

    Compiling must not count as slowness, so the clock runs from the first complete epoch; members
    end theirs in bunches, so a speed is told when as many more as there are members are through.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start: RunStart | None = None
        self.compiling: bool = False
        self.done: int = 0
        self.epoch: int = 0
        self.timed_from: tuple[float, int] | None = None
        self.numbers: dict[str, MethodNumbers] = {}
        self.diverged: int = 0

    def started(self, start: RunStart) -> None:
        """See `Observer.started`."""
        self.start = start
        self.epoch = start.first_epoch
        self.done = len(start.members) * start.first_epoch
        self.compiling = self.done < self.total

    def compiled(self) -> None:
        """See `Observer.compiled`."""
        self.compiling = False

    def practised(self, member: int, epoch: int) -> None:
        """See `Observer.practised`."""
        self.done += 1

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """See `Observer.epoch_done`."""
        self.epoch = epoch + 1
        assert self.start is not None
        self.numbers = mean_numbers(rows, self.start)
        self.diverged = len({row["member"] for row in rows if np.isnan(row["certainty"])})
        if self.timed_from is None:
            self.timed_from = self.clock(), self.done

    @property
    def total(self) -> int:
        """Epochs of all members together."""
        return len(self.start.members) * self.start.epochs if self.start else 0

    @property
    def rate(self) -> float | None:
        """Epochs of a member in a second, once it can be told."""
        if self.start is None or self.timed_from is None:
            return None
        since, already = self.timed_from
        if self.done - already < len(self.start.members):
            return None
        return (self.done - already) / max(self.clock() - since, 1e-9)

    def __str__(self) -> str:
        """`epoch 12/60 · 9,100 steps/s · 1:20 left`."""
        assert self.start is not None
        words = [f"epoch {self.epoch}/{self.start.epochs}"]
        rate = self.rate
        if rate is not None:
            words.append(f"{rate * self.start.steps_per_epoch:,.0f} steps/s")
            words.append(f"{duration((self.total - self.done) / rate)} left")
        if self.diverged:
            words.append(f"{count(self.diverged, 'learner')} diverged")
        return " · ".join(words)


def duration(seconds: float) -> str:
    """A time as a clock shows it.

    >>> duration(80), duration(3700)
    ('1:20', '1:01:40')
    """
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


class LiveProgress(Tally):
    """A bar, the speed and each method's numbers, redrawn in place."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self.console = console
        self.live: Live | None = None

    def started(self, start: RunStart) -> None:
        """Show the bar."""
        super().started(start)
        self.live = Live(self, console=self.console, refresh_per_second=4)
        self.live.start()

    def note(self, message: str) -> None:
        """Say it above the bar."""
        self.console.print(message)

    def ended(self) -> None:
        """Leave the last state on the screen."""
        if self.live is not None:
            self.live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        assert self.start is not None
        head = Table.grid(padding=(0, 1), expand=True)
        head.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        head.add_column(justify="right", no_wrap=True)
        state = Spinner("dots", "compiling ...") if self.compiling else Text(str(self))
        head.add_row(Text(str(self.start.folder), style="bold"), state)
        yield head
        yield ProgressBar(total=max(self.total, 1), completed=self.done)
        yield Text()  # a bar ends without a new line
        if self.numbers:
            yield self._table(bars=options.max_width >= WIDTH_OF_BARS)

    def _table(self, bars: bool) -> Table:
        table = Table(box=None, expand=True, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column("method", ratio=2, no_wrap=True, overflow="ellipsis")
        if any(numbers.returned is not None for numbers in self.numbers.values()):
            table.add_column("return", justify="right", no_wrap=True)
            for method, numbers in self.numbers.items():
                table.add_row(Text(method), f"{numbers.returned:.2f}")
            return table
        succeeding = any(numbers.success is not None for numbers in self.numbers.values())
        for name in ("success" if succeeding else "certainty", "effective skills"):
            table.add_column(name, justify="right", no_wrap=True)
            if bars:
                table.add_column(ratio=1)
        for method, numbers in self.numbers.items():
            share = numbers.certainty if numbers.success is None else numbers.success
            skills, num_goals = numbers.effective_skills, numbers.num_goals
            cells: list[RenderableType] = [Text(method), f"{share:.2f}"]
            cells += [ProgressBar(total=1.0, completed=share)] * bars
            cells += [f"{skills:.1f} of {num_goals}"]
            cells += [ProgressBar(total=num_goals, completed=round(skills, 1))] * bars
            table.add_row(*cells)
        return table


class PlainProgress(Tally):
    """A line at the start, at the end and now and then, for logs."""

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(clock)
        self.say = say
        self.said_at: float = clock()

    def started(self, start: RunStart) -> None:
        """Say what is going to happen."""
        super().started(start)
        epochs = f"{start.epochs} epochs x {start.steps_per_epoch} steps"
        what = f"{count(len(start.members), 'learner')}, {epochs}"
        if start.visits_per_epoch > 1:
            what += f" ({start.visits_per_epoch} goals each)"
        if start.first_epoch:
            what += f", from epoch {start.first_epoch}"
        self.say(f"{start.folder}: {what}" + ("; compiling ..." if self.compiling else ""))

    def epoch_done(self, epoch: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Say how far it is, at most every `PLAIN_INTERVAL` seconds and at the end."""
        super().epoch_done(epoch, rows)
        now = self.clock()
        if now - self.said_at >= PLAIN_INTERVAL or self.done == self.total:
            self.said_at = now
            means = [f"{method}: {numbers.words}" for method, numbers in self.numbers.items()]
            self.say("; ".join([str(self), *means]))

    def note(self, message: str) -> None:
        """Say it."""
        self.say(message)


def for_terminal(console: Console | None = None) -> Observer:
    """The display that suits where the output goes."""
    console = console or Console()
    if console.is_terminal:
        return LiveProgress(console)
    return PlainProgress(lambda line: print(line, flush=True))
