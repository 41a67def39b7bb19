"""A learner whose numbers become NaN or infinite is marked and left out; the others go on as if it
had not been there.
"""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pandas
import pytest
from tiny_runs import (
    EPOCHS,
    STEPS,
    Corridor,
    Notes,
    SaveableCorridor,
    Stop,
    StopAfter,
    assert_same_run,
    copied,
    run,
    tiny_gymnasium,
)

import autotelic as at
from autotelic.environments import EnvironmentStep
from autotelic.evaluation.catalogue import curve_metrics
from autotelic.observers.base import Observer
from autotelic.runs.diverged import DIVERGED_FILE, Diverged, LearnersDiverged, read_diverged
from autotelic.runs.history import vector
from autotelic.runs.run import Runs, load
from autotelic.runs.store import CheckpointStore
from autotelic.training.crew import Crew
from autotelic.training.learners import Learners, environment_seeds
from autotelic.training.learning_curve import EFFECTIVE
from autotelic.training.run_state import TrainingFailure

pytestmark = [
    pytest.mark.usefixtures("same_crews"),
    pytest.mark.filterwarnings("ignore::autotelic.runs.diverged.LearnersDiverged"),
]

SEEDS, LOST = [9, 4, 5, 6], 0
"""Four members, hence two crews of two learners; the first member is the one that diverges."""
METHODS = {"DIAYN": at.Uniform()}
FAULT = ("huge", 9, STEPS + 7)
"""A finite observation, but so large that its square is not: the losses diverge."""


def trained(folder: Path, **changes: Any) -> Runs:
    """The run of these tests, in a host environment unless told otherwise."""
    values = {"setting": tiny_gymnasium(SaveableCorridor), "methods": METHODS, "seeds": SEEDS}
    return run(folder, **{**values, **changes})


@pytest.fixture(scope="module")
def undisturbed(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A run in which nobody diverges."""
    return trained(tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture(scope="module")
def disturbed(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The same, with a learner that diverges in its second epoch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Corridor, "fault", FAULT)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return trained(tmp_path_factory.mktemp("disturbed"), evaluate_every=2)


def assert_others_are_the_same(runs: Runs, other: Runs) -> None:
    """All but the lost member's rows and skills, bit for bit."""
    for name, values in np.load(runs.folder / "skills.npz").items():
        expected = np.load(other.folder / "skills.npz")[name]
        np.testing.assert_array_equal(
            np.delete(values, LOST, axis=0), np.delete(expected, LOST, axis=0), name
        )
    kept = runs.history["member"] != LOST
    pandas.testing.assert_frame_equal(
        runs.history[kept], other.history[other.history["member"] != LOST], check_exact=True
    )


def test_the_others_go_on_bit_for_bit(disturbed: Runs, undisturbed: Runs):
    assert disturbed.description["crew"] == 2  # the crew's other member too
    assert disturbed.finished
    assert_others_are_the_same(disturbed, undisturbed)


def test_who_diverged_is_kept_with_when_and_what_may_help(disturbed: Runs, undisturbed: Runs):
    [one] = disturbed.diverged
    assert isinstance(one, Diverged)
    assert (one.member, one.method, one.seed, one.epoch) == (LOST, "DIAYN", 9, 1)
    assert 7 <= one.step < STEPS
    assert "of member 0 (DIAYN, seed 9) became NaN or infinite in epoch 1, step" in one.sentence
    assert "learning_rate" in one.sentence
    assert read_diverged(disturbed.folder) == [one]
    assert undisturbed.diverged == []
    assert not (undisturbed.folder / DIVERGED_FILE).exists()


def test_its_rows_hold_no_measures_and_the_table_stays_whole(disturbed: Runs, undisturbed: Runs):
    found, expected = disturbed.history, undisturbed.history
    assert found.shape == expected.shape
    assert found["member"].tolist() == expected["member"].tolist()
    own, as_it_was = (table[table["member"] == LOST] for table in (found, expected))
    before, after = own[own["epoch"] == 0], own[own["epoch"] >= 1]
    assert before.equals(as_it_was[as_it_was["epoch"] == 0])
    measures = ["certainty", *found.filter(like="loss_"), *found.filter(like="signal_")]
    assert after[measures].isna().all(axis=None)
    assert after["goal"].nunique() == 1
    assert np.isfinite(vector(after, "prior")).all()
    # The goal of the visit in which it diverged was drawn; later ones were not.
    later = own[own["epoch"] >= 2]
    assert own["effective_selection"].notna().tolist() == [True, True, False, False]
    assert np.isnan(vector(later, "selection")).all()
    assert (found["warm_up"] == expected["warm_up"]).all()


def test_the_observers_are_told_and_the_caller_is_warned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Corridor, "fault", FAULT)
    told = Notes()
    with pytest.warns(
        LearnersDiverged, match="1 of 4 learners diverged and is left out: DIAYN, seed 9"
    ):
        runs = trained(tmp_path, observers=[told])
    [one] = runs.diverged
    assert told.messages == [f"{one.sentence}. It is left out from here on"]


