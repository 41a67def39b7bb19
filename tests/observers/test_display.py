"""What people see of a run, on a terminal and in a log."""

import io
from pathlib import Path

import numpy as np
import pandas
import pytest
from rich.console import Console

from autotelic.observers.base import RunStart
from autotelic.observers.display import (
    LiveProgress,
    MethodNumbers,
    PlainProgress,
    Tally,
    duration,
    for_terminal,
    mean_numbers,
)
from autotelic.runs.history import History

LONG = "dp:temperature=0.3,offset=900,smoothing=100,normalization=l2"
START = RunStart(Path("runs/nav"), [("diayn", 0), ("diayn", 1), (LONG, 0), (LONG, 1)], 0, 10, 1000)


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def rows(skills: int = 20, certainty: float = 0.25, spread: int = 0, epoch: int = 20) -> list[dict]:
    """An epoch's lines of the history: seed 0 practises so many skills, the next `spread` more.

    They are at the end of a round without replacement: one goal is left to be selected.
    """
    return [
        {
            "member": index,
            "method": method,
            "seed": seed,
            "epoch": epoch,
            "visit": 0,
            "effective_selection": 1.0,
            "effective_prior": skills + spread * seed,
            "certainty": certainty,
            "prior": (np.arange(20) < skills + spread * seed) / (skills + spread * seed),
        }
        for index, (method, seed) in enumerate(START.members)
    ]


def practise(tally: Tally, epoch: int) -> None:
    for member in range(len(START.members)):
        tally.practised(member, epoch)
    tally.epoch_done(epoch, rows())


def test_a_log_says_how_many_goals_an_epoch_has():
    lines: list[str] = []
    PlainProgress(lines.append).started(START._replace(visits_per_epoch=5))
    assert lines[0].startswith("runs/nav: 4 learners, 10 epochs x 1000 steps (5 goals each)")


def test_methods_show_means_over_seeds_also_at_the_end_of_a_round():
    found = mean_numbers(rows(12, 0.5, spread=2), START)
    assert list(found) == ["diayn", LONG]
    for numbers in found.values():
        assert numbers == pytest.approx(MethodNumbers(13.0, 0.5, 20))


def test_the_effective_number_is_the_one_that_figures_show():
    # One goal is left of the first round of 20, which begins after two visits of warm-up.
    start = START._replace(warm_up_visits=2)
    rounds = {epoch: mean_numbers(rows(epoch=epoch), start)["diayn"] for epoch in (1, 2, 21, 22)}
    assert [numbers.effective_skills for numbers in rounds.values()] == [20.0, 1.0, 1.0, 20.0]
    table = pandas.DataFrame(
        [{**row, "warm_up": epoch < 2} for epoch in range(23) for row in rows(epoch=epoch)]
    )
    vectors = {f"prior_{goal}": 0.05 for goal in range(20)}
    curve = History(table.drop(columns="prior").assign(**vectors)).effective_curves()["diayn"][0]
    assert [curve[epoch] for epoch in rounds] == [20.0, 1.0, 1.0, 20.0]


def test_goals_that_can_be_reached_show_their_success():
    lines: list[str] = []
    display = PlainProgress(lines.append)
    display.started(START._replace(epochs=1))
    display.done = display.total
    reached = [{**row, "success": 0.5 * row["seed"]} for row in rows()]
    display.epoch_done(20, reached)
    assert "diayn: success 0.25, 20.0 of 20 effective skills;" in lines[1]
    assert "certainty" not in lines[1]
    output = io.StringIO()
    live = LiveProgress(Console(file=output, width=60, force_terminal=True, color_system=None))
    Tally.started(live, START)
    Tally.epoch_done(live, 20, reached)
    live.console.print(live)
    head, first, *_ = output.getvalue().splitlines()[2:]
    assert head.split() == ["method", "success", "effective", "skills"]
    assert first.split() == ["diayn", "0.25", "20.0", "of", "20"]


