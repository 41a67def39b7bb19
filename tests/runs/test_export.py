"""A learner's skills as a file: what it says of them, and what is not exported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from environment_doubles import Counter
from gymnasium.spaces import Box, Discrete
from made_skills import GOALS, noisy_run
from own_things import Displacement
from tiny_runs import EPOCHS, STEPS, copied

import autotelic as at
from autotelic.agents import Sac
from autotelic.environments.navigation2d import move
from autotelic.runs.diverged import Diverged, write_diverged
from autotelic.runs.evaluated import write_evaluated
from autotelic.runs.run import load
from autotelic.skills import Skills

pytestmark = pytest.mark.usefixtures("same_crews")


@dataclass(frozen=True)
class OwnAgent(Sac):
    pass


class Lift(Counter):
    """Its actions are the floors 3 and 4."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space: Any = Discrete(2, start=3)


class Narrow(Counter):
    """Has bounds in float64 that float32 cannot hold."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space: Any = Box(0.1, 0.3, (1,), np.float64)


def test_a_trained_skill_goes_where_the_run_says(finished: Path, tmp_path: Path):
    runs = load(finished)
    skills = Skills.load(runs.export("DP", 0, tmp_path / "new folder" / "skills.npz"))
    found = at.sample_trajectories(
        runs, per_goal=1, steps=8, deterministic=True, members=[("DP", 0)]
    )
    paths = found.observations[0, :, 0]  # [goals, steps + 1, 2]
    for goal, path in enumerate(paths):
        actions = skills.act(path[:-1], goal)
        np.testing.assert_allclose(move(path[:-1], 0.05 * actions, 0.0, 0.05), path[1:], atol=1e-6)


def test_a_file_says_what_was_trained(finished: Path, tmp_path: Path):
    info = Skills.load(load(finished).export("DP", 0, tmp_path / "skills.npz")).info
    assert info["library"] == at.__version__
    assert info["environment"]["name"] == "navigation2d"
    assert info["environment"]["options"] == {"episode_length": 15}
    training = info["training"]
    assert (training["method"], training["seed"]) == ("DP", 0)
    assert training["epochs"] == EPOCHS and training["steps"] == EPOCHS * STEPS
    assert training["selector"]["settings"]["offset"] == 10
    assert info["objective"]["name"] == "diayn" and info["agent"]["name"] == "gmm-sac"
    assert info["measured"] is None


def evaluated(folder: Path, epochs: int) -> None:
    how = {"epochs": epochs, "per_goal": 2, "steps": 5, "seed": 0}
    content = {"setting": how, "confidence": 0.95, "summary": [], "metrics": {}, "alarms": []}
    table = (
        b"member,method,seed,trained,metric,value\n"
        b"1,DP,0,True,knn_f1,0.5\n1,DP,0,False,knn_f1,0.1\n0,DIAYN,0,True,knn_f1,0.2\n"
        b"1,DP,0,True,grid_coverage,nan\n"
    )
    write_evaluated(folder, {**content, "diverged": []}, table)


def test_what_was_measured_of_the_learner_goes_with_it(finished: Path, tmp_path: Path):
    folder = copied(finished, tmp_path / "run")
    evaluated(folder, EPOCHS)
    info = Skills.load(load(folder).export("DP", 0, tmp_path / "skills.npz")).info
    assert info["measured"]["values"] == {"knn_f1": 0.5}
    assert info["measured"]["how"]["per_goal"] == 2
    evaluated(folder, EPOCHS - 1)  # of skills that were trained further since
    info = Skills.load(load(folder).export("DP", 0, tmp_path / "skills.npz")).info
    assert info["measured"] is None
    (folder / "evaluation.json").write_text("{")
    with pytest.raises(ValueError, match=r"its evaluation cannot be used .* no JSON"):
        load(folder).export("DP", 0, tmp_path / "skills.npz")


def test_only_skill_files_are_replaced(finished: Path, tmp_path: Path):
    folder = copied(finished, tmp_path / "run")
    runs, before = load(folder), (folder / "skills.npz").read_bytes()
    with pytest.raises(ValueError, match=r"is no skill file .*; choose another name"):
        runs.export("DP", 0, folder / "skills.npz")
    assert (folder / "skills.npz").read_bytes() == before
    with pytest.raises(ValueError, match="is a folder"):
        runs.export("DP", 0, folder)
    first = runs.export("DP", 0, tmp_path / "skills.npz").read_bytes()
    assert runs.export("DIAYN", 0, tmp_path / "skills.npz").read_bytes() != first
    assert runs.export("DP", 0, tmp_path / "skills.npz").read_bytes() == first


def test_learners_that_are_not_there_are_refused(finished: Path, tmp_path: Path):
    runs = load(finished)
    with pytest.raises(ValueError, match="unknown method 'PD'; choose from DIAYN, DP"):
        runs.export("PD", 0, tmp_path / "skills.npz")
    with pytest.raises(ValueError, match="seed 3 is not in the run; it has 0"):
        runs.export("DP", 3, tmp_path / "skills.npz")
    folder = copied(finished, tmp_path / "run")
    write_diverged(folder, [Diverged(1, "DP", 0, epoch=1, step=2, goal=0, sentence="q is NaN")])
    with pytest.raises(ValueError, match="DP, seed 0, has no skills: q is NaN"):
        load(folder).export("DP", 0, tmp_path / "skills.npz")
    assert not (tmp_path / "skills.npz").exists()


def test_an_agent_of_the_users_own_cannot_be_exported(tmp_path: Path):
    runs = noisy_run(tmp_path, agent=OwnAgent())
    with pytest.raises(ValueError, match=r"agent OwnAgent\(.* cannot be exported: .* gmm-sac"):
        runs.export("A", 7, tmp_path / "skills.npz")


def test_an_objective_of_the_users_own_leaves_its_goals(tmp_path: Path):
    runs = noisy_run(tmp_path, objective=Displacement())
    skills = Skills.load(runs.export("A", 7, tmp_path / "skills.npz"))
    assert skills.judged_by == "" and skills.info["objective"]["repr"].startswith("Displacement(")
    np.testing.assert_allclose(np.linalg.norm(skills.goals, axis=1), 1.0, atol=1e-6)
    assert skills.act(np.zeros(2), 1).shape == (2,)


def test_numbers_of_discrete_actions_begin_where_the_environments_do(tmp_path: Path):
    skills = Skills.load(noisy_run(tmp_path, environment=Lift).export("A", 7, tmp_path / "s.npz"))
    rng = np.random.default_rng(0)
    found = skills.act(rng.normal(size=(200, 2)), rng.integers(GOALS, size=200), rng)
    assert set(found.tolist()) == {3, 4}


def test_bounds_keep_all_their_digits(tmp_path: Path):
    runs = noisy_run(tmp_path, environment=Narrow)
    skills = Skills.load(runs.export("A", 7, tmp_path / "skills.npz"))
    rng = np.random.default_rng(0)
    found = skills.act(100 * rng.normal(size=(500, 2)), rng.integers(GOALS, size=500), rng)
    assert found.dtype == np.float64
    assert skills.action_bounds == (0.1, 0.3)  # float32 would have 0.10000000149
    assert found.min() >= 0.1 and found.max() <= 0.3
