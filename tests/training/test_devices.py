"""A population spread over four simulated devices learns what it learns on one.

Another process has the four devices: JAX decides on their number when it is first used.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny_runs import PROBING, run

from autotelic.environments import make_environment
from autotelic.training import devices

pytestmark = pytest.mark.thorough

SEEDS = [0, 1, 2]
"""With two methods six members, which four devices do not divide."""
TOLERANCE = 1e-4
"""Of everything learned, relative and absolute: epochs of updates that differ by rounding alone."""

FOUR = "--xla_force_host_platform_device_count=4"
SCRIPT = """
import sys
from pathlib import Path
import jax
from tiny_runs import Notes, PROBING, run
from autotelic.environments import make_environment
from autotelic.training import devices

assert len(jax.local_devices()) == 4
begun, half = map(Path, sys.argv[1:])
notes = Notes()
run(begun, methods=PROBING, seeds=[0, 1, 2], resume=True, observers=[notes])
run(half, methods=PROBING, seeds=[0, 1, 2], epochs=2)
print(*notes.messages, sep="\\n")
host = make_environment("Pendulum-v1")
print(devices.devices_for(host, 6), devices.idle_note(host))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[Path, str]:
    """Where the runs are, and what the process with four devices said."""
    root = tmp_path_factory.mktemp("devices")
    run(root / "one", methods=PROBING, seeds=SEEDS)
    run(root / "begun", methods=PROBING, seeds=SEEDS, epochs=2)
    here = str(Path(__file__).parent)
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(root / "begun"), str(root / "half")],
        env={
            **os.environ,
            # Beside the flags that the tests have: other programs would differ by more than rounding.
            "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {FOUR}",
            "PYTHONPATH": os.pathsep.join([*sys.path, here]),
        },
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    run(root / "half", methods=PROBING, seeds=SEEDS, resume=True)
    return root, ended.stdout


def assert_close_runs(folder: Path, other: Path) -> None:
    """The same goals were pursued, and what was learned and measured differs by rounding alone."""
    history, expected = (pd.read_csv(one / "history.csv") for one in (folder, other))
    assert history[["member", "epoch", "goal"]].equals(expected[["member", "epoch", "goal"]])
    numbers = expected.select_dtypes("number").columns
    np.testing.assert_allclose(history[numbers], expected[numbers], TOLERANCE, TOLERANCE)
    with np.load(folder / "skills.npz") as skills, np.load(other / "skills.npz") as wanted:
        assert sorted(skills) == sorted(wanted)
        for name in wanted:
            assert skills[name].shape == wanted[name].shape
            np.testing.assert_allclose(skills[name], wanted[name], TOLERANCE, TOLERANCE)


def test_six_learners_go_on_with_four_devices_as_they_would_with_one(runs):
    root, said = runs
    assert_close_runs(root / "begun", root / "one")
    assert "from epoch 2 on learners are spread over 4 devices, before over 1" in said
    assert json.loads((root / "begun" / "run.json").read_text())["devices"] == 4


def test_six_learners_of_four_devices_go_on_with_one(runs):
    root, _ = runs
    assert_close_runs(root / "half", root / "one")
    assert json.loads((root / "half" / "run.json").read_text())["devices"] == 1


def test_learners_of_host_environments_stay_on_one_device_and_it_is_said(runs):
    _, said = runs
    assert "None one of 4 devices is used: the environment runs outside JAX" in said


def test_one_device_is_no_mesh_and_nothing_is_said():
    assert devices.devices_for(object(), 6) is None
    assert devices.idle_note(object()) == ""


class FourDevices:
    size = 4


@pytest.mark.parametrize(("members", "places"), [(4, 4), (5, 8), (8, 8), (9, 12)])
def test_idle_places_fill_the_last_devices(members, places):
    assert devices.places(members, FourDevices()) == places
    assert devices.places(members, None) == members


def test_an_environment_of_the_host_needs_jax_on_the_cpu(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    host = make_environment("Pendulum-v1")
    with pytest.raises(ValueError, match="JAX uses 'gpu'; set JAX_PLATFORMS=cpu"):
        devices.devices_for(host, 1)
    assert devices.devices_for(make_environment("navigation2d"), 1) is None
