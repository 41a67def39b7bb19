from pathlib import Path

import numpy as np
import pytest
from tiny_runs import (
    EPISODE,
    EPOCHS,
    GOALS,
    METHODS,
    STEPS,
    Stop,
    assert_same_run,
    replay_rows,
    run,
    tiny,
)

import autotelic as at
from autotelic.learner import visit as visits
from autotelic.observers.base import Observer, RunStart
from autotelic.runs.history import vector
from autotelic.runs.run import load
from autotelic.runs.skills import named_arrays
from autotelic.runs.store import CheckpointStore
from autotelic.selectors import parse_method
from autotelic.selectors.spelling import NAMES

pytestmark = pytest.mark.usefixtures("same_crews")


def test_the_same_seed_gives_the_same_bits(finished: Path, tmp_path: Path):
    run(tmp_path)
    assert_same_run(tmp_path, finished)


def test_another_seed_gives_another_history(finished: Path, tmp_path: Path):
    other = run(tmp_path, seeds=[1]).history
    assert not np.array_equal(other.loss_q, load(finished).history.loss_q)


def test_the_history_has_a_row_for_each_member_and_epoch(finished: Path):
    history = load(finished).history
    assert list(zip(history.epoch, history.member, history.method, strict=True)) == [
        (epoch, member, method) for epoch in range(EPOCHS) for member, method in enumerate(METHODS)
    ]
    for name in ("prior", "selection"):
        np.testing.assert_allclose(vector(history, name).sum(axis=1), 1.0, rtol=1e-12)
    assert np.isfinite(history.filter(like="loss_")).all(axis=None)
    assert history.certainty.between(0.0, 1.0).all()


def test_methods_with_one_seed_begin_as_the_same_learner(finished: Path):
    first = load(finished).history.query("epoch == 0")
    assert first.goal.nunique() == 1  # both selectors draw uniformly, by the same generator
    assert first.certainty.nunique() == 1
    assert first.loss_policy.nunique() == 1


def test_an_episode_lasts_through_a_change_of_goal_and_begins_anew_at_its_end(finished: Path):
    """The observation acted on is the last step's, or the reset's after an episode's end."""
    checkpoint = CheckpointStore(finished).load_latest()
    assert checkpoint is not None
    steps = EPOCHS * STEPS
    np.testing.assert_array_equal(checkpoint.arrays[".environment.time"], steps % EPISODE)
    rows = replay_rows(load(finished))
    capacity = rows["goal"].shape[1]
    ended = 0
    for step in range(steps - capacity + 1, steps):
        now, before = step % capacity, (step - 1) % capacity
        acted_on = rows["observation"][:, now]
        if step % EPISODE == 0:
            ended += 1
            np.testing.assert_array_equal(acted_on, 0.5)
            assert (rows["next_observation"][:, before] != 0.5).any()
        else:
            np.testing.assert_array_equal(acted_on, rows["next_observation"][:, before])
    assert ended == 4
    np.testing.assert_array_equal(rows["terminated"], 0.0)  # all of them are time-outs


