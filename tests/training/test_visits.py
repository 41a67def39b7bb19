"""Goals held for a part of an epoch: several visits to goals, one row of the history each."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tiny_runs import (
    EPOCHS,
    GOALS,
    METHODS,
    STEPS,
    Corridor,
    Stop,
    StopAfter,
    assert_same_run,
    replay_rows,
    run,
    tiny,
    tiny_gymnasium,
)

import autotelic as at
from autotelic.observers.base import Observer, RunStart
from autotelic.runs.history import vector
from autotelic.runs.run import Runs, load
from autotelic.runs.store import CheckpointStore
from autotelic.training.run_state import TrainingFailure

pytestmark = pytest.mark.usefixtures("same_crews")

VISITS = 2
HELD = STEPS // VISITS
SHORT: dict[str, Any] = {
    "setting": tiny(steps_per_goal=HELD),
    "methods": {
        "low variance": at.DiversityProgress(draw="low_variance"),  # windows fit by themselves
        "probe": at.DiversityProgress(reference="probe"),
    },
}


class Diary(Observer):
    def __init__(self) -> None:
        self.visits, self.practices, self.rows = 0, [], []

    def started(self, start: RunStart) -> None:
        self.visits = start.visits_per_epoch

    def practised(self, member: int, epoch: int) -> None:
        self.practices.append((member, epoch))

    def epoch_done(self, epoch: int, rows: Any) -> None:
        self.rows.append([(row["epoch"], row["visit"], row["member"]) for row in rows])


@pytest.fixture(scope="module")
def short_visits(same_crews: None, tmp_path_factory) -> Runs:
    """Two methods, four epochs of two visits."""
    return run(tmp_path_factory.mktemp("visits"), **SHORT)


def test_visits_are_what_epochs_of_their_length_would_be(finished: Path, tmp_path: Path):
    """The same goals, held as long: how many of them make an epoch changes nothing that is learned."""
    diary = Diary()
    setting = tiny(steps_per_epoch=VISITS * STEPS, steps_per_goal=STEPS)
    long = run(tmp_path, setting=setting, epochs=EPOCHS // VISITS, observers=[diary]).history
    expected = load(finished).history
    assert long["epoch"].tolist() == (expected["epoch"] // VISITS).tolist()
    assert long["visit"].tolist() == (expected["epoch"] % VISITS).tolist()
    assert (expected["visit"] == 0).all()
    times = ["epoch", "visit"]
    pandas.testing.assert_frame_equal(long.drop(columns=times), expected.drop(columns=times))
    with np.load(tmp_path / "skills.npz") as skills, np.load(finished / "skills.npz") as alone:
        for name in alone:
            np.testing.assert_array_equal(skills[name], alone[name], strict=True)
    assert diary.visits == VISITS
    assert sorted(diary.practices) == [(m, e) for m in range(2) for e in range(EPOCHS // VISITS)]
    assert diary.rows == [
        [(epoch, visit, member) for visit in range(VISITS) for member in range(2)]
        for epoch in range(EPOCHS // VISITS)
    ]


def test_the_visit_follows_the_epoch_in_the_history(short_visits: Runs):
    header = (short_visits.folder / "history.csv").read_text().splitlines()[0]
    assert header.startswith(
        "member,method,seed,epoch,visit,warm_up,goal,effective_selection,effective_prior,certainty,"
    )
    assert len(short_visits.history) == EPOCHS * VISITS * len(METHODS)


def test_goals_are_held_for_a_visit_and_chosen_by_the_draw(short_visits: Runs):
    history, goals = short_visits.history, replay_rows(short_visits)["goal"]
    capacity = goals.shape[1]
    steps = np.arange(EPOCHS * STEPS - capacity, EPOCHS * STEPS)
    for member in range(2):
        chosen = history.query(f"member == {member}").goal.to_numpy()
        selected = history.query(f"member == {member} and warm_up == 0").goal
        assert sorted(selected[:GOALS]) == list(range(GOALS))
        np.testing.assert_array_equal(goals[member, steps % capacity], chosen[steps // HELD])
    own = history.query("method == 'low variance' and warm_up == 0")
    counts = np.bincount(own.goal[GOALS:], minlength=GOALS)
    owed = vector(own, "selection")[GOALS:].sum(axis=0)
    assert (np.abs(owed - counts) < 1.0).all()  # H_3 - 1 = 5/6


def test_probes_keep_states_of_a_whole_visit_and_no_other(short_visits: Runs):
    checkpoint = CheckpointStore(short_visits.folder).load_latest()
    assert checkpoint is not None
    kept = checkpoint.arrays["probes.next_observation"]
    assert kept.shape[:3] == (2, GOALS, HELD)
    rows = replay_rows(short_visits)["next_observation"]
    last = np.arange(EPOCHS * STEPS - HELD, EPOCHS * STEPS) % rows.shape[1]
    goal = short_visits.history.query("member == 1").goal.iloc[-1]
    np.testing.assert_array_equal(kept[1, goal], rows[1, last])


@pytest.mark.thorough
def test_a_resumed_run_ends_as_if_never_interrupted(short_visits: Runs, tmp_path: Path):
    with pytest.raises(Stop):
        run(tmp_path, observers=[StopAfter(2)], checkpoint_every=2, **SHORT)
    run(tmp_path, resume=True, **SHORT)
    assert_same_run(tmp_path, short_visits.folder)


def test_another_goal_duration_is_another_run(short_visits: Runs):
    message = f"steps_per_goal was {HELD}, now {STEPS}"
    with pytest.raises(ValueError, match=message):
        run(short_visits.folder, setting=tiny(), methods=SHORT["methods"], resume=True)


def test_a_failure_names_the_step_of_the_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Corridor, "fault", ("raise", 0, STEPS + HELD + 3))
    with pytest.raises(TrainingFailure, match=f"epoch 1, step {HELD + 3}: ArithmeticError"):
        run(
            tmp_path,
            setting=tiny_gymnasium(Corridor, steps_per_goal=HELD),
            methods={"DIAYN": at.Uniform()},
        )


def test_windows_must_fit_into_a_visit(tmp_path: Path):
    message = rf"offset 10 \+ smoothing 5 = 15 exceeds the {HELD} steps that a goal is held"
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "run", setting=tiny(steps_per_goal=HELD))
    assert not list(tmp_path.iterdir())
