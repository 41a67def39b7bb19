"""A skill file names its environment, and never what is imported for it."""

import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from directions import corner_skills
from made_skills import content

from autotelic.cli import main
from autotelic.downstream import SkillActions, best_skill, imitate
from autotelic.downstream.own_environment import check_same, own_environment
from autotelic.downstream.tasks import TaskFor
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.tasks import SKILL_TASK
from autotelic.playing import stages
from autotelic.skills import Skills

WAY = np.full((4, 2), 0.5)


@pytest.fixture
def module(tmp_path: Path, monkeypatch) -> str:
    """A module beside the file that says so when it is imported."""
    (tmp_path / "hostile.py").write_text("raise SystemExit('a file was obeyed')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "hostile", raising=False)
    return "hostile:Walk-v0"


def named(name: str, **options: Any) -> Skills:
    return corner_skills({"name": name, "options": options, "episode_length": 100})


def test_imitation_imports_nothing_that_a_file_names(module: str):
    with pytest.raises(ValueError, match=r"must not say what to import; .*--task my_module:MyEnv"):
        imitate(named(module), WAY)


def test_imitation_in_the_shell_imports_nothing_that_a_file_names(module: str, capsys):
    named(module).save("skills.npz")
    np.save("way.npy", WAY)
    assert main(["adapt", "imitate", "skills.npz", "--trajectory", "way.npy"]) == 2
    assert "must not say what to import" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (SKILL_TASK, {"task": "hostile:Walk-v0"}),
        (SKILL_TASK, {"task": SKILL_TASK, "task_options": {"task": "hostile:Walk-v0"}}),
        (SKILL_TASK, {"task": ["hostile:Walk-v0"]}),
        (SKILL_TASK, {}),
        ("GymV26Environment-v0", {"env_id": "hostile:Walk-v0"}),
    ],
)
def test_environments_made_of_another_import_nothing_either(module: str, name: str, options: Any):
    skills = named(name, skills="skills.npz", **options)
    with pytest.raises(ValueError, match="must not say what to import"):
        stages.environment_of(skills)
    with pytest.raises(ValueError, match="must not say what to import"):
        imitate(skills, WAY)
    with pytest.raises(ValueError, match="must not say what to import"):
        best_skill(skills, name)


def test_naming_the_environment_oneself_leaves_the_file_no_say(module: str, capsys):
    named(SKILL_TASK, task=module, skills="skills.npz").save("skills.npz")
    assert main(["play", "skills.npz", "--environment", SKILL_TASK, "--out", "film.gif"]) == 2
    assert "must not say what to import" in capsys.readouterr().err


def test_another_environment_of_the_same_shapes_is_told_from_the_skills_own(tmp_path: Path):
    about = {"name": "Walker2d-v5", "options": {}, "episode_length": 9}
    bounds = {"kind": "box", "low": [-1.0] * 2, "high": [1.0] * 2, "dtype": "float32"}
    skills = Skills(*content(environment=about, action=bounds))
    words = (
        r"Hopper-v5 is another environment, with .* trained in Walker2d-v5, with observations \[3\]"
    )
    with pytest.raises(ValueError, match=words):
        check_same("Hopper-v5", "[3] and actions [2]", skills)
    tuned = named("autotelic/Navigation2DGoal-v0", goal=(0.1, 0.1))  # learned a task on
    assert TaskFor("autotelic/Navigation2DGoal-v0", tuned).options == {"goal": (0.1, 0.1)}
    stages.check_sizes(stages.environment_of(tuned), tuned)
    for name in ("Walker2d-v5", "Walker2d-v4", "my_module:Mine-v0", "Mine-v0"):
        check_same(name, "[3] and actions [2]", skills)


def test_the_wrapper_and_the_window_tell_environments_apart():
    cheetah = named("HalfCheetah-v5")
    place = gymnasium.make("autotelic/Navigation2DGoal-v0")
    with pytest.raises(ValueError, match="is a task of navigation2d"):
        SkillActions(place, cheetah)
    SkillActions(place, named("navigation2d"))
    with pytest.raises(ValueError, match="is a task of navigation2d"):
        stages.check_sizes(GymnasiumEnvironment("autotelic/Navigation2DGoal-v0"), cheetah)


def test_options_that_are_none_are_refused():
    with pytest.raises(ValueError, match="no sound options"):
        stages.environment_of(corner_skills({"name": "navigation2d", "options": [1]}))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("navigation2d", {"noise": 0.1}),
        ("maze2d", {}),
        ("HalfCheetah-v5", {}),
        ("autotelic/Navigation2DGoal-v0", {"goal": [0.9, 0.9]}),
        (SKILL_TASK, {"task": "HalfCheetah-v5", "skills": "skills.npz"}),
    ],
)
def test_environments_that_are_known_here_are_made_as_the_file_says(name: str, options: Any):
    assert own_environment(named(name, **options), "") == (name, options)
