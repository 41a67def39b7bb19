"""What skills say and refuse."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_skills import ACTION, GOALS, OBSERVATION, content, written

import autotelic as at
from autotelic.skills import Skills, header
from autotelic.skills.file import SkillFileError


@pytest.fixture
def skills() -> Skills:
    return Skills(*content())


def sphere() -> Skills:
    changed, arrays = content(goals={"number": GOALS, "size": GOALS, "continuous": True})
    return Skills(changed, arrays)


def test_a_file_comes_back_as_it_was_written(tmp_path: Path):
    made, arrays = content()
    skills = at.Skills.load(written(tmp_path))
    assert len(skills) == GOALS and repr(skills) == (
        "Skills(Walk-v0: 5 goals of diayn, observations [3] -> actions [2])"
    )
    assert {name: skills.info[name] for name in made} == made
    assert "arrays" not in skills.info and skills.info["version"] == 1
    np.testing.assert_array_equal(skills.goals, arrays["goals"])
    with np.load(written(tmp_path)) as plain:  # any program that reads npz reads it
        np.testing.assert_array_equal(plain["policy.hidden"], arrays["policy.hidden"])


def test_actions_lie_in_the_environments_bounds_and_reach_them(skills: Skills):
    rng = np.random.default_rng(0)
    many = skills.act(
        10 * rng.normal(size=(2000, OBSERVATION)), rng.integers(GOALS, size=2000), rng
    )
    low, high = skills.action_bounds
    assert many.dtype == np.float32 and (many >= low).all() and (many <= high).all()
    np.testing.assert_allclose(many.min(axis=0), [-2, 0], atol=1e-3)
    np.testing.assert_allclose(many.max(axis=0), [2, 1], atol=1e-3)


def test_one_or_many_observations_and_goals(skills: Skills):
    rng = np.random.default_rng(0)
    observations, goals = rng.normal(size=(4, 2, OBSERVATION)), rng.integers(GOALS, size=(4, 2))
    together = skills.act(observations, goals)
    assert together.shape == (4, 2, ACTION)
    for index in np.ndindex(4, 2):
        alone = skills.act(observations[index].tolist(), int(goals[index]))
        np.testing.assert_allclose(alone, together[index], atol=1e-6)
    # As above: a product of many rows is not summed in the order of one row's.
    alone = skills.act(observations[3, 1], 1)
    np.testing.assert_allclose(skills.act(observations, 1)[3, 1], alone, atol=1e-6)
    assert skills.act(observations[0, 0], np.arange(GOALS)).shape == (GOALS, ACTION)
    assert skills.posterior(observations).shape == (4, 2, GOALS)


def test_sampling_takes_its_randomness_from_the_generator(skills: Skills):
    here = np.zeros(OBSERVATION)
    drawn = [skills.act(here, 0, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    np.testing.assert_array_equal(skills.act(here, 0), skills.act(here, 0))


def test_discrete_actions_are_numbers_drawn_by_their_probabilities():
    made, arrays = content(
        action={"kind": "discrete", "number": 4, "first": 3}, agent={"name": "discrete-sac"}
    )
    skills = Skills(made, arrays)
    here, rng = np.zeros(OBSERVATION), np.random.default_rng(0)
    logits = skills._policy(np.concatenate([here, skills.goals[0]]).astype(np.float32))
    drawn = np.array([skills.act(here, 0, rng) for _ in range(4000)])
    shares = np.bincount(drawn - 3, minlength=4) / 4000
    expected = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(shares, expected, atol=0.03)
    assert skills.act(here, 0) == 3 + np.argmax(logits)
    assert [int(bound) for bound in skills.action_bounds] == [3, 6]
    assert "4 actions" in repr(skills)


@pytest.mark.parametrize(
    ("observation", "goal", "words"),
    [
        (np.zeros(4), 0, r"shape \[..., 3\] of Walk-v0, got \[4\]"),
        (0.0, 0, r"shape \[..., 3\] of Walk-v0, got \[\]"),
        ([0, np.nan, 0], 0, "finite"),
        (["a", "b", "c"], 0, r"real numbers \[..., 3\] of Walk-v0, got list of <U1"),
        (np.array([None, 0, 0]), 0, r"real numbers \[..., 3\] of Walk-v0, got ndarray of object"),
        (np.zeros(3) + 1j, 0, "real numbers .* got ndarray of complex128"),
        ({"position": 1}, 0, "real numbers .* got dict of object"),
        ([[0, 1], [2]], 0, r"observation must be an array \[..., 3\]"),
        (np.zeros((3, 3)), [0, 1], r"observations have the shape \[3, 3\], and goals \[2\]"),
        (np.zeros(3), 5, "from 0 to 4, got 5"),
        (np.zeros(3), -1, "from 0 to 4, got -1"),
        (np.zeros((2, 3)), [0, 7], "from 0 to 4"),
        (np.zeros(3), 0.0, "integer from 0 to 4, got"),
        (np.zeros(3), True, "integer from 0 to 4, got"),
        (np.zeros(3), "walk", "integer from 0 to 4, got"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    skills: Skills, observation: object, goal: object, words: str
):
    with pytest.raises((ValueError, TypeError), match=words):
        skills.act(observation, goal)  # type: ignore[arg-type]


def test_a_generator_is_asked_for_by_name(skills: Skills):
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator or None, got 5"):
        skills.act(np.zeros(3), 0, 5)  # type: ignore[arg-type]


def test_directions_are_refused_in_another_size():
    skills = sphere()
    assert skills.act(np.zeros(3), np.ones(GOALS)).shape == (ACTION,)
    for wrong in (np.ones(2), np.float64(1.0), np.full(GOALS, np.inf)):
        with pytest.raises(ValueError, match=r"a direction \[..., 5\]"):
            skills.act(np.zeros(3), wrong)


def test_a_posterior_takes_just_what_its_objective_judges(skills: Skills):
    with pytest.raises(ValueError, match="takes no start: diayn judges a state alone"):
        skills.posterior(np.zeros(3), start=np.zeros(3))
    made, arrays = content(objective={"name": "vic", "features": None})
    arrays["judge.inputs.1"] = arrays["judge.inputs.0"]
    vic = Skills(made, arrays)
    with pytest.raises(ValueError, match="needs start: vic judges a state by where its pursuit"):
        vic.posterior(np.zeros(3))
    with pytest.raises(ValueError, match=r"start must have the shape \[..., 3\]"):
        vic.posterior(np.zeros(3), start=np.zeros(2))
    with pytest.raises(ValueError, match=r"have the shape \[3, 3\], and start \[2, 3\]"):
        vic.posterior(np.zeros((3, 3)), start=np.zeros((2, 3)))
    assert vic.posterior(np.zeros((4, 2, 3)), start=np.zeros((2, 3))).shape == (4, 2, GOALS)


def test_an_objective_of_the_users_own_leaves_the_policy(tmp_path: Path):
    made, arrays = content(objective={"name": None, "repr": "Mine()"})
    arrays = {k: v for k, v in arrays.items() if not k.startswith("judge")}
    skills = Skills(made, arrays)
    assert skills.act(np.zeros(3), 0).shape == (ACTION,) and skills.judged_by == ""
    with pytest.raises(ValueError, match=r"a policy alone: .* objective 'Mine"):
        skills.posterior(np.zeros(3))


WRONG = {
    "observation.size": ({"size": 0, "normalization": "none"}, "observation"),
    "observation.size ": ({"size": 2.0, "normalization": "none"}, "observation"),
    "observation.size  ": ({"size": 10**9, "normalization": "none"}, "observation"),
    "observation.normalization": ({"size": 3, "normalization": "odd"}, "observation"),
    "observation_mean": ({"size": 3, "normalization": "fixed"}, "observation"),
    "goals": ({"number": 6, "size": 5, "continuous": False}, "goals"),
    "goals.continuous": ({"number": 5, "size": 5, "continuous": 1}, "goals"),
    "policy.inputs.0": (8, "hidden_units"),
    "action.kind": ({"kind": "vote"}, "action"),
    "no bounds": (
        {"kind": "box", "low": [0.0, 2.0], "high": [1.0, 1.0], "dtype": "float32"},
        "action",
    ),
    "action.high": ({"kind": "box", "low": [0, 0], "high": [1, "1"]}, "action"),
    "action.dtype": (
        {"kind": "box", "low": [0, 0], "high": [1, 1], "dtype": "object"},
        "action",
    ),
    "agent.name": ({"name": "discrete-sac"}, "agent"),
    "agent.name ": ({"name": "os.system"}, "agent"),
    "agent.policy_activation": ({"name": "sac", "policy_activation": "eval"}, "agent"),
    "objective.name": ({"name": "mine"}, "objective"),
    "objective.features": ({"name": "diayn", "features": [3]}, "objective"),
    "objective.features ": ({"name": "diayn", "features": []}, "objective"),
    "objective.members": ({"name": "disdain", "features": None, "members": 10**6}, "objective"),
    "environment.name": ({"name": 3}, "environment"),
    "environment.name ": (None, "environment"),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_header_that_does_not_fit_is_refused_by_the_entry(words: str):
    value, name = WRONG[words]
    made, arrays = content(**{name: value})
    with pytest.raises(SkillFileError, match=words.strip()):
        Skills(made, arrays)


def test_numbers_of_a_header_must_be_numbers():
    deep: list = []
    for _ in range(5000):  # as deep as no message may look
        deep = [deep]
    for value in (0, -1.0, "1", None, True, float("nan"), 10**400, deep):
        with pytest.raises(SkillFileError, match=r"objective.temperature (must|is too)"):
            header.positive({"objective": {"temperature": value}}, "objective.temperature")


def test_loading_and_acting_imports_numpy_alone(tmp_path: Path):
    code = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        known = name.split('.')[0]\n"
        "        if known not in sys.stdlib_module_names and known not in ('numpy', 'autotelic'):\n"
        "            raise ImportError(f'{name} was imported')\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import numpy\n"
        "import autotelic as at\n"
        f"skills = at.Skills.load({str(written(tmp_path))!r})\n"
        "rng = numpy.random.default_rng(0)\n"
        "print(skills.act(numpy.zeros(3), 1, rng).shape, skills.posterior(numpy.zeros(3)).shape)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert result.stdout == "(2,) (5,)\n", result.stderr