def test_its_selector_is_asked_and_told_nothing_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls: list[tuple[str, int]] = []
    choice, pursue = Crew._choice, at.Curriculum.update

    def counted(self: Crew, index: int, *more: Any) -> Any:
        calls.append(("select", self.members[index].seed))
        return choice(self, index, *more)

    def updated(self: at.Curriculum, posteriors: Any, **evidence: Any) -> None:
        assert np.isfinite(posteriors).all()
        calls.append(("update", -1))
        pursue(self, posteriors, **evidence)

    monkeypatch.setattr(Crew, "_choice", counted)
    monkeypatch.setattr(at.Curriculum, "update", updated)
    monkeypatch.setattr(Corridor, "fault", FAULT)
    trained(tmp_path)
    assert calls.count(("select", 9)) == 2  # epochs 0 and 1
    assert calls.count(("select", 4)) == EPOCHS
    assert calls.count(("update", -1)) == 3 * EPOCHS + 1


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.thorough
def test_a_run_killed_after_the_divergence_resumes_to_the_same_end(
    disturbed: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
):
    """Killed in its epoch, before any checkpoint of it; and later, from a checkpoint that holds it."""
    monkeypatch.setattr(Corridor, "fault", FAULT)
    with pytest.raises(Stop):
        trained(tmp_path, observers=[StopAfter(after)], evaluate_every=2)
    assert CheckpointStore(tmp_path).epochs[-1] == after
    assert len(read_diverged(tmp_path)) == 1
    # What the checkpoint does not hold yet is not said of its skills.
    assert len(load(tmp_path).diverged) == after - 1
    told = Notes()
    trained(tmp_path, resume=True, observers=[told])
    assert_same_run(tmp_path, disturbed.folder)
    for name in (DIVERGED_FILE, "learning_curve.csv"):
        assert (tmp_path / name).read_bytes() == (disturbed.folder / name).read_bytes()
    expected = "left out from here on" if after == 1 else "1 of 4 learners diverged"
    assert [expected in message for message in told.messages] == [True]


