"""What the recorder writes and tells, of crews that are doubles."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autotelic.objectives import Diayn
from autotelic.observers.base import Audience, Observer
from autotelic.runs.atomic import Written
from autotelic.runs.history import read_history, vector
from autotelic.training.recording import Recorder


class Crew:
    """Members of which each visits goal 0 twice an epoch; p(g) says who and when."""

    def __init__(self, *members: int):
        self.members = [SimpleNamespace(number=number) for number in members]
        self.epoch = 0

    def take_in(self) -> list[dict[str, Any]]:
        self.epoch += 1
        return [
            {
                **{"member": member.number, "method": "m", "seed": 0, "epoch": self.epoch - 1},
                **{"visit": visit, "warm_up": 0, "goal": 0, "certainty": 0.5},
                **{"effective_selection": 2.0, "effective_prior": 2.0},
                "prior": prior(member.number, self.epoch - 1, visit),
                "selection": np.full(2, 0.5),
                "signal": np.zeros(2),
            }
            for visit in range(2)
            for member in self.members
        ]


def prior(member: int, epoch: int, visit: int) -> np.ndarray:
    first = member / 10 + epoch / 100 + visit / 1000
    return np.array([first, 1 - first])


class Diary(Observer):
    def __init__(self) -> None:
        self.practices: list[tuple[int, int]] = []
        self.epochs: list[tuple[int, list[tuple[int, int]]]] = []

    def practised(self, member: int, epoch: int) -> None:
        self.practices.append((member, epoch))

    def epoch_done(self, epoch: int, rows: Any) -> None:
        self.epochs.append((epoch, [(row["visit"], row["member"]) for row in rows]))


def recorder(folder: Path, *observers: Observer, written: Written | None = None) -> Recorder:
    setting = SimpleNamespace(num_goals=2, frozen=True, objective=Diayn())
    functions: Any = SimpleNamespace(setting=setting)
    return Recorder(folder, functions, written, Audience(observers))


def test_an_epoch_is_written_and_told_when_all_crews_have_done_it(tmp_path: Path):
    diary = Diary()
    found, crews = recorder(tmp_path, diary), [Crew(2), Crew(0, 1)]
    order: Any = [crews[0], crews[0], crews[1], crews[1]]  # the first runs ahead
    for crew in order[:2]:
        found.add(crew, order)
    assert diary.practices == [(2, 0), (2, 1)] and diary.epochs == []
    assert found.latest_priors == {}
    for crew in order[2:]:
        found.add(crew, order)
    assert diary.practices[2:] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    rows = [(visit, member) for visit in range(2) for member in range(3)]
    assert diary.epochs == [(0, rows), (1, rows)]
    for member, latest in found.latest_priors.items():
        np.testing.assert_array_equal(latest, prior(member, epoch=1, visit=1))
    assert sorted(found.latest_priors) == [0, 1, 2]
    history = read_history(tmp_path / "history.csv")
    assert list(zip(history.epoch, history.visit, history.member, strict=True)) == [
        (epoch, *row) for epoch in range(2) for row in rows
    ]
    assert vector(history, "prior")[4] == pytest.approx(prior(1, 0, 1))


def test_a_history_that_nothing_continues_is_kept_under_another_name(tmp_path: Path):
    for number in (1, 2):
        found, crew = recorder(tmp_path), Crew(0)
        assert found.kept == (None if number == 1 else tmp_path / "history.1.csv")
        crews: Any = [crew]
        found.add(crews[0], crews)
    again = recorder(tmp_path, written=found.history.written)
    assert again.kept is None and len(read_history(tmp_path / "history.csv")) == 2
    assert recorder(tmp_path).kept == tmp_path / "history.2.csv"
    assert recorder(tmp_path).kept is None  # of one without rows there is nothing to keep


def test_a_history_of_one_row_is_kept_too(tmp_path: Path):
    (tmp_path / "history.csv").write_text("member\n0\n")
    assert recorder(tmp_path).kept == tmp_path / "history.1.csv"
    assert (tmp_path / "history.1.csv").read_text() == "member\n0\n"
