"""Fine-tuning: it begins with the skill, in a folder that needs nothing else, and continues exactly."""

import json
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from directions import CORNERS, corner_skills, return_towards

import autotelic as at
from autotelic.cli import main
from autotelic.downstream import compare_arms, fine_tune, returns_over_steps
from autotelic.downstream.fine_tuning import ARMS, BEST, FILE
from autotelic.downstream.learning import FROM_SCRATCH
from autotelic.runs.arrays import read_arrays, write_arrays
from autotelic.skills import Skills

pytestmark = pytest.mark.usefixtures("same_crews")

TASK = "autotelic/Navigation2DGoal-v0"
PLACE = (0.9, 0.1)
EPOCHS, STEPS = 3, 60


@pytest.fixture(scope="module")
def tuned(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> at.Runs:
    """By the shell, from a file that is gone afterwards."""
    del same_crews
    folder = tmp_path_factory.mktemp("tuned")
    corner_skills().save(folder / "skills.npz")
    words = ["adapt", "fine-tune", str(folder / "skills.npz"), "--task", TASK, "--seeds", "2"]
    words += ["--task-options", "goal=(0.9,0.1)", "max_episode_steps=20", "--epochs", str(EPOCHS)]
    words += ["--steps-per-epoch", str(STEPS), "--out", str(folder / "run"), "--rollouts", "4"]
    assert main(words) == 0
    (folder / "skills.npz").unlink()
    return at.load(folder / "run")


def test_arms_are_members_of_one_population_that_begin_where_they_should(tuned: at.Runs):
    assert tuned.methods == list(ARMS) and tuned.seeds == [0, 1]
    record = json.loads((tuned.folder / FILE).read_text())
    assert record["goals"][BEST] == [3, 3]  # the corner of the place
    table = returns_over_steps(tuned)
    assert sorted(set(table["steps"])) == [0, 60, 120, 180]
    start = table[table.steps == 0].set_index(["arm", "seed"])["return"]
    expected = return_towards(CORNERS[3], np.array(PLACE), 20)
    np.testing.assert_allclose(start[BEST], expected, rtol=1e-4)
    other = record["goals"]["random skill"]
    found = [return_towards(CORNERS[goal], np.array(PLACE), 20) for goal in other]
    np.testing.assert_allclose(start["random skill"], found, rtol=1e-4)
    assert start[FROM_SCRATCH].nunique() == 2  # their own, at random


def test_a_skill_that_fits_is_ahead_of_learning_from_scratch(tuned: at.Runs):
    table = returns_over_steps(tuned)
    best, _, scratch = compare_arms(table)
    assert (best.name, scratch.name) == (BEST, FROM_SCRATCH)
    assert best.area.estimate > scratch.area.estimate + 1
    assert best.area_difference is not None and best.area_difference.estimate > 1
    assert scratch.final_difference is None


def test_untrained_learners_are_those_it_began_with(tuned: at.Runs):
    skills, (row,) = corner_skills(), [tuned.members.index((BEST, 1))]
    policy = tuned.untrained.policy
    np.testing.assert_array_equal(policy.hidden[row], np.eye(4))
    seen = np.array([0.3, 0.6], np.float32)
    mean = tuned.setting.agent.act_deterministically(
        jax.tree.map(lambda leaf: leaf[row], policy), seen, np.ones(1, np.float32)
    )
    np.testing.assert_allclose(mean, skills.act(seen, 3), atol=1e-6)


def test_the_folder_is_all_that_a_run_needs_to_begin_again(tuned: at.Runs, tmp_path: Path):
    """As if it had been killed before its first checkpoint."""
    for name in ("run.json", "start.npz"):
        shutil.copy(tuned.folder / name, tmp_path / name)
    assert main(["train", "--resume", "--out", str(tmp_path)]) == 0
    for name in ("skills.npz", "history.csv", "learning_curve.csv"):
        assert (tmp_path / name).read_bytes() == (tuned.folder / name).read_bytes()
    arrays = read_arrays(tmp_path / "start.npz")
    write_arrays(tmp_path / "start.npz", {**arrays, "policy.hidden": arrays["policy.hidden"] + 1})
    with pytest.raises(ValueError, match=r"start\.npz"):
        _ = at.load(tmp_path).start


def test_another_start_is_refused(tuned: at.Runs):
    policies = {(BEST, 0): corner_skills().policy_of(0)}
    with pytest.raises(ValueError, match="began with other policies"):
        at.train(
            tuned.setting,
            dict.fromkeys(ARMS, at.RoundRobin()),
            [0, 1],
            EPOCHS,
            tuned.folder,
            resume=True,
            policies=policies,
        )


def test_a_policy_by_itself_acts_as_its_skill():
    skills = corner_skills()
    seen = np.array([0.2, 0.7], np.float32)
    for goal in range(4):
        own = skills.policy_of(goal)
        first = np.append(seen, 1.0) @ own["policy.inputs.0"] + own["policy.input_bias"]
        second = np.maximum(first, 0) @ own["policy.hidden"] + own["policy.hidden_bias"]
        outputs = np.maximum(second, 0) @ own["policy.output"] + own["policy.output_bias"]
        np.testing.assert_allclose(np.tanh(outputs[:2]), skills.act(seen, goal), atol=1e-6)
    with pytest.raises(ValueError, match="goal must be one skill"):
        skills.policy_of([0, 1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"goal": 4}, "goal must be from 0 to 3, got 4"),
        ({"goal": [0, 1, 2]}, "one for each of 2 seeds, got 3"),
        ({"arms": ["best"]}, "unknown arm 'best'"),
        ({"task": "HalfCheetah-v5"}, "HalfCheetah-v5 is another environment"),
        ({"options": {"goal": "random"}}, "adds 2 entries to the observation"),
        ({"rollouts": 3}, "rollouts must be at least 4"),
        ({"skills": [corner_skills()] * 3}, "skills of 3 learners and 2 seeds"),
        (
            {
                "skills": [
                    corner_skills(),
                    corner_skills(agent={"name": "sac", "policy_activation": "tanh"}),
                ]
            },
            "must have the same agent",
        ),
        (
            {
                "skills": corner_skills(
                    agent={"name": "sac", "policy_activation": "relu", "rate": 1}
                )
            },
            "the agent of the skills, sac with .* cannot be made again",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_work_starts(
    changes: dict[str, Any], words: str, tmp_path: Path
):
    given: dict[str, Any] = {"skills": corner_skills(), "task": TASK, "seeds": [0, 1]}
    given |= changes
    skills, task = given.pop("skills"), given.pop("task")
    with pytest.raises(ValueError, match=words):
        fine_tune(skills, task, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_policies_of_other_shapes_are_refused(tmp_path: Path):
    setting = at.Setting(
        environment=TASK, num_goals=1, objective=at.objectives.Task(), steps_per_epoch=200
    )
    policies = {("A", 0): corner_skills().policy_of(0)}
    methods = {"A": at.RoundRobin()}
    with pytest.raises(ValueError, match=r"inputs\.0 has the shape \[3, 4\], and \[3, 300\]"):
        at.train(setting, methods, [0], 1, tmp_path / "out", policies=policies)
    with pytest.raises(ValueError, match=r"given for \('B', 0\), which is no learner"):
        policies = {("B", 0): corner_skills().policy_of(0)}
        at.train(setting, methods, [0], 1, tmp_path / "out", policies=policies)
    assert not (tmp_path / "out").exists()


def test_normalised_skills_keep_their_statistics():
    skills = corner_skills()
    arrays = {
        **skills._arrays,
        "observation_mean": np.array([0.5, 0.5], np.float32),
        "observation_deviation": np.array([2.0, 3.0], np.float32),
    }
    header = {**skills._header, "observation": {"size": 2, "normalization": "running"}}
    own = Skills(header, arrays).policy_of(1)
    np.testing.assert_array_equal(own["observation_deviation"], [2.0, 3.0])