def test_an_entry_later_than_the_checkpoint_is_dropped(
    undisturbed: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The environment was repaired meanwhile: the learner goes on from where it was sound."""
    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr(Corridor, "fault", FAULT)
        trained(tmp_path, observers=[StopAfter(1)])
    runs = trained(tmp_path, resume=True)
    assert_same_run(tmp_path, undisturbed.folder)
    assert runs.diverged == [] and not (tmp_path / DIVERGED_FILE).exists()


def test_a_finished_run_says_it_again_and_a_longer_one_goes_on_with_the_others(
    disturbed: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = copied(disturbed.folder, tmp_path / "copy")
    with pytest.warns(LearnersDiverged, match="DIAYN, seed 9"):
        trained(folder, resume=True)
    assert_same_run(folder, disturbed.folder)
    runs = trained(folder, resume=True, epochs=EPOCHS + 1)
    longer = trained(tmp_path / "undisturbed", epochs=EPOCHS + 1)
    assert runs.diverged == disturbed.diverged
    assert_others_are_the_same(runs, longer)
    assert len(runs.history) == len(longer.history)


class Order(Observer):
    """Remembers who finished which epoch, in the order of time."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    def practised(self, member: int, epoch: int) -> None:
        self.seen.append((member, epoch))


@pytest.mark.thorough
def test_a_crew_of_which_nobody_is_left_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Crews of one learner: that of the lost one stands still, and does not run ahead of the others,
    who could not meet it for a checkpoint.
    """
    setting = tiny_gymnasium(SaveableCorridor, hidden_units=65)  # which do not share a crew
    whole = trained(tmp_path / "whole", setting=setting)
    assert whole.description["crew"] == 1
    monkeypatch.setattr(Corridor, "fault", FAULT)
    visits: list[int] = []
    run_visit = Learners.run_visit

    def counted(learners: Learners, *arguments: Any) -> Any:
        visits.extend(learners.members)
        return run_visit(learners, *arguments)

    monkeypatch.setattr(Learners, "run_visit", counted)
    told = Order()
    runs = trained(tmp_path / "run", setting=setting, checkpoint_every=None, observers=[told])
    assert_others_are_the_same(runs, whole)
    assert (visits.count(LOST), visits.count(1)) == (2, EPOCHS)
    for epoch in range(2, EPOCHS):
        others = [told.seen.index((member, epoch)) for member in (1, 2, 3)]
        assert told.seen.index((LOST, epoch)) > max(others)


def test_if_nobody_is_left_the_run_ends_and_the_checkpoint_before_is_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Corridor, "fault", FAULT)
    message = (
        r"of member 0 \(DIAYN, seed 9\) became NaN or infinite in epoch 1, step \d+; .*learning_rate"
        r".*The checkpoint of epoch 1 is intact"
    )
    for resume in (False, True):
        with pytest.raises(TrainingFailure, match=f"^the .*{message}"):
            trained(tmp_path, seeds=[9], resume=resume)
    checkpoint = CheckpointStore(tmp_path).load_latest()
    assert checkpoint is not None and checkpoint.epoch == 1
    for name, array in checkpoint.arrays.items():
        assert np.isfinite(array).all(), name
    runs = load(tmp_path)
    assert runs.diverged == [] and len(read_diverged(tmp_path)) == 1
    monkeypatch.setattr(Corridor, "_fault", lambda self, step: "huge" if step == STEPS else None)
    with pytest.raises(
        TrainingFailure, match=r"^all 4 learners have diverged, and the run ends: the"
    ):
        trained(tmp_path / "all")


def test_an_environment_rests_when_its_learner_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """One that would fail later must not take the others with it."""
    seed = environment_seeds([9])[0]

    def fault(self: Corridor, step: int) -> str | None:
        return (
            None if self.seed != seed else "huge" if step == 7 else "raise" if step > 20 else None
        )

    monkeypatch.setattr(Corridor, "_fault", fault)
    runs = trained(tmp_path)
    assert runs.finished and [one.epoch for one in runs.diverged] == [0]


def test_the_learning_curve_stays_whole(disturbed: Runs):
    curve = pandas.read_csv(disturbed.folder / "learning_curve.csv")
    assert curve["epoch"].tolist() == [0] * 4 + [2] * 4 + [4] * 4
    assert curve["member"].tolist() == [0, 1, 2, 3] * 3
    lost = (curve["member"] == LOST) & (curve["epoch"] > 0)
    assert curve.loc[lost, [*curve_metrics(), EFFECTIVE]].isna().all(axis=None)
    assert curve.loc[~lost, "held_out_accuracy"].notna().all()


class Vanishing(NamedTuple):
    """A JAX environment in which seed 9 loses its observation at step 27 of its life, if at all."""

    when: int = STEPS + 7
    observation_size: int = 2
    action_size: int = 2
    episode_length: int | None = None

    def reset(self, key: jax.Array) -> tuple[Any, jax.Array]:
        marked = jnp.all(jax.random.key_data(key) == seed_9())
        return (jnp.int32(0), marked), jnp.zeros(2)

    def step(self, state: Any, action: jax.Array, key: jax.Array) -> tuple[Any, EnvironmentStep]:
        time, marked = state
        seen = jnp.where(marked & (time == self.when), jnp.nan, action)
        never = jnp.zeros((), bool)
        return (time + 1, marked), EnvironmentStep(seen, never, never, seen)


def seed_9() -> jax.Array:
    return jax.random.key_data(jax.random.split(jax.random.key(9))[1])


@pytest.mark.thorough
def test_the_same_in_a_jax_environment(tmp_path: Path):
    methods = {"DP": at.DiversityProgress(offset=10, smoothing=5, reference="probe")}
    runs, whole = (
        trained(tmp_path / name, setting=tiny_gymnasium(Vanishing(when)), methods=methods)
        for name, when in (("run", STEPS + 7), ("whole", -1))
    )
    [one] = runs.diverged
    assert (one.member, one.epoch, one.step) == (LOST, 1, 7)
    assert one.sentence.startswith("the posteriors of member 0 (DP, seed 9) became NaN")
    assert_others_are_the_same(runs, whole)
    assert whole.diverged == []
