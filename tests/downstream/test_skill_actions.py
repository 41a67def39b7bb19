# pyright: reportMissingImports=false
"""Skills as actions: the wrapper's law, what it refuses, and programs that check and use it."""

import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.utils.env_checker import check_env
from made_skills import ACTION, GOALS, OBSERVATION, content, noisy_run

import autotelic as at
from autotelic.downstream import SkillActions
from autotelic.skills import Skills

EXAMPLES = Path(__file__).parents[2] / "examples"
HAS_SB3 = importlib.util.find_spec("stable_baselines3") is not None


class Walk(gymnasium.Env):
    """Moves by its actions, is paid 1, 2, 3 ... and ends after some steps; has the skills' spaces."""

    def __init__(self, ends_after: int = 1000, terminates: bool = False):
        self.observation_space: Any = Box(-np.inf, np.inf, (OBSERVATION,), np.float64)
        self.action_space: Any = Box(np.float32([-2, 0]), np.float32([2, 1]))
        self.ends_after, self.terminates = ends_after, terminates
        self.place, self.time, self.actions = np.zeros(OBSERVATION), 0, []

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.place, self.time, self.actions = self.np_random.normal(size=OBSERVATION), 0, []
        return self.place.copy(), {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action)
        self.actions.append(action)
        self.place[:ACTION] += 0.1 * action
        self.time += 1
        over = self.time >= self.ends_after
        info = {"time": self.time}
        return (
            self.place.copy(),
            self.time,
            over and self.terminates,
            over and not self.terminates,
            info,
        )


@pytest.fixture
def skills() -> Skills:
    return Skills(*content())


@pytest.fixture
def sphere() -> Skills:
    made, arrays = content(goals={"number": GOALS, "size": GOALS, "continuous": True})
    return Skills(made, arrays)


def test_a_skill_acts_for_its_steps_from_what_it_sees(skills: Skills):
    task = Walk()
    env = SkillActions(task, skills, steps=4)
    assert env.action_space == Discrete(GOALS)
    seen, _ = env.reset(seed=0)
    after, reward, terminated, truncated, info = env.step(2)
    assert reward == 1 + 2 + 3 + 4 and not terminated and not truncated
    assert info == {"time": 4, "skill_steps": 4}
    for action in task.actions:  # each from where the last one led
        np.testing.assert_array_equal(action, skills.act(seen, 2))
        seen[:ACTION] += 0.1 * action
    np.testing.assert_allclose(after, seen)
    env.step(3)
    np.testing.assert_array_equal(task.actions[4], skills.act(after, 3))


@pytest.mark.parametrize("terminates", [True, False])
def test_an_episode_that_ends_ends_the_skill(skills: Skills, terminates: bool):
    env = SkillActions(Walk(ends_after=6, terminates=terminates), skills, steps=4, rewards="mean")
    env.reset(seed=0)
    assert env.step(0)[1] == (1 + 2 + 3 + 4) / 4
    _, reward, terminated, truncated, info = env.step(0)
    assert reward == (5 + 6) / 2 and info["skill_steps"] == 2
    assert (terminated, truncated) == (terminates, not terminates)


def test_an_action_of_the_sphere_is_a_direction(sphere: Skills):
    task = Walk()
    env = SkillActions(task, sphere, steps=1)
    assert env.action_space == Box(-1.0, 1.0, (GOALS,), np.float32)
    direction = np.float32([0.5, 0.0, 0.0, -0.5, 0.0])
    seen, _ = env.reset(seed=0)
    env.step(direction)
    unit = direction / np.sqrt(0.5)
    np.testing.assert_allclose(task.actions[0], sphere.act(seen, unit), atol=1e-6)
    env.step(np.zeros(GOALS, np.float32))  # no direction, and no crash
    assert SkillActions(Walk(), sphere, discrete=True).action_space == Discrete(GOALS)


def test_sampled_actions_follow_the_environments_seed(skills: Skills):
    def actions(seed: int) -> Any:
        task = Walk()
        env = SkillActions(task, skills, steps=3, deterministic=False)
        env.reset(seed=seed)
        env.step(1)
        return np.array(task.actions)

    np.testing.assert_array_equal(actions(0), actions(0))
    assert not np.allclose(actions(0), actions(1))


def test_a_task_may_add_to_what_skills_see(skills: Skills):
    class WithAim(Walk):
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = gymnasium.spaces.Dict(
                {"seen": self.observation_space, "aim": Box(-1, 1, (2,), np.float32)}
            )

        def reset(self, **arguments: Any) -> Any:
            seen, info = super().reset(**arguments)
            return {"seen": seen, "aim": np.zeros(2, np.float32)}, info

        def step(self, action: Any) -> Any:
            seen, *rest = super().step(action)
            return {"seen": seen, "aim": np.zeros(2, np.float32)}, *rest

    with pytest.raises(ValueError, match=r"observations are a dictionary, .* see \[3\]"):
        SkillActions(WithAim(), skills)
    env = SkillActions(WithAim(), skills, observe=lambda observation: observation["seen"])
    env.reset(seed=0)
    assert set(env.step(0)[0]) == {"seen", "aim"}


