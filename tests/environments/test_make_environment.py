"""Names to environments, and every refusal with its remedy."""

import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from environment_doubles import Counter
from gymnasium import spaces, wrappers
from hypothesis import given
from hypothesis import strategies as st

from autotelic.environments import has_discrete_actions, make_environment, making
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.navigation2d import Navigation2D
from autotelic.environments.pool import rescale


class Spaces(gymnasium.Env):
    """Whatever spaces one asks for."""

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Space):
        self.observation_space, self.action_space = observation_space, action_space

    def reset(self, *, seed: int | None = None, options: object = None):
        return self.observation_space.sample(), {}

    def step(self, action: object):
        return self.observation_space.sample(), 0.0, False, False, {}


GOOD = spaces.Box(-1.0, 1.0, (3,))


def made_of(observation_space: spaces.Space, action_space: spaces.Space) -> Callable[[], Spaces]:
    return lambda: Spaces(observation_space, action_space)


def test_names_give_environments_with_their_sizes():
    navigation = make_environment("navigation2d", action_range=0.1)
    assert navigation == Navigation2D(action_range=0.1)
    cheetah = make_environment("HalfCheetah-v5")
    assert (cheetah.observation_size, cheetah.action_size, cheetah.episode_length) == (17, 6, 1000)
    assert make_environment("Ant-v5").observation_size == 105
    small_ant = make_environment("Ant-v5", include_cfrc_ext_in_observation=False)
    assert small_ant.observation_size == 27
    assert make_environment("Pendulum-v1").episode_length == 200
    assert make_environment("Pendulum-v1", max_episode_steps=50).episode_length == 50
    assert make_environment(Counter, terminates_after=2).episode_length is None
    assert not any(map(has_discrete_actions, (navigation, cheetah)))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("CartPole-v1", (4, 2, 500)), ("Acrobot-v1", (6, 3, 500)), ("MountainCar-v0", (2, 3, 200))],
)
def test_discrete_actions_count_as_entries(name: str, sizes: tuple[int, int, int]):
    made = make_environment(name)
    assert (made.observation_size, made.action_size, made.episode_length) == sizes
    assert has_discrete_actions(made)


def test_an_environment_of_ones_own_says_that_its_actions_are_discrete():
    class Choices(Navigation2D):
        discrete_actions = True

    assert has_discrete_actions(make_environment(Choices()))


def test_an_instance_is_looked_at_once_and_stepped_once_for_positions():
    made, closed = [], []

    class Seen(Spaces):
        pays_reward = False

        def __init__(self):
            super().__init__(GOOD, spaces.Box(-1.0, 1.0, (2,)))
            made.append(self)

        def close(self):
            closed.append(self)

    environment = GymnasiumEnvironment(Seen)
    assert environment.observation_size == 3 and not environment.pays_reward
    assert environment.goal_radius is None and environment.goal_entries == ()
    assert environment.described.high.tolist() == [1.0, 1.0]
    assert len(made) == 1
    assert environment.position_entries == environment.position_entries == ()
    assert len(made) == 2 and closed == made
    assert environment == GymnasiumEnvironment(Seen)


def test_an_environment_already_made_is_handed_back():
    navigation = Navigation2D()
    pendulum = GymnasiumEnvironment("Pendulum-v1", backend="serial")
    assert make_environment(navigation) is navigation
    assert make_environment(pendulum) is pendulum
    with pytest.raises(ValueError, match="noise"):
        make_environment(navigation, noise=0.1)


def test_an_id_may_name_the_module_that_registers_it(monkeypatch: pytest.MonkeyPatch):
    module = types.ModuleType("a_module_of_tasks")
    monkeypatch.setitem(sys.modules, "a_module_of_tasks", module)
    environment = make_environment("a_module_of_tasks:Pendulum-v1")
    assert environment.observation_size == 3
    with pytest.raises(ValueError, match=r"no_such_module.*registers the id"):
        make_environment("no_such_module:Task-v0")


