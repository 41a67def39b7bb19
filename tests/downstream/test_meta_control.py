"""A meta-controller: skills as the actions of a run, and what stands beside it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directions import CORNERS, STEP, corner_skills
from made_skills import content

import autotelic as at
from autotelic._documents import FileError
from autotelic.downstream import load_meta_control, meta_control
from autotelic.downstream.meta_control import META, RANDOM, ROUND_ROBIN
from autotelic.downstream.skill_task import SKILL_TASK
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.making import make_one
from autotelic.environments.pool import GymnasiumPool
from autotelic.skills import Skills

pytestmark = pytest.mark.usefixtures("same_crews")

TASK = "autotelic/Navigation2DGoal-v0"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "skills.npz"
    corner_skills().save(path)
    return str(path)


def test_the_id_is_a_task_with_skills_as_actions(file: str):
    options: dict[str, Any] = {"task": TASK, "skills": file, "steps": 6}
    environment = GymnasiumEnvironment(SKILL_TASK, options)
    assert environment.discrete_actions and environment.action_size == 4
    assert environment.episode_length == 17  # choices: 100 steps of 6, the last of 4
    one = make_one(SKILL_TASK, {**options, "task_options": {"goal": "random"}})
    assert one.reset(seed=0)[0].shape == (4,)  # the aim is seen by the controller
    seen, reward, _, _, info = one.step(2)
    np.testing.assert_allclose(seen[:2], 0.5 + 6 * STEP * CORNERS[2], rtol=1e-5)
    assert info["skill_steps"] == 6 and float(reward) < 0


def test_it_continues_from_its_state_exactly(file: str):
    options: dict[str, Any] = {"task": TASK, "skills": file, "steps": 7}
    options["task_options"] = {"noise": 0.1, "goal": "random"}
    actions = np.eye(4)[np.random.default_rng(0).integers(4, size=(40, 1))]
    with GymnasiumPool(SKILL_TASK, 1, [0], **options) as pool:
        pool.reset()
        for action in actions[:9]:
            pool.step(action)
        state = json.loads(json.dumps(pool.state()))
        expected = [(pool.step(a).observation, pool.paid()) for a in actions[9:]]
    with GymnasiumPool(SKILL_TASK, 1, [5], **options) as pool:
        pool.restore(state)
        for action, (seen, paid) in zip(actions[9:], expected, strict=True):
            np.testing.assert_array_equal(pool.step(action).observation, seen)
            np.testing.assert_array_equal(pool.paid(), paid)


def test_other_skills_than_the_run_began_with_are_refused(file: str, tmp_path: Path):
    options: dict[str, Any] = {
        "task": TASK,
        "skills": file,
        "checksum": Skills.load(file).checksum(),
    }
    make_one(SKILL_TASK, options).close()
    Skills(*content()).save(file)
    with pytest.raises(ValueError, match="holds other skills than the run began with"):
        make_one(SKILL_TASK, options)
    with pytest.raises(ValueError, match=r"gone\.npz is not there"):
        make_one(SKILL_TASK, {**options, "skills": str(tmp_path / "gone.npz")})


def test_a_controller_is_an_ordinary_run_beside_its_baselines(tmp_path: Path):
    how: dict[str, Any] = {
        "options": {"goal": (0.9, 0.9)},
        "seeds": [0],
        "steps_per_skill": 10,
        "choices_per_epoch": 10,
        "from_scratch": False,
        "hidden_units": 8,
        "batch_size": 16,
        "episodes_of_baselines": 4,
    }
    found = meta_control(corner_skills(), TASK, tmp_path / "out", epochs=2, **how)
    table = found.returns_over_steps()
    assert set(table["arm"]) == {META} and sorted(table["steps"]) == [0, 100, 200]
    assert found.meta.history["return"].notna().all()  # one episode an epoch
    assert {name: len(own) for name, own in found.baselines.items()} == {RANDOM: 4, ROUND_ROBIN: 4}
    # In turn from any start the way is the same but for its order: there and back.
    assert found.intervals()[ROUND_ROBIN].high < 0
    with pytest.raises(ValueError, match="already holds runs"):
        meta_control(corner_skills(), TASK, tmp_path / "out", epochs=2, **how)
    other = corner_skills(environment="Mine-v0")
    with pytest.raises(ValueError, match="holds other skills than those given"):
        meta_control(other, TASK, tmp_path / "out", epochs=2, resume=True, **how)
    same = meta_control(corner_skills(), TASK, tmp_path / "out", epochs=2, resume=True, **how)
    assert same.meta.history.equals(found.meta.history)
    again = load_meta_control(tmp_path / "out")
    assert again.from_scratch is None and again.meta.finished
    np.testing.assert_array_equal(again.baselines[RANDOM], found.baselines[RANDOM])
    kept = next(tmp_path.rglob("baselines.json"))
    kept.write_text(kept.read_text().replace("-", "", 1))
    with pytest.raises(FileError, match=r"baselines\.json: it has changed since it was written"):
        load_meta_control(kept.parent)


def test_continuous_skills_are_chosen_on_their_sphere(tmp_path: Path):
    skills = corner_skills(goals={"number": 4, "size": 4, "continuous": True})
    skills.save(tmp_path / "skills.npz")
    options = {"task": TASK, "skills": str(tmp_path / "skills.npz")}
    sphere = GymnasiumEnvironment(SKILL_TASK, options)
    assert not sphere.discrete_actions and sphere.action_size == 4
    assert GymnasiumEnvironment(SKILL_TASK, {**options, "discrete": True}).discrete_actions


def test_what_does_not_fit_is_refused_before_work_starts(tmp_path: Path):
    for given, words in (
        ({"task": "HalfCheetah-v5"}, "HalfCheetah-v5 is another environment"),
        ({"task": TASK, "steps_per_skill": 0}, "steps_per_skill must be at least 1"),
        ({"task": TASK, "episodes_of_baselines": 1}, "episodes_of_baselines must be at least 2"),
    ):
        with pytest.raises(ValueError, match=words):
            meta_control(corner_skills(), out=tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()
    assert at.downstream.meta_control is meta_control
