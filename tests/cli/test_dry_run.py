"""`autotelic train --dry-run`: sizes as they are, times by arithmetic, the refusals of the real command."""

import re
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
from running import TINY_SETTING, train_words

import autotelic as at
from autotelic.cli import main
from autotelic.commands.dry_run import AtHand, told
from autotelic.training import footprint, rehearsal
from autotelic.training.learners import Learners
from autotelic.training.program import Program
from autotelic.training.rehearsal import Pace, rehearse
from autotelic.training.train import prepare, train

METHODS = {"diayn": at.Uniform(), "dp": at.DiversityProgress(offset=5, smoothing=5)}
PACE = Pace(start=10.0, rate=100.0, process=1000, evaluation=(4.0, 1.5))


@pytest.fixture
def unmeasured(monkeypatch):
    """No pace is measured, so nothing is compiled."""
    monkeypatch.setattr(rehearsal, "_pace", lambda *_: PACE)


@pytest.mark.parametrize("environment", ["navigation2d", "Pendulum-v1"])
def test_the_size_of_a_learner_is_that_of_its_arrays(environment, tmp_path):
    setting = replace(TINY_SETTING, environment=environment)
    _, made, _, functions, weighed = prepare(setting, METHODS, [0], 3, tmp_path)
    program = Program(functions, made, 2)
    one = footprint.footprint_of(functions, program.shapes(), probing=False)
    assert one == weighed
    learners = Learners(program, [0, 1], [0, 1])
    state = jax.tree.map(np.asarray, learners.state)
    learners.close()
    assert one.total == sum(leaf.nbytes for leaf in jax.tree.leaves(state)) / 2
    assert one.replay == state.replay[0].nbytes
    parts = [part for name, part in state.agent._asdict().items() if name != "optimizer"]
    networks = (parts, state.discriminator)
    assert one.parameters == sum(leaf[0].size for leaf in jax.tree.leaves(networks))
    assert one.networks == 4 * one.parameters


def test_the_disk_is_what_a_run_takes_and_one_that_goes_on_has_less_to_do(tmp_path, unmeasured):
    found = rehearse(TINY_SETTING, METHODS, [0], 2, tmp_path / "run")
    train(TINY_SETTING, METHODS, [0], 2, tmp_path / "run", checkpoint_every=1)
    longer = rehearse(TINY_SETTING, METHODS, [0], 5, tmp_path / "run", resume=True)
    assert (longer.done, longer.steps) == (2, 2 * 3 * 20)
    loading = 2 * longer.one.replay
    assert longer.memory == 2 * longer.one.total + 1000 + max(longer.writing, loading)
    files = {path: path.stat().st_size for path in (tmp_path / "run").rglob("*") if path.is_file()}
    replay = {path: bytes for path, bytes in files.items() if path.parent.name == "replay"}
    assert found.disk.replay == sum(replay.values()) - 128 * len(replay)  # their headers
    with np.load(tmp_path / "run" / "skills.npz") as skills:
        assert found.disk.skills == sum(skills[name].nbytes for name in skills)
    saved = [np.load(path) for path in files if path.match("checkpoints/*.npz")]
    assert found.disk.checkpoints == sum(one[name].nbytes for one in saved for name in one)


def test_the_time_is_start_steps_and_evaluations(tmp_path, unmeasured):
    pytest.importorskip("sklearn")
    found = rehearse(TINY_SETTING, METHODS, [0, 1], 10, tmp_path / "run", evaluate_every=4)
    assert found.evaluations == 3  # after 0, 4 and 8 epochs
    assert found.steps == 4 * 10 * 20
    assert found.seconds == pytest.approx(10.0 + 800 / 100.0 + 4.0 + 2 * 1.5)


def test_what_does_not_fit_is_a_warning(tmp_path, unmeasured):
    found = rehearse(TINY_SETTING, {"diayn": at.Uniform()}, [0], 2, tmp_path / "run")
    enough = AtHand(found.memory, found.disk.total)
    assert not [line for line in told(found, enough) if line.startswith("warning:")]
    short = told(found, AtHand(found.memory - 1, found.disk.total - 1))
    warned = " ".join(line for line in short if "warning" in line)
    assert re.findall("of (memory|disk)", warned) == ["memory", "disk"]
    assert "how much is free is not known" in "\n".join(told(found, AtHand(None, 1)))


def test_the_command_measures_and_writes_nothing(tmp_path: Path, capsys):
    assert main(train_words(tmp_path / "run", 6, "--dry-run")) == 0
    said = capsys.readouterr().out
    assert "2 learners (2 methods x 1 seed), 3 goals, 6 epochs x 20 steps: 240 steps in all" in said
    assert re.search(r"at [\d,]+ steps/s", said)
    assert "nothing was started" in said
    assert list(tmp_path.iterdir()) == []


def test_it_refuses_what_the_real_command_refuses(tmp_path: Path, capsys):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "history.csv").write_text("epoch\n")
    for words in (train_words(folder, 6), train_words(folder, 6, "--dry-run")):
        assert main(words) == 2
        assert "of a run whose run.json is missing" in capsys.readouterr().err
    assert main(train_words(tmp_path / "other", 0, "--dry-run")) == 2
    assert not (tmp_path / "other").exists()