def test_the_module_may_be_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "tasks_in_this_folder.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    before = list(sys.path)
    assert make_environment("tasks_in_this_folder:Pendulum-v1").observation_size == 3
    assert sys.path == before
    sys.modules.pop("tasks_in_this_folder")


@pytest.mark.parametrize("value", [0, "abc"])
def test_a_value_that_gymnasium_refuses_is_named(value: object):
    with pytest.raises(
        ValueError, match=f"Pendulum-v1 cannot be made with .*'max_episode_steps': {value!r}"
    ):
        make_environment("Pendulum-v1", max_episode_steps=value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("HalfCheeta-v5", "HalfCheetah-v5"),
        ("halfcheetah", "HalfCheetah-v5"),
        ("HalfCheetah-v9", "HalfCheetah-v5"),
        ("navigation", "navigation2d"),
        ("Navigation3D-v0", "navigation2d"),
        ("pendulum-v1", "Pendulum-v1"),
    ],
)
def test_an_unknown_name_lists_the_nearest(name: str, near: str):
    with pytest.raises(ValueError, match=f"unknown environment '{name}'; nearest: .*{near}"):
        make_environment(name)


def test_unknown_options_list_the_valid_ones():
    with pytest.raises(ValueError, match=r"'noize'.*action_range.*Did you mean 'noise'"):
        make_environment("navigation2d", noize=0.1)
    with pytest.raises(ValueError, match=r"frame_skip.*Did you mean 'reset_noise_scale'"):
        make_environment("Ant-v5", reset_noise=0.1)
    with pytest.raises(ValueError, match=r"option of Counter 'hihg'.*Did you mean 'high'"):
        make_environment(Counter, hihg=2.0)
    with pytest.raises(ValueError, match=r"backend 'threads'.*Did you mean 'thread'"):
        make_environment("Pendulum-v1", backend="threads")


@pytest.mark.parametrize(
    ("observation_space", "action_space", "message"),
    [
        (spaces.Dict({"a": GOOD}), GOOD, "FlattenObservation"),
        (spaces.Tuple([GOOD]), GOOD, "FlattenObservation"),
        (spaces.Discrete(4), GOOD, "FlattenObservation"),
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), GOOD, "FlattenObservation"),
        (
            GOOD,
            spaces.MultiDiscrete([2, 3]),
            r"MultiDiscrete.*TransformAction.* is Discrete, or a Box",
        ),
        (GOOD, spaces.MultiBinary(4), "TransformAction"),
        (spaces.Discrete(4), spaces.Discrete(4), "FlattenObservation"),
        (spaces.Dict({"a": GOOD}), spaces.Discrete(4), "FlattenObservation"),
        (GOOD, spaces.Box(0, 9, (2,), np.int64), "TransformAction"),
        (GOOD, spaces.Box(-1.0, 1.0, (2, 2)), "TransformAction"),
        (GOOD, spaces.Box(-np.inf, 1.0, (2,)), r"unbounded.*TransformAction"),
    ],
)
def test_spaces_no_learner_can_use_are_refused_with_the_wrapper_that_helps(
    observation_space: spaces.Space, action_space: spaces.Space, message: str
):
    with pytest.raises(ValueError, match=message):
        make_environment(made_of(observation_space, action_space))


def test_the_wrappers_named_in_refusals_do_help():
    unbounded = made_of(GOOD, spaces.Box(-np.inf, np.inf, (2,)))
    bounds = spaces.Box(-2.0, 2.0, (2,))
    wrapped = make_environment(lambda: wrappers.TransformAction(unbounded(), lambda a: a, bounds))
    assert wrapped.action_size == 2
    pairs = made_of(GOOD, spaces.MultiDiscrete([2, 3]))
    wrapped = make_environment(
        lambda: wrappers.TransformAction(pairs(), lambda a: np.divmod(a, 3), spaces.Discrete(6))
    )
    assert wrapped.action_size == 6 and has_discrete_actions(wrapped)
    pictures = made_of(spaces.Dict({"a": spaces.Box(0, 255, (4, 4), np.uint8), "b": GOOD}), GOOD)
    assert make_environment(lambda: wrappers.FlattenObservation(pictures())).observation_size == 19