def test_speed_and_time_left_leave_compiling_out():
    clock = Clock()
    tally = Tally(clock)
    tally.started(START)
    clock.now += 60.0  # compiling, and the first epoch
    practise(tally, 0)
    for _ in range(2):  # in bunches
        assert str(tally) == "epoch 1/10"  # too early to tell
        clock.now += 1.0
        tally.practised(0, 1)
        tally.practised(1, 1)
    # Since the first epoch: 4 epochs of a member in 2 s; 32 of the 40 are left.
    assert str(tally) == "epoch 1/10 · 2,000 steps/s · 0:16 left"


def test_a_resumed_run_counts_what_is_done_but_not_its_speed():
    clock = Clock()
    tally = Tally(clock)
    tally.started(START._replace(first_epoch=8))
    assert (tally.done, tally.total, tally.epoch) == (32, 40, 8)
    practise(tally, 8)
    assert str(tally) == "epoch 9/10"
    clock.now += 4.0
    practise(tally, 9)
    assert str(tally) == "epoch 10/10 · 1,000 steps/s · 0:00 left"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (3599.4, "59:59"), (7325, "2:02:05")]
)
def test_durations(seconds: float, text: str):
    assert duration(seconds) == text


@pytest.mark.parametrize("width", [60, 120])
def test_the_live_display_fits_its_terminal(width: int):
    output = io.StringIO()
    console = Console(file=output, width=width, force_terminal=True, color_system=None)
    clock = Clock()
    display = LiveProgress(console, clock)
    Tally.started(display, START)
    console.print(display)
    assert "compiling ..." in output.getvalue()
    display.compiled()
    for epoch in range(3):
        clock.now += 1.0
        practise(display, epoch)
    output.truncate(0)
    console.print(display)
    lines = output.getvalue().lstrip("\0").splitlines()
    assert max(len(line) for line in lines) <= width
    assert " ".join(lines[0].split()) == "runs/nav epoch 3/10 · 4,000 steps/s · 0:07 left"
    assert lines[2].split() == ["method", "certainty", "effective", "skills"]
    assert lines[3].startswith("diayn ")
    for part in ("0.25", "20.0 of 20"):
        assert part in lines[3]
    seen = "dp:temperature=0.3,offset=900," + "smoothing=100" * (width == 120)
    assert lines[4].startswith(seen)


def test_notes_do_not_tear_the_live_display():
    output = io.StringIO()
    console = Console(file=output, width=60, force_terminal=True, color_system=None)
    display = LiveProgress(console)
    display.started(START)
    display.note("stopping soon")
    display.ended()
    assert "stopping soon\n" in output.getvalue()
    display.ended()  # once more is harmless: a run may end before it began


def test_a_log_gets_a_line_at_the_start_now_and_then_and_at_the_end():
    said: list[str] = []
    clock = Clock()
    display = PlainProgress(said.append, clock)
    display.started(START)
    assert said == ["runs/nav: 4 learners, 10 epochs x 1000 steps; compiling ..."]
    for epoch in range(10):
        clock.now += 8.0
        practise(display, epoch)
    display.note("a note")
    starts = [line.split(" · ")[0] for line in said[1:]]
    assert starts == ["epoch 4/10", "epoch 8/10", starts[2], "a note"]
    assert starts[2].startswith("epoch 10/10")
    assert said[1].endswith(
        "diayn: certainty 0.25, 20.0 of 20 effective skills; "
        f"{LONG}: certainty 0.25, 20.0 of 20 effective skills"
    )


def test_a_finished_run_is_not_said_to_be_compiling():
    said: list[str] = []
    PlainProgress(said.append).started(START._replace(first_epoch=10))
    assert said == ["runs/nav: 4 learners, 10 epochs x 1000 steps, from epoch 10"]


def test_only_a_terminal_gets_the_live_display():
    assert isinstance(for_terminal(Console(force_terminal=True)), LiveProgress)
    assert isinstance(for_terminal(Console(file=io.StringIO())), PlainProgress)