def test_replayed_goals_are_those_of_the_history(finished: Path):
    history = load(finished).history
    goals = replay_rows(load(finished))["goal"]
    for member in range(len(METHODS)):
        chosen = history.query(f"member == {member}").goal.to_numpy()
        steps = np.arange(EPOCHS * STEPS - goals.shape[1], EPOCHS * STEPS)
        np.testing.assert_array_equal(goals[member, steps % goals.shape[1]], chosen[steps // STEPS])


@pytest.mark.parametrize("methods", [list(METHODS), ["diayn", "dp", "vic", "round-robin"]])
def test_one_program_is_traced_whatever_the_number_of_methods(
    methods: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    traces = []
    original = visits.run_visit
    monkeypatch.setattr(
        visits, "run_visit", lambda *arguments: [traces.append(1), original(*arguments)][1]
    )
    selectors = METHODS if methods == list(METHODS) else _short_selectors(methods)
    run(tmp_path, methods=selectors, epochs=3)
    assert len(traces) == 1


def test_every_selector_of_the_catalogue_works_in_a_run(tmp_path: Path):
    # But for those that need values or places, which the paper's setting does not give.
    names = [name for name, kind in NAMES.items() if kind().evidence <= {"probe_after"}]
    methods = _short_selectors(names)
    methods["dp probe"] = at.DiversityProgress(10, 5, reference="probe")
    methods["dp previous"] = at.DiversityProgress(10, 5, reference="previous_visit")
    assert len(names) == 14
    history = run(tmp_path, methods=methods, epochs=5).history
    assert set(history.method) == set(methods)
    selection = vector(history, "selection")
    chosen = selection[np.arange(len(history)), history.goal]
    assert (chosen > 0).all()
    np.testing.assert_allclose(
        history.effective_selection,
        np.exp(-np.sum(selection * np.log(selection, where=selection > 0, out=selection * 0), 1)),
    )
    np.testing.assert_allclose(history.query("method == 'diayn'").effective_selection, GOALS)
    for method in ("round-robin", "dp", "dp probe"):
        first_round = history.query(f"method == '{method}' and epoch < {GOALS}")
        assert sorted(first_round.goal) == list(range(GOALS))
        np.testing.assert_allclose(first_round.effective_selection, [3, 2, 1])
    signals = vector(history.query("method == 'dp'"), "signal")
    np.testing.assert_array_equal(np.isfinite(signals).sum(axis=1), [1, 2, 3, 3, 3])


def _short_selectors(names: list[str]) -> dict[str, at.GoalSelector]:
    """Selectors of the catalogue, whose windows fit in a tiny epoch."""
    windows = {"dp": "dp:offset=10,smoothing=5", "exp3s": "exp3s:offset=10,smoothing=5"}
    return {name: parse_method(windows.get(name, name))[1] for name in names}


class Diary(Observer):
    def __init__(self) -> None:
        self.entries: list[tuple] = []

    def started(self, start: RunStart) -> None:
        self.entries.append(("started", start.first_epoch, start.epochs, list(start.members)))

    def practised(self, member: int, epoch: int) -> None:
        self.entries.append(("practised", member, epoch))

    def epoch_done(self, epoch: int, rows) -> None:
        self.entries.append(("done", epoch, [row["member"] for row in rows]))

    def ended(self) -> None:
        self.entries.append(("ended",))


def test_observers_are_told_what_happens(tmp_path: Path):
    diary = Diary()
    run(tmp_path, observers=[diary])
    entries = diary.entries
    assert entries[0] == ("started", 0, EPOCHS, [("DIAYN", 0), ("DP", 0)])
    assert entries[-1] == ("ended",)
    assert [entry for entry in entries if entry[0] == "done"] == [
        ("done", epoch, [0, 1]) for epoch in range(EPOCHS)
    ]
    practised = sorted(entry[1:] for entry in entries if entry[0] == "practised")
    assert practised == [(member, epoch) for member in (0, 1) for epoch in range(EPOCHS)]


def test_a_frozen_run_records_everything_and_changes_no_parameter(tmp_path: Path):
    runs = run(tmp_path, setting=tiny(frozen=True))
    history = runs.history
    assert not list(history.filter(like="loss_"))
    assert np.isfinite(vector(history.query("epoch == 3"), "selection")).all()
    assert history.certainty.between(0.0, 1.0).all()
    signals = vector(history.query("method == 'DP' and epoch == 3"), "signal")
    assert np.isfinite(signals).all() and (signals != 0).any()  # DP sees progress without learning
    with np.load(tmp_path / "skills.npz") as skills:
        for name, array in named_arrays(runs.untrained).items():
            np.testing.assert_array_equal(skills[name], array)


def test_a_run_too_short_to_learn_says_so(tmp_path: Path):
    class StopAtNote(Observer):
        def note(self, message: str) -> None:
            raise Stop(message)

    with pytest.raises(Stop, match="80 steps, and learning begins after 81"):
        only = {"DIAYN": METHODS["DIAYN"]}
        run(tmp_path, setting=tiny(first_update=81), methods=only, observers=[StopAtNote()])