def test_what_is_no_environment_is_refused():
    with pytest.raises(TypeError, match="each member of a population needs its own"):
        make_environment(Counter())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"made a dict.*gymnasium\.Env"):
        make_environment(dict)
    with pytest.raises(TypeError, match="got 3"):
        make_environment(3)  # type: ignore[arg-type]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing(*_: object, **__: object):
        raise gymnasium.error.DependencyNotInstalled("MuJoCo is not installed")

    monkeypatch.setattr(gymnasium, "make", missing)
    monkeypatch.setattr(making.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'autotelic\[train\]'"):
        make_environment("HalfCheetah-v5")


@pytest.mark.parametrize("kind", ["AttributeError", "ImportError"])
def test_a_way_to_draw_that_mujoco_cannot_load_is_named(kind: str, monkeypatch: pytest.MonkeyPatch):
    module: dict[str, Any] = {"__name__": "mujoco.rendering.osmesa"}
    exec(f"def load(**options): raise {kind}('no glGetError')", module)
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    words = r"no glGetError; MUJOCO_GL is 'osmesa': .*apt install libegl1\) or OSMesa .*or set MUJOCO_GL"
    with pytest.raises((ValueError, ImportError), match=words):
        make_environment(module["load"])

    def broken(**options: Any):
        raise AttributeError("mine")

    with pytest.raises(ValueError, match=r"AttributeError: mine$"):
        make_environment(broken)


@pytest.mark.parametrize("name", ["LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3"])
def test_what_needs_box2d_names_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch):
    # None in sys.modules makes the import fail as a missing package does.
    monkeypatch.setitem(sys.modules, "Box2D", None)
    for module in [word for word in sys.modules if word.startswith("gymnasium.envs.box2d")]:
        monkeypatch.delitem(sys.modules, module)
    said = f"{name} cannot be made: Box2D is missing; pip install 'gymnasium[box2d]'"
    with pytest.raises(ImportError, match=f"^{re.escape(said)}$"):
        make_environment(name)


def test_making_half_cheetah_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    make_environment("HalfCheetah-v5")
    assert list(tmp_path.iterdir()) == []  # MuJoCo alone would leave a MUJOCO_LOG.TXT
    assert capfd.readouterr() == ("", "")


def test_importing_the_package_loads_neither_jax_nor_gymnasium():
    code = (
        "import sys, autotelic.environments; "
        "print({'jax', 'gymnasium', 'mujoco'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("action", "expected"), [(-1.0, -3.0), (0.0, -1.0), (0.5, 0.0), (1.0, 1.0), (1.2, 1.0)]
)
def test_actions_are_rescaled_to_asymmetric_bounds(action: float, expected: float):
    low, high = np.array([-3.0], np.float32), np.array([1.0], np.float32)
    assert rescale(np.array([[action]], np.float32), low, high) == expected


bounds = st.floats(-1e3, 1e3, width=32)


@given(st.tuples(bounds, bounds).map(sorted), st.floats(-1, 1, width=32))
def test_rescaled_actions_stay_within_the_bounds_and_keep_their_type(ends: list, action: float):
    low, high = (np.array([end], np.float32) for end in ends)
    rescaled = rescale(np.array([[action]], np.float32), low, high)
    assert rescaled.dtype == np.float32
    assert low <= rescaled <= high
    ends_reached = rescale(np.array([[-1.0], [1.0]]), low, high)
    np.testing.assert_allclose(ends_reached, [low, high], rtol=1e-6, atol=1e-12)
