"""What a folder says of a run that goes on in it, by doubles: nothing is trained."""

import json
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from autotelic.training import train as training


@pytest.fixture
def entered(tmp_path, monkeypatch):
    """A run's folder, and `_note_changes` of a run that goes on there: a state of doubles, no learners."""
    monkeypatch.setattr(training, "load", lambda folder: Described(read_description(folder)))
    monkeypatch.setattr(training, "changed_versions", lambda description: "")
    said = []

    def go_on(saved, *, epochs, done, devices=1):
        (tmp_path / "run.json").write_text(json.dumps(saved))
        (tmp_path / "skills.npz").touch()
        mesh = None if devices == 1 else SimpleNamespace(size=devices)
        crews, audience = [SimpleNamespace(epoch=done)], SimpleNamespace(note=said.append)
        plan = SimpleNamespace(epochs=epochs)
        training._note_changes(
            SimpleNamespace(folder=tmp_path, plan=plan, crews=crews, mesh=mesh, audience=audience),
            saved,
        )
        found = {
            k: v for k, v in read_description(tmp_path).items() if k not in ("format", "crc32")
        }
        return found, (tmp_path / "skills.npz").exists(), list(said)

    return go_on


class Described(NamedTuple):
    description: dict[str, Any]


def read_description(folder):
    return json.loads((folder / "run.json").read_text())


def test_a_run_that_goes_on_as_it_was_leaves_its_folder_as_it_is(entered):
    assert entered({"epochs": 4}, epochs=4, done=4) == ({"epochs": 4}, True, [])


def test_a_longer_run_says_so_and_drops_the_skills_of_the_shorter_one(entered):
    assert entered({"epochs": 4, "grown": {}}, epochs=6, done=4) == ({"epochs": 6}, False, [])


def test_a_run_that_goes_on_from_before_its_end_has_no_skills_of_the_end(entered):
    assert entered({"epochs": 4}, epochs=4, done=2) == ({"epochs": 4}, False, [])


def test_another_number_of_devices_is_said_where_something_is_left_to_train(entered):
    description, _, said = entered({"epochs": 4}, epochs=4, done=2, devices=3)
    assert description["devices"] == 3
    assert said == [
        "from epoch 2 on learners are spread over 3 devices, before over 1: the same numbers to "
        "rounding, not bit for bit"
    ]


def test_a_finished_run_is_not_told_of_devices(entered):
    assert entered({"epochs": 4}, epochs=4, done=4, devices=3) == ({"epochs": 4}, True, [])


def test_crews_are_as_large_as_learners_and_cores_ask(monkeypatch):
    asked = []
    monkeypatch.setattr(training, "usable_workers", lambda: 2)
    monkeypatch.setattr(training, "crew_size", lambda *numbers: asked.append(numbers) or 5)
    plan = SimpleNamespace(members=range(9), setting=SimpleNamespace(hidden_units=32))
    assert training._crew_size(plan) == 5
    assert asked == [(9, 2, 32)]


@pytest.fixture
def enter(tmp_path, monkeypatch):
    """`check_entry` of a folder with a run that is the wanted one in all that others look at."""
    for name in ("check_numbers", "check_same"):
        monkeypatch.setattr(training, name, lambda *_: None)
    monkeypatch.setattr(training, "load", lambda folder: Described(read_description(folder)))

    def check(saved=None, *, start=None, checkpoints=(3,), skills=False):
        (tmp_path / "run.json").write_text(json.dumps(saved or {}))
        store = SimpleNamespace(epochs=list(checkpoints))
        monkeypatch.setattr(training, "CheckpointStore", lambda folder: store)
        if skills:
            (tmp_path / "skills.npz").touch()
        began = None if start is None else SimpleNamespace(describe=lambda: start)
        wanted = {"setting": "mine", "evaluate_every": None}
        return training.check_entry(tmp_path, wanted, began, resume=True)

    return check


def test_a_run_that_began_with_the_same_policies_is_entered(enter):
    assert enter({"start": "these"}, start="these")["setting"] == "mine"
    assert enter({"start": "these"}) is not None  # they need not be given again
    with pytest.raises(ValueError, match="began with other policies than those given"):
        enter({"start": "others"}, start="these")


def test_a_finished_run_is_entered_with_its_checkpoints_alone(enter):
    assert enter(skills=True) is not None
    with pytest.raises(ValueError, match="finished run without its checkpoints"):
        enter(skills=True, checkpoints=())
