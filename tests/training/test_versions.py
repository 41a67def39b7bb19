"""Which code trained a run: told in run.json, noted when it changes, and refused where numbers changed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import Notes, Stop, StopAfter, assert_same_run, forge, run

from autotelic._version import NUMBERS
from autotelic.learner import plan as plans
from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")

CERTAINTY = {
    2: {
        "DIAYN": [0.3515, 0.259, 0.067, 0.391],
        "DP": [0.3515, 0.259, 0.067, 0.391],
    }
}
"""Of every epoch of the standard run, by `NUMBERS`. If this fails and numbers were meant to change, raise
`NUMBERS` and write down the new ones: runs and studies of before are then told from those of now."""


def test_the_same_settings_and_seed_give_the_numbers_that_they_gave(finished: Path):
    history = load(finished).history
    found = {m: own["certainty"].to_numpy() for m, own in history.groupby("method", sort=False)}
    for method, expected in CERTAINTY[NUMBERS].items():
        # Another processor rounds otherwise, and 80 steps of learning make more of that.
        np.testing.assert_allclose(found[method], expected, atol=5e-3)


def edit(folder: Path, **changes: Any) -> None:
    """Let the run on disk say that other versions began it."""
    forge(folder / "run.json", lambda saved: saved["versions"][0].update(changes))


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    with pytest.raises(Stop):
        run(tmp_path / "run", observers=[StopAfter(1)])
    return tmp_path / "run"


def test_another_version_is_noted_on_resume_and_listed(stopped: Path, finished: Path):
    edit(stopped, jax="0.0.1", autotelic="0.1.7")
    notes = Notes()
    run(stopped, resume=True, observers=[notes])
    (said,) = [message for message in notes.messages if "versions" in message]
    assert said.startswith("from epoch 1 on this run has other versions: autotelic 0.1.7, now ")
    assert f"jax 0.0.1, now {plans.versions()['jax']}" in said and "numpy" not in said
    first, second = load(stopped).description["versions"]
    assert (first["from_epoch"], first["jax"]) == (0, "0.0.1")
    assert (second["from_epoch"], second["jax"]) == (1, plans.versions()["jax"])
    assert_same_run(stopped, finished)


def test_the_same_versions_are_not_worth_a_word(stopped: Path):
    notes = Notes()
    run(stopped, resume=True, observers=[notes])
    assert not [message for message in notes.messages if "versions" in message]
    assert len(load(stopped).description["versions"]) == 1


def test_a_run_of_other_numbers_is_not_continued(stopped: Path):
    edit(stopped, numbers=NUMBERS - 1, autotelic="0.1.0")
    before = (stopped / "history.csv").read_bytes()
    with pytest.raises(
        ValueError, match=r"trained by autotelic 0\.1\.0 \(numbers 1\).*that version"
    ):
        run(stopped, resume=True)
    assert (stopped / "history.csv").read_bytes() == before