def test_another_environment_is_refused_with_both_shapes(skills: Skills):
    other = Walk()
    other.observation_space = Box(-1, 1, (4,), np.float64)
    with pytest.raises(ValueError, match=r"shape \[4\], and the skills of Walk-v0 see \[3\]"):
        SkillActions(other, skills)
    for space in (Box(-2, 2, (2,)), Box(-2, 2, (3,)), Discrete(2)):
        other = Walk()
        other.action_space = space
        with pytest.raises(ValueError, match=r"Walk-v0 give a Box of the shape \[2\], from \[-2"):
            SkillActions(other, skills)
    made, arrays = content(
        action={"kind": "discrete", "number": 4, "first": 1}, agent={"name": "discrete-sac"}
    )
    task = Walk()
    task.action_space = Discrete(4)
    with pytest.raises(ValueError, match=r"Discrete\(4\), .* give a Discrete\(4, start=1\)"):
        SkillActions(task, Skills(made, arrays))
    task.action_space = Discrete(4, start=1)
    SkillActions(task, Skills(made, arrays))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"steps": 0}, "steps must be at least 1"),
        ({"steps": 2.5}, "steps must be an integer"),
        ({"rewards": "max"}, "unknown rewards 'max'"),
        ({"discrete": False}, "nothing between them"),
        ({"deterministic": 1}, "deterministic must be True or False"),
    ],
)
def test_other_options_are_refused(skills: Skills, options: dict[str, Any], words: str):
    with pytest.raises((ValueError, TypeError), match=words):
        SkillActions(Walk(), skills, **options)


def test_what_is_no_skill_or_no_action_is_refused(skills: Skills):
    with pytest.raises(TypeError, match=r"Skills\.load"):
        SkillActions(Walk(), "skills.npz")  # type: ignore[arg-type]
    env = SkillActions(Walk(), skills)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    for action in (GOALS, -1, 0.5):
        with pytest.raises(ValueError, match=r"action must be in Discrete\(5\)"):
            env.step(action)


@pytest.mark.parametrize("deterministic", [True, False])
def test_gymnasiums_check_passes(tmp_path: Path, deterministic: bool):
    runs = noisy_run(tmp_path, environment="CartPole-v1")
    skills = Skills.load(runs.export("A", 7, tmp_path / "skills.npz"))
    env = SkillActions(gymnasium.make("CartPole-v1"), skills, steps=3, deterministic=deterministic)
    assert env.spec is not None and env.spec.additional_wrappers[-1].name == "SkillActions"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version")
        warnings.filterwarnings("ignore", ".*A Box observation space (maximum|minimum) value is")
        check_env(env, skip_render_check=True)


def test_the_sphere_passes_gymnasiums_check(sphere: Skills):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version")
        warnings.filterwarnings("ignore", ".*A Box observation space (maximum|minimum) value is")
        warnings.filterwarnings("ignore", ".*not having a spec")
        check_env(SkillActions(Walk(), sphere, steps=3))


@pytest.mark.skipif(not HAS_SB3, reason="stable-baselines3 is not installed")
@pytest.mark.filterwarnings("ignore")
def test_stable_baselines3_checks_it(skills: Skills, sphere: Skills):
    from stable_baselines3.common.env_checker import check_env as sb3_check

    for one in (skills, sphere):
        sb3_check(SkillActions(Walk(ends_after=20), one, steps=3))


@pytest.mark.skipif(not HAS_SB3, reason="stable-baselines3 is not installed")
@pytest.mark.filterwarnings("ignore")
def test_dqn_learns_which_skill_is_paid(skills: Skills):
    from stable_baselines3 import DQN

    class Paid(Walk):
        """Pays the first action's entry: skills differ in it."""

        def step(self, action: Any) -> Any:
            seen, _, *rest = super().step(action)
            return seen, float(action[0]), *rest

    env = SkillActions(Paid(ends_after=20), skills, steps=5)
    model = DQN(
        "MlpPolicy", env, learning_starts=50, train_freq=1, seed=0, exploration_fraction=0.5,
        policy_kwargs={"net_arch": [16]}, gamma=0.5, learning_rate=5e-3, device="cpu",
    )  # fmt: skip
    model.learn(600)

    def paid(choose: Any) -> float:
        total, rng = 0.0, np.random.default_rng(0)
        for seed in range(10):
            seen, _ = env.reset(seed=seed)
            over = False
            while not over:
                seen, reward, terminated, truncated, _ = env.step(choose(seen, rng))
                total, over = total + reward, terminated or truncated
        return total

    learned = paid(lambda seen, rng: int(model.predict(seen, deterministic=True)[0]))
    assert learned > paid(lambda seen, rng: int(rng.integers(GOALS))) + 10


@pytest.mark.skipif(not HAS_SB3, reason="stable-baselines3 is not installed")
@pytest.mark.filterwarnings("ignore")
def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    runs = noisy_run(tmp_path, environment="CartPole-v1")
    path = runs.export("A", 7, tmp_path / "skills.npz")
    import skills_as_actions

    words = [str(path), "CartPole-v1", "--choices", "200", "--steps-per-skill", "3"]
    found = skills_as_actions.main([*words, "--episodes", "2"])
    assert set(found) == {"PPO", "a random skill", *(f"skill {g} alone" for g in range(GOALS))}
    assert min(found.values()) > 0 and "skill 4 alone" in capsys.readouterr().out
    assert "skills_as_actions" in sys.modules


def test_it_is_public():
    assert at.downstream.SkillActions is SkillActions
